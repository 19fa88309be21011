// Bytes of a file, a pipe or standard input, read once from front to back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sidecore::video {

/// Sample data goes from the kernel straight to where it belongs; only headers pass through the
/// stream's small buffer.
class ByteStream {
 public:
  /// Opens `path`, "-" for standard input. Throws Error (usage) when it is missing, unreadable, a
  /// directory, or a file without a byte in it.
  explicit ByteStream(const std::string& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// For messages: the path in quotes, or "standard input".
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Whether another reader may open the same path and start from its first byte.
  [[nodiscard]] bool reopenable() const { return size_.has_value(); }
  /// Bytes of the whole file, where it is one; nothing of pipes and standard input.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

  /// The next bytes without taking them: `count` (at most kBufferBytes), or fewer at the end.
  [[nodiscard]] std::string_view peek(std::size_t count);

  /// Takes up to bytes.size() bytes; fewer only at the end. Throws Error (usage) on a read error.
  std::size_t read(std::span<std::byte> bytes);

  /// Takes what is there, at least one byte unless at the end.
  std::size_t read_some(std::span<std::byte> bytes);

  /// Fills `rows` rows of `row_bytes` bytes that start `stride` bytes apart; returns the number of
  /// bytes taken, which is less than rows * row_bytes only at the end.
  std::size_t read_rows(std::byte* first, std::size_t row_bytes, std::size_t stride,
                        std::size_t rows);

  /// Takes a line up to and without its '\n'. False, with nothing taken, when there is no '\n'
  /// among the next kMaxLine bytes.
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
