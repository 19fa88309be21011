// The loop filter as a decoder runs it: all edges of a picture, by either schedule, at 8 bits and
// at more.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/vp9/loop_filter_stage.h"

namespace sidecore::shaderdb {

/// What these rows stand under, where kernels have their names.
inline constexpr std::string_view kPictureFilterName = "loop_filter_picture";

struct PictureFilter {
  qpu::LoopFilterOrder schedule = qpu::LoopFilterOrder::levels;
  int bits = 8;

  [[nodiscard]] std::string variant() const;  ///< "levels", "waves, 10 bits"
};

/// Both schedules, at 8 and at 10 bits.
[[nodiscard]] std::vector<PictureFilter> picture_filters();

/// A submission for one of the synthetic clip's pictures, 4:2:0, with edges of all kinds whose
/// levels vary from edge to edge.
class PictureFilterWork {
 public:
  /// Throws Error (usage) for sizes without edges.
  PictureFilterWork(const std::shared_ptr<qpu::Device>& device, const PictureFilter& filter,
                    int width, int height);

  [[nodiscard]] std::size_t edges() const { return edges_; }
  /// Finished.
  [[nodiscard]] qpu::CommandList& list() { return filter_->list(); }

 private:
  std::size_t edges_ = 0;
  std::unique_ptr<qpu::LoopFilter> filter_;
};

}  // namespace sidecore::shaderdb
