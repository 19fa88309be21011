// Keeps a library's threads, and the threads of libraries that it calls, from receiving the
// application's signals.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no masks

namespace sidecore {

/// Blocks the calling thread's signals while the object exists. Threads that are started meanwhile
/// keep them blocked for their whole life. Signals that a thread causes itself (SIGSEGV and
/// similar) stay unblocked, because their handlers must find the place of the fault.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    ::sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
      ::sigdelset(&blocked, own);
    }
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace sidecore
