// A pool of objects that are lent and reused.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace sidecore {

/// Lends objects as shared pointers. An object is free when only the pool holds a pointer to it.
/// The pool may be used by one thread at a time; lent objects may be released on any thread.
template <class Object>
class SharedPool {
 public:
  using Pointer = std::shared_ptr<Object>;

  /// Returns the first free object for which fits(object) is true; null if there is none.
  template <class Fits>
  [[nodiscard]] Pointer find_free(const Fits& fits) const {
    const auto found = std::ranges::find_if(
        objects_, [&](const Pointer& object) { return is_free(object) && fits(*object); });
    return found != objects_.end() ? *found : nullptr;
  }
  /// Returns the free object that comes first in the order given by before(a, b); null if none is
  /// free.
  template <class Before>
  [[nodiscard]] Pointer first_free(const Before& before) const {
    const Pointer* first = nullptr;
    for (const Pointer& object : objects_) {
      if (is_free(object) && (first == nullptr || before(*object, **first))) first = &object;
    }
    return first != nullptr ? *first : nullptr;
  }
  /// Adds an object and lends it to the caller.
  Pointer add(Pointer object) { return objects_.emplace_back(std::move(object)); }
  /// Removes all free objects for which unfit(object) is true.
  template <class Unfit>
  void drop_free(const Unfit& unfit) {
    std::erase_if(objects_,
                  [&](const Pointer& object) { return is_free(object) && unfit(*object); });
  }
  /// Returns true if the object is held by others than the pool and the caller, which must hold it
  /// by one pointer only.
  [[nodiscard]] static bool is_held_elsewhere(const Pointer& object) {
    return object.use_count() > 2;
  }
  /// Returns all objects, free or lent.
  [[nodiscard]] const std::vector<Pointer>& objects() const { return objects_; }

 private:
  static bool is_free(const Pointer& object) { return object.use_count() == 1; }

  std::vector<Pointer> objects_;
};

}  // namespace sidecore
