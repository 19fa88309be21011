// Objects that are lent again and again.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace sidecore {

/// Lends objects as shared pointers. An object is free again once nobody but the pool holds it. One
/// thread at a time calls the pool; what is lent may be let go on any.
template <class Object>
class SharedPool {
 public:
  using Pointer = std::shared_ptr<Object>;

  /// A free object of which fits(object) holds, the first one; null when there is none.
  template <class Fits>
  [[nodiscard]] Pointer find_free(const Fits& fits) const {
    const auto found = std::ranges::find_if(
        objects_, [&](const Pointer& object) { return is_free(object) && fits(*object); });
    return found != objects_.end() ? *found : nullptr;
  }
  /// The free object of which before(object, other) holds for all other free ones; null when there
  /// is none.
  template <class Before>
  [[nodiscard]] Pointer first_free(const Before& before) const {
    const Pointer* first = nullptr;
    for (const Pointer& object : objects_) {
      if (is_free(object) && (first == nullptr || before(*object, **first))) first = &object;
    }
    return first != nullptr ? *first : nullptr;
  }
  /// Adds an object, which is lent by that.
  Pointer add(Pointer object) { return objects_.emplace_back(std::move(object)); }
  /// Lets the free objects go of which unfit(object) holds.
  template <class Unfit>
  void drop_free(const Unfit& unfit) {
    std::erase_if(objects_,
                  [&](const Pointer& object) { return is_free(object) && unfit(*object); });
  }
  /// Whether somebody holds the object besides the pool and the caller, whose only pointer this is.
  [[nodiscard]] static bool is_held_elsewhere(const Pointer& object) {
    return object.use_count() > 2;
  }
  /// All objects, free or lent.
  [[nodiscard]] const std::vector<Pointer>& objects() const { return objects_; }

 private:
  static bool is_free(const Pointer& object) { return object.use_count() == 1; }

  std::vector<Pointer> objects_;
};

}  // namespace sidecore
