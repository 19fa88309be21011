// Inter prediction of a whole frame on the QPU: packs the blocks and records the dispatches.
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

/// Frame in a buffer, in memory of whole superblocks. Planes and rows begin at multiples of 16
/// bytes. One buffer may hold several frames.
struct InterFrame {
  std::shared_ptr<Buffer> buffer;
  PicturePlanes planes;
  /// Visible size of the frame; a reference repeats its border samples outside this size.
  vp9::FrameSize size;
};
using InterReferences = std::array<InterFrame, vp9::kActiveReferences>;

/// Returns the maximum number of strips per dispatch on a device that allows `max_workgroups`
/// workgroups. Some devices allow 2^31 - 1; the sum of two results fits in 32 bits even then.
[[nodiscard]] std::uint32_t max_strips_per_dispatch(std::uint32_t max_workgroups);

/// Predicts the inter blocks of one frame after another. The data of a frame is written once into a
/// buffer that the device reads; the dispatches are recorded into the caller's list. There is one
/// dispatch per kind of strip and per buffer with references, so references in one buffer need the
/// fewest. An instance serves one frame at a time; two frames in flight need two instances. The
/// device must outlive it.
class InterPrediction {
 public:
  /// Number of strips up to which a kind of strip joins the list of the border's program: one
  /// workgroup's. That program serves every position and direction. Joining costs up to 30,000
  /// instructions, 10 us on a Raspberry Pi 5. It saves a dispatch, whose fixed cost is up to 33 us.
  static constexpr std::size_t kMaxJoined = shader::kInterLanes;

  /// Makes the predictor for samples of `bits` 8, 10 or 12; throws Error (usage) for other depths.
  /// If `most_joined` is 0, every kind has its own dispatch.
  InterPrediction(Device& device, int bits, std::size_t most_joined = kMaxJoined);

  /// Packs the inter blocks of a frame with the given header and arrays, from superblock row
  /// `first_row` on. `references` are LAST, GOLDEN and ALTREF, with the frame's depth and
  /// subsampling; they are unused if the frame is intra. Work packed before must be done. Throws
  /// Error (usage) as start().
  void set_blocks(const vp9::FrameHeader& header, const vp9::PictureData& picture,
                  const InterFrame& frame, const InterReferences& references, int first_row = 0);

  /// Packs areas one by one: start(), add() per area, finish(). A reference without a buffer must
  /// not be used by any area. Throws Error (usage) in these cases:
  /// - planes or rows of a frame do not begin at multiples of 16 bytes;
  /// - planes do not fit their buffer;
  /// - a reference of the frame's size has other strides.
  void start(const InterFrame& frame, const InterReferences& references, video::Chroma chroma);
  /// Predicts `part` of a plane from an area of reference 0 to 2. If `average` is set, stores the
  /// mean with the prediction of an area without `average`. Parts must lie within the frame's
  /// memory, at multiples of 4 samples, with sides of 4, 8, 16, 32 or 64.
  void add(std::size_t plane, const vp9::PlaneBlock& part, std::size_t reference,
           const vp9::ReferenceArea& area, vp9::InterpolationFilter filter, bool average);
  void finish();

  /// Records the upload and the dispatches for the packed blocks; nothing if there are none. Only
  /// the blocks' samples are written; references are only read. If memory is staged, the caller
  /// must upload the references and download the frame.
  void record(CommandList& list) const;
  /// Number of dispatches that record() records.
  [[nodiscard]] std::size_t dispatches() const;
  /// Returns the work of each dispatch. A work unit is 8x8 samples from one reference, in any
  /// number of strips. A block with two references counts each of its units twice.
  [[nodiscard]] std::vector<DispatchWork> work() const;

  /// Returns the shaders for a bit depth.
  [[nodiscard]] static std::vector<Shader> shaders(int bits);

 private:
  using Strip = shader::InterStrip;

