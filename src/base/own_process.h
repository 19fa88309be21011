// fork() copies a library's objects, but neither their threads nor their device: what the child
// does with such a copy waits for ever, or reaches the parent's work on the GPU.
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace sidecore {

/// Remembers the process that made an object.
class OwnProcess {
 public:
  /// Returns true in that process, false in a child that fork() made since.
  [[nodiscard]] bool is_here() const { return ::getpid() == process_; }

 private:
  pid_t process_ = ::getpid();
};

}  // namespace sidecore
