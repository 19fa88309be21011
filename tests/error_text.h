// Returns the message of the error that a call throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace sidecore::test {

/// Returns what() of the Error that `call` throws. If it does not throw, the test fails.
template <class Call>
std::string error_text(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace sidecore::test
