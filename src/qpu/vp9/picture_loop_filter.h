// QPU twin of vp9::filter_edges_in_order(): the loop filter of a whole picture in one submission.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/device.h"
#include "qpu/recorded_lists.h"
#include "qpu/vp9/edge_filter.h"
#include "vp9/edge_schedule.h"
#include "vp9/loop_filter.h"

namespace sidecore::qpu {

/// Where the planes of a picture lie in one buffer: bytes, all multiples of 4. Both chroma planes
/// have one stride. A plane that is the CPU's alone has no rows.
struct PicturePlanes {
  struct Plane {
    std::size_t offset = 0;
    std::size_t stride = 0;
    std::size_t rows = 0;
  };
  std::array<Plane, 3> planes;
};

/// Filters the pictures that come to lie in one buffer: bytes, or 16-bit words of 9 to 12 bits.
/// What a picture needs is recorded once for a number of dispatches, and submitted again for every
/// picture of as many while recently used: a dispatch a level or wave, one submission and one fence
/// a picture. An instance serves one picture at a time; for two in flight take two.
class PictureLoopFilter {
 public:
  /// Throws Error (usage) when the planes do not fit the buffer or break the rules above, or
  /// `bits` is not 8 to 12.
  PictureLoopFilter(std::shared_ptr<Device> device, std::shared_ptr<Buffer> picture,
                    const PicturePlanes& planes, int bits = 8);

  /// The edges of the next submission: the first `steps` steps of a schedule. The rest of it is the
  /// CPU's, once this has been done; planes without rows are the CPU's at any time. Not while a
  /// submission is in flight. `sharpness` is 0 to 7. Throws Error (usage) when it is not, an edge
  /// leaves its plane or there are more than kMostSteps steps.
  void set_edges(const vp9::EdgeSteps& schedule, std::size_t steps, int sharpness);

  /// The edges of the next submission in superblock waves: a dispatch a wave, whatever the edges.
  /// Otherwise as above; throws Error (usage) also when a wave has more
  /// superblocks than the planes.
  void set_edges(const vp9::WaveScheduler& schedule, int sharpness);

  /// Filters the picture that is in the buffer. Where memory is staged, planes that have rows go to
  /// the device and back.
  [[nodiscard]] Ticket submit();

  /// What submit() gives to the device, for whoever asks what is dispatched in it. Valid until the
  /// next set_edges().
  [[nodiscard]] CommandList& list();

  /// Of the next submission.
  [[nodiscard]] std::size_t dispatches() const { return dispatches_; }

  static constexpr std::size_t kMostSteps = 4096;

 private:
  template <class Sample>
  [[nodiscard]] vp9::LoopFilterPicture<Sample> host_view() const;
  [[nodiscard]] std::size_t sample_bytes() const { return bits_ == 8 ? 1 : 2; }
  void pack_edges(std::span<const vp9::PictureEdge> edges, int sharpness);
  void make_waves();
  void record_levels(CommandList& list) const;
  void record_waves(CommandList& list) const;
  [[nodiscard]] std::unique_ptr<CommandList> record() const;

  // What superblock waves need besides; made when first asked for.
  struct Waves {
    std::shared_ptr<Program> program;
    std::shared_ptr<Buffer> steps, superblocks, waves;
    std::uint32_t widest;  ///< superblocks that a wave can have
    RecordedLists lists{kMostSteps};
  };

  std::shared_ptr<Device> device_;
  std::shared_ptr<Buffer> picture_;
  PicturePlanes planes_;
  int bits_;
  EdgeFilter filter_;
  std::shared_ptr<Buffer> edge_buffer_;
  std::shared_ptr<Buffer> step_buffer_;
  std::size_t dispatches_ = 0;
  bool in_waves_ = false;            ///< the next submission
  RecordedLists lists_{kMostSteps};  ///< of levels
  std::optional<Waves> waves_;
};

}  // namespace sidecore::qpu
