// The dispatches of other authors whose times on a Raspberry Pi 5 are published and whose designs
// are in shaders/vp9/baselines, at their published sizes. scripts/v3dsim-calibration runs the same
// shaders, sizes and inputs on the simulated V3D, and compares the timing model with their times.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::bench {

/// A dispatch whose time is published.
struct PublishedDispatch {
  const char* name;     ///< name in scripts/v3dsim-calibration, for example "inverse_dct_64"
  const char* what;     ///< the kernel in words
  double published_ms;  ///< published time from submit to fence in ms, on a Raspberry Pi 5
};

[[nodiscard]] std::span<const PublishedDispatch> published_dispatches();

/// A recorded dispatch and its buffers.
class RecordedDispatch {
 public:
  /// Records the dispatch with its initial contents. Throws Error (environment) if the device lacks
  /// something that the shader needs, Error (usage) for an unknown name.
  RecordedDispatch(qpu::Device& device, const PublishedDispatch& dispatch);

  /// Writes the initial contents, because some of the shaders change their input.
  void restore();
  [[nodiscard]] qpu::CommandList& list() { return *list_; }

 private:
  struct Contents {
    std::shared_ptr<qpu::Buffer> buffer;
    std::vector<std::byte> initial;
  };

  std::vector<Contents> buffers_;
  std::unique_ptr<qpu::CommandList> list_;
};

}  // namespace sidecore::bench
