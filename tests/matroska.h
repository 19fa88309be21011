// Elements of Matroska files, for tests that write or change such files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sidecore::test {

/// Returns an integer as big-endian bytes.
inline std::string big_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t left = bytes; left > 0; --left) {
    text.push_back(static_cast<char>(value >> (8 * (left - 1)) & 0xff));
  }
  return text;
}

/// Returns an EBML element.
inline std::string element(const std::string& id, const std::string& content) {
  const std::size_t size = content.size();
  return id + (size < 127 ? big_endian(0x80 | size, 1) : big_endian(1ULL << 56U | size, 8)) +
         content;
}

}  // namespace sidecore::test