  /// Size of a strip in samples; the block's size decides which one is used.
  struct StripSize {
    int width;
    int rows;
  };
  static constexpr std::size_t kStripSizes = 3;
  /// Combinations of filter directions: 1 is along x, 2 along y.
  static constexpr std::size_t kDirections = 4;
  static constexpr std::size_t kBorderKind = kDirections * kStripSizes;
  static constexpr std::size_t kScaledKind = kBorderKind + 1;
  static constexpr std::size_t kKinds = kScaledKind + 1;

  struct PlaneSize {
    int width = 0;
    int height = 0;
  };

  /// Strips of one kind, reference buffer and mode: one dispatch, or more if there are too many
  /// strips.
  struct Run {
    std::shared_ptr<Program> program;
    std::size_t kind;
    std::size_t reference;  ///< index of the reference whose buffer is bound
    bool average;
    std::uint32_t first;
    std::uint32_t last;
  };

  /// Arguments of one add() call.
  struct Area {
    vp9::PlaneBlock part;
    vp9::ReferenceArea from;
    std::uint32_t choice;  ///< value of InterStrip::choice for its strips
    std::uint8_t plane;
    std::uint8_t reference;
    std::uint8_t list;
  };
  /// Strips of one kind, from the references of one buffer, averaged or not.
  struct List {
    std::size_t count = 0;
    std::size_t next = 0;  ///< index of the next strip in the strip buffer
    bool joined = false;   ///< true if the strips are in the list of the border's program instead
  };

  [[nodiscard]] std::size_t sample_bytes() const { return bits_ == 8 ? 1 : 2; }
  [[nodiscard]] std::size_t size_of(const vp9::PlaneBlock& part, std::uint32_t directions) const;
  [[nodiscard]] StripSize strip_size(std::size_t index) const;
  /// Returns the size of a kind's strips.
  [[nodiscard]] StripSize size_of_kind(std::size_t kind) const {
    return strip_size(kind < kBorderKind ? kind % kStripSizes : 0);
  }
  [[nodiscard]] static std::size_t count_strips(const vp9::PlaneBlock& part, const StripSize& size);
  /// Returns the unit of InterStrip::to, in bytes.
  [[nodiscard]] std::size_t to_unit_of(const StripSize& size) const;
  [[nodiscard]] static std::size_t list_index(std::size_t kind, std::size_t reference,
                                              bool average) {
    return (average ? vp9::kActiveReferences + reference : reference) * kKinds + kind;
  }
  /// Joins the small lists of a reference to the list of the border's program.
  void join_few(std::size_t reference, bool average);
  /// Calls write(x, y, to) for each strip of an area. `x` and `y` are the strip's position relative
  /// to the area's top left sample; `to` is its byte offset in the frame.
  template <class Write>
  void cut(const Area& area, const StripSize& size, const Write& write) const;
  void write_inside(const Area& area, std::size_t kind, Strip* strips) const;
  void write_border(const Area& area, Strip* strips) const;
  void write_scaled(const Area& area, Strip* strips) const;
  /// Returns the visible sizes of luma and of chroma of a frame.
  [[nodiscard]] std::array<PlaneSize, 2> visible(const vp9::FrameSize& size) const;
  [[nodiscard]] std::size_t offset_in(const InterFrame& frame, std::size_t plane, int x,
                                      int y) const;
  [[nodiscard]] std::shared_ptr<Program> program(std::size_t kind, bool average);
  [[nodiscard]] std::uint32_t most_strips() const;  ///< maximum number of strips per dispatch
  /// Calls visit(first, last) with the strips of each dispatch of a run.
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
  /// Shader programs; each is made when it is used first.
  std::array<std::shared_ptr<Program>, 2 * kKinds> programs_;
  InterFrame frame_;
  InterReferences references_;
  std::array<bool, vp9::kActiveReferences> scaled_{};
  /// For each reference, the lowest reference that has the same buffer.
  std::array<std::size_t, vp9::kActiveReferences> bound_{};
  std::array<PlaneSize, 2> visible_{};
  video::Chroma chroma_ = video::Chroma::c420;
  std::vector<Area> areas_;
  std::array<List, 2 * vp9::kActiveReferences * kKinds> lists_;
  std::shared_ptr<Buffer> strip_buffer_;
  std::vector<Run> runs_;
};

}  // namespace sidecore::qpu
