// The prediction of a whole frame from other frames on the QPU: what packs its blocks and records
// its dispatches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "qpu/vp9/dispatch_work.h"
#include "qpu/vp9/picture_planes.h"
#include "vp9/frame_header.h"
#include "vp9/inter_areas.h"
#include "vp9/inter_prediction.h"
#include "vp9/inter_prediction.interface.h"
#include "vp9/picture_data.h"

namespace sidecore::qpu {

/// A frame in a buffer, in memory of whole superblocks: its planes and their rows begin at
/// multiples of 16 bytes. Several may lie in one buffer.
struct InterFrame {
  std::shared_ptr<Buffer> buffer;
  PicturePlanes planes;
  vp9::FrameSize size;  ///< what is visible; beyond, a reference repeats the border's samples
};
using InterReferences = std::array<InterFrame, vp9::kActiveReferences>;

/// How many strips a dispatch takes where the device takes so many workgroups. Some take 2^31 - 1:
/// the sum of two results fits 32 bits all the same.
[[nodiscard]] std::uint32_t strips_of_a_dispatch(std::uint32_t max_workgroups);

/// Predicts the inter blocks of one frame after another. What a frame needs is written, once, into
/// a buffer that the device sees; the dispatches are recorded into the caller's list: one for each
/// kind of strip that there is and each buffer that has references. References in one buffer make
/// the fewest. An instance serves one frame at a time; for two in flight take two. The device
/// outlives it.
class InterPrediction {
 public:
  /// The border's program, which serves every place and direction, takes the kinds of which it
  /// makes no more than a workgroup of its strips: that is up to 30,000 instructions, 10 us on a
  /// Raspberry Pi 5, where a dispatch costs up to 33 beside its own work.
  static constexpr std::size_t kMostJoined = shader::kInterLanes;

  /// Samples of `bits` 8, 10 or 12. Throws Error (usage) for others. With 0 `most_joined` strips
  /// every kind has its own dispatch.
  InterPrediction(Device& device, int bits, std::size_t most_joined = kMostJoined);

  /// Packs the blocks of the frame whose header and arrays these are, those of superblock rows from
  /// `first_row` on; intra blocks are left out.
  /// `references` are those of LAST, GOLDEN and ALTREF, of the frame's depth and
  /// subsampling; unused when the frame is intra. What was packed before must be done. Throws Error
  /// (usage) as start() does.
  void set_blocks(const vp9::FrameHeader& header, const vp9::PictureData& picture,
                  const InterFrame& frame, const InterReferences& references, int first_row = 0);

  /// The same by hand: start(), add() for each area, finish(). A reference without a buffer is one
  /// that no area has. Throws Error (usage) when planes or rows of a frame begin at no multiple of
  /// 16 bytes, planes do not fit their buffer, or a reference of the frame's size has other
  /// strides.
  void start(const InterFrame& frame, const InterReferences& references, video::Chroma chroma);
  /// Predicts `part` of a plane from an area of a reference, 0 to 2; with `average` the mean with
  /// what an area without it predicts there. Parts of planes lie within the frame's memory, at
  /// multiples of 4 samples, and have sides of 4, 8, 16, 32 or 64.
  void add(std::size_t plane, const vp9::PlaneBlock& part, std::size_t reference,
           const vp9::ReferenceArea& area, vp9::InterpolationFilter filter, bool average);
  void finish();

  /// Records the upload and the dispatches for what is packed; nothing for no blocks. The frame's
  /// samples are written where the blocks are, and nowhere else; references are only read. Where
  /// memory is staged, the caller sees to it that the device has the references and that the frame
  /// comes back.
  void record(CommandList& list) const;
  /// That record() records.
  [[nodiscard]] std::size_t dispatches() const;
  /// Of each of them. A unit is 8x8 samples from one reference, in however many strips: a block of
  /// two references has each of its units twice.
  [[nodiscard]] std::vector<DispatchWork> work() const;

  /// The shaders that a depth takes.
  [[nodiscard]] static std::vector<Shader> shaders(int bits);

 private:
  using Strip = shader::InterStrip;

