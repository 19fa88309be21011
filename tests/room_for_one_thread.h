// A process that can start no more threads.
#pragma once

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace sidecore::test {

/// While it lives, one thread can be started and no second one beside it: there are no addresses
/// left for its stack.
class RoomForOneThread {
 public:
  RoomForOneThread() {
    constexpr std::size_t kStack = std::size_t{256} << 20;
    ::pthread_getattr_default_np(&before_);
    pthread_attr_t large;
    ::pthread_getattr_default_np(&large);
    ::pthread_attr_setstacksize(&large, kStack);
    ::pthread_setattr_default_np(&large);
    ::pthread_attr_destroy(&large);

    ::getrlimit(RLIMIT_AS, &limit_);
    rlimit tight = limit_;
    tight.rlim_cur = addresses_in_use() + kStack + kStack / 2;
    ::setrlimit(RLIMIT_AS, &tight);
  }
  ~RoomForOneThread() {
    ::setrlimit(RLIMIT_AS, &limit_);
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  RoomForOneThread(const RoomForOneThread&) = delete;
  RoomForOneThread& operator=(const RoomForOneThread&) = delete;

 private:
  static std::size_t addresses_in_use() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  }

  pthread_attr_t before_{};
  rlimit limit_{};
};

}  // namespace sidecore::test
