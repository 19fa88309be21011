// Workloads of one test content, in sequence.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gates/kernel.h"
#include "gates/options.h"
#include "video/source.h"

namespace sidecore::gates {

/// Source of workloads. Synthetic content never ends: workload k has the seed options.seed + k. A
/// clip gives one workload per picture, read on demand, and ends with the clip or after
/// options.frames. A kernel that needs more than pictures reads the clip itself
/// (Kernel::open_clip).
class WorkloadSource {
 public:
  /// Opens the source. Throws Error (usage) for Content::input without a clip, and for a clip that
  /// cannot be read.
  WorkloadSource(const Kernel& kernel, const GateOptions& options, Content content);

  /// Returns the next workload; null at the end of the clip. Throws the exceptions of
  /// Kernel::make_workload() and of the clip's reader.
  [[nodiscard]] std::unique_ptr<Workload> next();

  /// Returns the source of the last workload: "seed 17", "picture 3 of clip.y4m".
  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] bool endless() const { return request_.content != Content::input; }

 private:
  [[nodiscard]] std::unique_ptr<Workload> next_of_clip();
  [[nodiscard]] std::unique_ptr<Workload> next_picture();

  const Kernel& kernel_;
  const GateOptions& options_;
  WorkloadRequest request_;
  std::uint64_t made_ = 0;
  // Source of a clip's workloads; a clip sets one of these two members.
  std::unique_ptr<ClipWorkloads> clip_;
  std::unique_ptr<video::PictureSource> source_;
  std::shared_ptr<const video::Picture> previous_;
  std::string origin_;
};

}  // namespace sidecore::gates
