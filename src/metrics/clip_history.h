// What scores of a clip's picture look back at.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sidecore::metrics {

/// The pictures before the next one of a clip, kept by shared pointers to whatever a scorer has
/// them in.
template <class Picture>
class ClipHistory {
 public:
  using Pictures = std::vector<std::shared_ptr<const Picture>>;

  /// As many pictures as the features need that look back farthest.
  void set_depth(std::size_t depth) { depth_ = depth; }
  /// The nearest first; fewer than the depth at a clip's beginning.
  [[nodiscard]] const Pictures& earlier() const { return earlier_; }
  /// The picture comes before the next one.
  void add(std::shared_ptr<const Picture> picture) {
    if (depth_ == 0) return;
    if (earlier_.size() == depth_) earlier_.pop_back();
    earlier_.insert(earlier_.begin(), std::move(picture));
  }
  /// Another clip begins.
  void clear() { earlier_.clear(); }

 private:
  std::size_t depth_ = 0;
  Pictures earlier_;
};

}  // namespace sidecore::metrics
