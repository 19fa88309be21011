#include "video/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace sidecore::video {

ByteStream::ByteStream(const std::string& path)
    : name_(path == "-" ? "standard input" : "'" + path + "'") {
  if (path == "-") {
    fd_ = STDIN_FILENO;
    return;
  }
  if (path.empty()) throw usage_error("an input file has an empty name");
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw errno_error(ErrorKind::usage, fmt::format("cannot open {}", name_), errno);
  struct stat info {};
  const bool known = ::fstat(fd_, &info) == 0;
  const char* complaint = nullptr;
  if (known && S_ISDIR(info.st_mode)) complaint = "it is a directory";
  if (known && S_ISREG(info.st_mode) && info.st_size == 0) complaint = "it is empty";
  if (complaint != nullptr) {
    ::close(fd_);
    throw usage_error("cannot read {}: {}", name_, complaint);
  }
  owns_fd_ = true;
  if (known && S_ISREG(info.st_mode)) size_ = static_cast<std::uint64_t>(info.st_size);
}

ByteStream::~ByteStream() {
  if (owns_fd_) ::close(fd_);
}

void ByteStream::throw_read_error(int errno_value) const {
  throw errno_error(ErrorKind::usage, fmt::format("cannot read {}", name_), errno_value);
}

std::size_t ByteStream::read_fd(std::span<std::byte> bytes) {
  while (true) {
    const ssize_t got = ::read(fd_, bytes.data(), bytes.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw_read_error(errno);
  }
}

std::size_t ByteStream::take_buffered(std::span<std::byte> bytes) {
  const std::size_t count = std::min(bytes.size(), end_ - begin_);
  if (count > 0) std::memcpy(bytes.data(), buffer_.data() + begin_, count);
  begin_ += count;
  return count;
}

std::string_view ByteStream::peek(std::size_t count) {
  count = std::min(count, kBufferBytes);
  if (end_ - begin_ < count) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    while (end_ < count) {
      const std::size_t got = read_fd(std::span(buffer_).subspan(end_));
      if (got == 0) break;
      end_ += got;
    }
  }
  return {reinterpret_cast<const char*>(buffer_.data()) + begin_, std::min(count, end_ - begin_)};
}

std::size_t ByteStream::read(std::span<std::byte> bytes) {
  return read_rows(bytes.data(), bytes.size(), bytes.size(), 1);
}

bool ByteStream::read(std::vector<std::uint8_t>& bytes, std::size_t count) {
  constexpr std::size_t kPieceBytes = 1U << 20U;
  bytes.clear();
  while (bytes.size() < count) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(count - before, kPieceBytes));
    const auto piece = std::as_writable_bytes(std::span(bytes).subspan(before));
    if (read(piece) < piece.size()) return false;
  }
  return true;
}

std::size_t ByteStream::read_some(std::span<std::byte> bytes) {
  return begin_ < end_ ? take_buffered(bytes) : read_fd(bytes);
}

std::size_t ByteStream::read_rows(std::byte* first, std::size_t row_bytes, std::size_t stride,
                                  std::size_t rows) {
  if (stride == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  const std::size_t wanted = row_bytes * rows;
  std::size_t done = 0;
  while (done < wanted && begin_ < end_) {
    const std::size_t column = done % row_bytes;
    done += take_buffered({first + done / row_bytes * stride + column, row_bytes - column});
  }
  // The rows are read by readv(), which fills many rows with one system call and skips the padding
  // between them.
  std::array<iovec, 512> pieces;
  while (done < wanted) {
    std::size_t count = 0;
    std::size_t column = done % row_bytes;
    for (std::size_t row = done / row_bytes; row < rows && count < pieces.size(); ++row) {
      pieces[count++] = {first + row * stride + column, row_bytes - column};
      column = 0;
    }
    const ssize_t got = ::readv(fd_, pieces.data(), static_cast<int>(count));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_read_error(errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

bool ByteStream::read_line(std::string& line) {
  // Only as many bytes as a short line has are requested, because a pipe's writer may hold back
  // more.
  for (std::size_t count = 1; count <= kMaxLine;) {
    const std::string_view seen = peek(count);
    const std::size_t newline = seen.find('\n');
    if (newline != std::string_view::npos) {
      line.assign(seen.substr(0, newline));
      begin_ += newline + 1;
      return true;
    }
    if (seen.size() < count) return false;
    count = std::max(count + 1, end_ - begin_);
  }
  return false;
}

}  // namespace sidecore::video
