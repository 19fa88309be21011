// QPU implementation of metrics/speed_chroma_reduction.h: host side.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "metrics/speed_chroma_reduction.h"
#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::qpu {

/// Records the reduction of planes that lie in device-visible buffers, as one dispatch: the floats
/// of metrics::SpeedReducer::reduce_row(), bit for bit.
class SpeedChroma {
 public:
  static constexpr std::size_t kMostPlanes = 4;

  /// `reduction` outlives the object.
  SpeedChroma(Device& device, const metrics::SpeedReduction& reduction);

  /// One to kMostPlanes planes, bound as ranges whose first byte is the first sample; the stride of
  /// all is in bytes and a multiple of 16. `reduced` receives a plane of binary32 samples for each,
  /// one behind the other, row after row without padding. Throws Error (usage) for a stride or a
  /// range that does not hold the rows.
  void record(CommandList& list, std::span<const BufferRange> planes, std::size_t stride,
              const BufferRange& reduced) const;

 private:
  const metrics::SpeedReduction* reduction_;
  std::shared_ptr<Program> program_;
  std::shared_ptr<Buffer> places_;  // of samples that are scaled; null if there are none
};

}  // namespace sidecore::qpu
