// The line that a call fails with.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace sidecore::test {

/// what() of the Error that `call` throws. Not throwing fails the test.
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
