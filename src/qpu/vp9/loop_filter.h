// The loop filter of a whole picture on the QPU: what records its dispatches.
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
#include "qpu/recorded_lists.h"
#include "qpu/vp9/picture_planes.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/plan.h"

namespace sidecore::qpu {

/// The one that an order takes, for samples of `bits` 8 to 12.
[[nodiscard]] Shader loop_filter_shader(vp9::FilterOrder order, int bits = 8);

/// Filters the pictures that come to lie in one buffer: bytes, or 16-bit words of 9 to 12 bits.
/// What a picture needs is recorded once for a number of dispatches, and submitted again for every
/// picture of as many while recently used: a dispatch a large level and one for all others, or one
/// a wave; one submission and one fence a picture. An instance serves one picture at a time; for
/// two in flight take two. The device outlives it.
class LoopFilter {
 public:
  /// Throws Error (usage) when the planes do not fit the buffer, begin or have rows of other
  /// than whole words, or `bits` is not 8 to 12.
  LoopFilter(Device& device, std::shared_ptr<Buffer> picture, const PicturePlanes& planes,
             int bits = 8);

  /// The edges of the next submission: the first `steps` steps of a schedule. The rest of it is the
  /// CPU's, once this has been done; planes without rows are the CPU's at any time. `sharpness` is
  /// 0 to 7. The steps from the start on that have at least kLeastEdgesOfADispatch edges become a
  /// dispatch each, all behind them one. Throws Error (usage) when `sharpness` is out of range, an
  /// edge leaves its plane, there are more steps than edges in the definition's order can have, or
  /// the last submit() is still in flight: it reads the edges that it was given. Whoever submits
  /// list() or another list of record() itself sees to that.
  void set_edges(const vp9::EdgeSteps& schedule, std::size_t steps, int sharpness);

  /// The edges of the next submission in superblock waves: a dispatch a wave, whatever the edges.
  /// Otherwise as above; throws Error (usage) also when a wave has more
  /// superblocks than the planes.
  void set_edges(const vp9::WaveScheduler& schedule, int sharpness);

  /// Filters the picture that is in the buffer. Where memory is staged, planes that have rows go to
  /// the device and back.
  [[nodiscard]] Ticket submit();

  /// How many edges each dispatch of set_edges(schedule, steps) has.
  [[nodiscard]] static std::vector<std::size_t> dispatch_sizes(const vp9::EdgeSteps& schedule,
                                                               std::size_t steps);

  /// What submit() gives to the device. Valid until the next set_edges().
  [[nodiscard]] CommandList& list();

  /// Records what list() has but the copies of the planes: for whoever moves the picture itself.
  /// The edges must not change as long as the list is used.
  void record(CommandList& list) const;

  /// Of the next submission.
  [[nodiscard]] std::size_t dispatches() const { return dispatches_; }

  /// Of planes and their rows, in bytes: shaders load two words at once.
  static constexpr std::size_t kPlaneAlignment = 8;

  static constexpr std::size_t kLeastEdgesOfADispatch = 1024;

 private:
  static constexpr std::size_t kMostRecorded = 4096;  ///< dispatches

  [[nodiscard]] std::size_t sample_bytes() const { return bits_ == 8 ? 1 : 2; }
  [[nodiscard]] std::array<std::uint32_t, 2> strides_in_words() const;
  void require_done() const;
  void pack_edges(std::span<const vp9::LoopFilterEdge> edges, int sharpness);
  void make_waves();
  void record_levels(CommandList& list) const;
  void record_waves(CommandList& list) const;
  [[nodiscard]] std::unique_ptr<CommandList> record_with_copies() const;

  // What superblock waves need besides; made when first asked for.
  struct Waves {
    std::shared_ptr<Program> program;
    std::shared_ptr<Buffer> steps, superblocks, waves;
    std::uint32_t widest;  ///< superblocks that a wave can have
    RecordedLists lists{kMostRecorded};
  };

  Device& device_;
  std::shared_ptr<Buffer> picture_;
  PicturePlanes planes_;
  int bits_;
  std::shared_ptr<Program> level_program_;
  std::shared_ptr<Buffer> edge_buffer_;
  std::shared_ptr<Buffer> round_buffer_;
  std::shared_ptr<Buffer> dispatch_buffer_;
  std::size_t most_steps_ = 0;
  std::size_t large_steps_ = 0;  ///< of the next submission: of a dispatch each
  std::size_t dispatches_ = 0;
  vp9::FilterOrder order_ = vp9::FilterOrder::levels;  ///< of the next submission
  RecordedLists lists_{kMostRecorded};                 ///< of levels, the last dispatch of several
  RecordedLists lists_of_large_steps_{kMostRecorded};
  std::optional<Waves> waves_;
  Ticket last_submission_;
};

}  // namespace sidecore::qpu
