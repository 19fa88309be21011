// Workloads of one content, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gates/kernel.h"
#include "gates/options.h"
#include "video/source.h"

namespace sidecore::gates {

/// Synthetic content never ends: workload k has seed options.seed + k. A clip gives one workload a
/// picture, read when it is asked for, and ends with the clip or with options.frames; a kernel that
/// needs more than the picture reads the clip itself (Kernel::open_clip).
class WorkloadSource {
 public:
  /// Throws Error (usage) when Content::input is asked for without a clip, or the clip is bad.
  WorkloadSource(const Kernel& kernel, const GateOptions& options, Content content);

  /// Null at the end of the clip. Throws what Kernel::make_workload() and the clip's source do.
  [[nodiscard]] std::unique_ptr<Workload> next();

  /// Where the last workload came from: "seed 17", "picture 3 of clip.y4m".
  [[nodiscard]] const std::string& origin() const { return origin_; }
  [[nodiscard]] bool endless() const { return request_.content != Content::input; }

 private:
  [[nodiscard]] std::unique_ptr<Workload> next_of_clip();
  [[nodiscard]] std::unique_ptr<Workload> next_picture();

  const Kernel& kernel_;
  const GateOptions& options_;
  WorkloadRequest request_;
  std::uint64_t made_ = 0;
  std::unique_ptr<ClipWorkloads> clip_;  // one of these two, where there is a clip
  std::unique_ptr<video::PictureSource> source_;
  std::shared_ptr<const video::Picture> previous_;
  std::string origin_;
};

}  // namespace sidecore::gates
