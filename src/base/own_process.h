// Detects copies of objects that fork() made. fork() copies a library's objects, but not their
// threads or their device. Using such a copy in the child would wait for ever or disturb the
// parent's work on the GPU.
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace sidecore {

/// Remembers the process in which an object was created.
class OwnProcess {
 public:
  /// Returns true in the process that created this object, and false in a child that fork() created
  /// later.
  [[nodiscard]] bool is_here() const { return ::getpid() == process_; }

 private:
  pid_t process_ = ::getpid();
};

}  // namespace sidecore
