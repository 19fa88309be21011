// Pictures that the scores of a clip's next picture depend on.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace sidecore::metrics {

/// The pictures before a clip's next one. They are shared pointers to the scorer's own picture
/// type.
template <class Picture>
class ClipHistory {
 public:
  using Pictures = std::vector<std::shared_ptr<const Picture>>;

  /// Sets how many pictures are kept: as many as any feature looks back.
  void set_depth(std::size_t depth) { depth_ = depth; }
  /// Returns the nearest picture first; at a clip's start there are fewer than the depth.
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
