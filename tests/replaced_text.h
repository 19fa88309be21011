// Replaces a part of a text.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace sidecore::test {

/// Returns the text with the first `from` replaced by `to`. `from` must occur.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace sidecore::test
