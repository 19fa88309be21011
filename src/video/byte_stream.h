// Reads the bytes of a file, a pipe or standard input once, from start to end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sidecore::video {

/// A stream of bytes. The kernel writes sample data directly to its destination; only headers pass
/// through the stream's small buffer.
class ByteStream {
 public:
  /// Opens `path`; "-" is standard input. Throws Error (usage) if it is missing, unreadable, a
  /// directory, or an empty file.
  explicit ByteStream(const std::string& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Returns the stream's name for messages: the path in quotes, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Returns true if the path can be opened again and then read from its first byte.
  [[nodiscard]] bool reopenable() const { return size_.has_value(); }
  /// Returns the size of a regular file in bytes; nullopt for pipes and standard input.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

  /// Returns the next bytes without consuming them: `count` (at most kBufferBytes), or fewer at the
  /// end.
  [[nodiscard]] std::string_view peek(std::size_t count);

  /// Reads up to bytes.size() bytes and returns their number, which is less only at the end. Throws
  /// Error (usage) on a read error.
  std::size_t read(std::span<std::byte> bytes);

  /// Reads `count` bytes into `bytes`, reusing its memory; returns false if the stream ends before.
  /// Memory is allocated piece by piece, only for bytes that exist.
  bool read(std::vector<std::uint8_t>& bytes, std::size_t count);

  /// Reads the bytes that are available now: at least one, or none at the end.
  std::size_t read_some(std::span<std::byte> bytes);

  /// Fills `rows` rows of `row_bytes` bytes that start `stride` bytes apart. Returns the number of
  /// bytes read, which is less than rows * row_bytes only at the end.
  std::size_t read_rows(std::byte* first, std::size_t row_bytes, std::size_t stride,
                        std::size_t rows);

  /// Longest line, in bytes, that read_line() reads. It returns a line without its '
  /// '. If the next kMaxLine bytes contain no '
  /// ', it returns false and consumes nothing.
  static constexpr std::size_t kMaxLine = 4096;
  bool read_line(std::string& line);

 private:
  static constexpr std::size_t kBufferBytes = kMaxLine;

  std::size_t take_buffered(std::span<std::byte> bytes);
  std::size_t read_fd(std::span<std::byte> bytes);
  [[noreturn]] void throw_read_error(int errno_value) const;

  std::string name_;
  int fd_ = -1;
  bool owns_fd_ = false;
  std::optional<std::uint64_t> size_;
  std::array<std::byte, kBufferBytes> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace sidecore::video
