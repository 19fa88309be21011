// The signals of a process are its application's: no thread of a library takes any, nor one of what
// the library calls.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): <csignal> has no masks

namespace sidecore {

/// Blocks the calling thread's signals while it lives, so that threads started meanwhile have them
/// blocked for good. Not those that a thread brings on itself (SIGSEGV and the like), whose
/// handlers are to find where.
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