  /// A size of strips: what they are cut into, by the block's size.
  struct StripSize {
    int width;
    int rows;
  };
  static constexpr std::size_t kStripSizes = 3;
  static constexpr std::size_t kDirections = 4;  ///< 1: along x, 2: along y
  static constexpr std::size_t kBorderKind = kDirections * kStripSizes;
  static constexpr std::size_t kScaledKind = kBorderKind + 1;
  static constexpr std::size_t kKinds = kScaledKind + 1;

  struct PlaneSize {
    int width = 0;
    int height = 0;
  };

  /// All strips of one dispatch.
  struct Run {
    std::shared_ptr<Program> program;
    std::size_t kind;
    std::size_t reference;  ///< whose buffer is bound
    bool average;
    std::uint32_t first;
    std::uint32_t last;
  };

  /// What add() has taken.
  struct Area {
    vp9::PlaneBlock part;
    vp9::ReferenceArea from;
    std::uint32_t choice;  ///< as in its strips
    std::uint8_t plane;
    std::uint8_t reference;
    std::uint8_t list;
  };
  /// The strips of a kind, from the references of a buffer, averaged or not.
  struct List {
    std::size_t count = 0;
    std::size_t next = 0;  ///< strip's place in the buffer
    bool joined = false;   ///< they go to the border's list
  };

  [[nodiscard]] std::size_t sample_bytes() const { return bits_ == 8 ? 1 : 2; }
  [[nodiscard]] std::size_t size_of(const vp9::PlaneBlock& part, std::uint32_t directions) const;
  [[nodiscard]] StripSize strip_size(std::size_t index) const;
  /// Of the strips of a kind.
  [[nodiscard]] StripSize size_of_kind(std::size_t kind) const {
    return strip_size(kind < kBorderKind ? kind % kStripSizes : 0);
  }
  [[nodiscard]] static std::size_t strips_of(const vp9::PlaneBlock& part, const StripSize& size);
  /// Bytes of which InterStrip::to counts.
  [[nodiscard]] std::size_t to_unit_of(const StripSize& size) const;
  [[nodiscard]] static std::size_t list_index(std::size_t kind, std::size_t reference,
                                              bool average) {
    return (average ? vp9::kActiveReferences + reference : reference) * kKinds + kind;
  }
  /// Has few lists of a reference's go through the border's program.
  void join_few(std::size_t reference, bool average);
  /// Calls write(x, y, to) for the strips of an area: where they are from its top left sample, and
  /// the frame's byte.
  template <class Write>
  void cut(const Area& area, const StripSize& size, const Write& write) const;
  void write_inside(const Area& area, std::size_t kind, Strip* strips) const;
  void write_border(const Area& area, Strip* strips) const;
  void write_scaled(const Area& area, Strip* strips) const;
  /// What is visible of luma and of chroma.
  [[nodiscard]] std::array<PlaneSize, 2> visible(const vp9::FrameSize& size) const;
  [[nodiscard]] std::size_t offset_in(const InterFrame& frame, std::size_t plane, int x,
                                      int y) const;
  [[nodiscard]] std::shared_ptr<Program> program(std::size_t kind, bool average);
  [[nodiscard]] std::uint32_t most_strips() const;  ///< of a dispatch
  /// Calls visit(first, last) with the strips of each of a run's dispatches.
  template <class Visit>
  void for_each_dispatch(const Run& run, const Visit& visit) const;
  template <class Push>
  void dispatch(CommandList& list, const Run& run, Push push) const;
  void record_strips(CommandList& list, const Run& run) const;
  void record_scaled(CommandList& list, const Run& run) const;

  Device& device_;
  int bits_;
  std::size_t most_joined_;
  std::shared_ptr<Buffer> filters_;
  std::array<std::shared_ptr<Program>, 2 * kKinds> programs_;  ///< made when first asked for
  InterFrame frame_;
  InterReferences references_;
  std::array<bool, vp9::kActiveReferences> scaled_{};
  std::array<std::size_t, vp9::kActiveReferences> bound_{};  ///< which reference's buffer serves
  std::array<PlaneSize, 2> visible_{};
  video::Chroma chroma_ = video::Chroma::c420;
  std::vector<Area> areas_;
  std::array<List, 2 * vp9::kActiveReferences * kKinds> lists_;
  std::shared_ptr<Buffer> strip_buffer_;
  std::vector<Run> runs_;
};

}  // namespace sidecore::qpu
