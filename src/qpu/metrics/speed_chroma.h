// Host side of the QPU implementation of metrics/speed_chroma_reduction.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "metrics/speed_chroma_reduction.h"
#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::qpu {

/// Records the reduction of planes in device-visible buffers, as one dispatch. Its floats equal
/// those of metrics::SpeedReducer::reduce_row() bit by bit.
class SpeedChroma {
 public:
  static constexpr std::size_t kMaxPlanes = 4;

  /// Creates the recorder; `reduction` must outlive it.
  SpeedChroma(Device& device, const metrics::SpeedReduction& reduction);

  /// Records the reduction of one to kMaxPlanes planes. A plane's range must begin with its first
  /// sample; all planes have one stride in bytes, a multiple of 16. `reduced` receives one plane of
  /// binary32 samples for each, one after the other, row by row without padding. Throws Error
  /// (usage) if the stride or a range is too small for the rows.
  void record(CommandList& list, std::span<const BufferRange> planes, std::size_t stride,
              const BufferRange& reduced) const;

 private:
  const metrics::SpeedReduction* reduction_;
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> places_;  // positions of scaled samples; null if planes are not scaled
};

}  // namespace sidecore::qpu
