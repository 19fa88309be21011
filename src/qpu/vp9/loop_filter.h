// Loop filter of a whole picture on the QPU: records the dispatches.
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

/// Returns the shader for a filter order and samples of `bits` 8 to 12.
[[nodiscard]] Shader loop_filter_shader(vp9::FilterOrder order, int bits = 8);

/// Filters pictures in one buffer, one after another: bytes, or 16-bit words with 9 to 12 bits. A
/// list of dispatches is recorded once and submitted again for every picture with the same number
/// of dispatches, while the list is among the recently used ones. In level order there is one
/// dispatch per large level and one for all other levels; in wave order there is one per wave. Each
/// picture takes one submission and one fence. An instance serves one picture at a time; two
/// pictures in flight need two instances. The device must outlive it.
class LoopFilter {
 public:
  /// Makes the filter. Throws Error (usage) if the planes do not fit the buffer or `bits` is not 8
  /// to 12. Planes and rows must begin at multiples of kPlaneAlignment bytes, otherwise it throws
  /// too.
  LoopFilter(Device& device, std::shared_ptr<Buffer> picture, const PicturePlanes& planes,
             int bits = 8);

  /// Sets the edges of the next submission: the first `steps` dependency levels of `schedule`. The
  /// CPU may filter the remaining levels after the submission, and planes without rows at any time.
  /// `sharpness` is 0 to 7. The leading levels with at least kMinEdgesPerDispatch edges become
  /// one dispatch each; all later ones share one dispatch. Throws Error (usage) in these cases:
  /// - `sharpness` is out of range;
  /// - an edge leaves its plane;
  /// - there are more levels than the planes can have;
  /// - the last submit() is still in flight, because it reads these edges.
  /// A caller that submits list() or its own list must wait itself.
  void set_edges(const vp9::EdgeLevels& schedule, std::size_t steps, int sharpness);

  /// Sets the edges of the next submission in superblock waves: one dispatch per wave. Throws Error
  /// (usage) as the other set_edges(), and if a wave has more superblocks than the planes can have.
  void set_edges(const vp9::WaveScheduler& schedule, int sharpness);

  /// Filters the picture in the buffer. If memory is staged, planes with rows are copied to the
  /// device and back.
  [[nodiscard]] Ticket submit();

  /// Returns the number of edges in each dispatch of set_edges(schedule, steps).
  [[nodiscard]] static std::vector<std::size_t> dispatch_sizes(const vp9::EdgeLevels& schedule,
                                                               std::size_t steps);

  /// Returns the list that submit() submits. Valid until the next set_edges().
  [[nodiscard]] CommandList& list();

  /// Records the commands of list() without the copies of the planes, for a caller that copies the
  /// picture itself. The edges must not change while the list is in use.
  void record(CommandList& list) const;

  /// Returns the number of dispatches of the next submission.
  [[nodiscard]] std::size_t dispatches() const { return dispatches_; }

  /// Alignment of planes and their rows in bytes, because shaders load two words at once.
  static constexpr std::size_t kPlaneAlignment = 8;

  static constexpr std::size_t kMinEdgesPerDispatch = 1024;

 private:
  /// Maximum number of dispatches in all kept lists together.
  static constexpr std::size_t kMaxRecorded = 4096;

  [[nodiscard]] std::size_t sample_bytes() const { return bits_ == 8 ? 1 : 2; }
  [[nodiscard]] std::array<std::uint32_t, 2> strides_in_words() const;
  void require_done() const;
  void pack_edges(std::span<const vp9::LoopFilterEdge> edges, int sharpness);
  void make_waves();
  void record_levels(CommandList& list) const;
  void record_waves(CommandList& list) const;
  [[nodiscard]] std::unique_ptr<CommandList> record_with_copies() const;

  // Objects that only the order by superblock waves needs; made on first use.
  struct Waves {
    std::shared_ptr<Program> program;
    std::shared_ptr<Buffer> steps, superblocks, waves;
    std::uint32_t widest;  ///< maximum number of superblocks in a wave
    RecordedLists lists{kMaxRecorded};
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
  /// Number of levels with their own dispatch in the next submission.
  std::size_t large_steps_ = 0;
  std::size_t dispatches_ = 0;
  vp9::FilterOrder order_ = vp9::FilterOrder::levels;  ///< filter order of the next submission
  /// Lists in level order whose last dispatch has several levels.
  RecordedLists lists_{kMaxRecorded};
  RecordedLists lists_of_large_steps_{kMaxRecorded};
  std::optional<Waves> waves_;
  Ticket last_submission_;
};

}  // namespace sidecore::qpu
