// Fuzzes the C library with any bytes as the body of an IVF file whose packets are lost, cut,
// swapped or repeated. Only errors that its header documents may occur, pictures must not change
// while they are held, and no memory may leak. Seeds are real streams.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sidecore/decoder.h"

namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kFileHeader = 32;
constexpr std::size_t kPacketHeader = 12;
// Limit of a frame's samples, so that each execution is short.
constexpr std::int64_t kMaxSamples = 1 << 14;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Blocks of memory that the decoder holds. Each is a separate allocation, so that the sanitizer
/// detects accesses outside of it.
struct Blocks {
  std::map<void*, std::unique_ptr<std::byte[]>> live;  // blocks by their aligned address

  static void* allocate(void* cookie, const sidecore_memory_layout* layout) {
    const std::size_t room = layout->bytes + layout->alignment;
    auto block = std::make_unique<std::byte[]>(room);
    void* begin = block.get();
    std::size_t space = room;
    require(std::align(layout->alignment, layout->bytes, begin, space) != nullptr);
    static_cast<Blocks*>(cookie)->live.emplace(begin, std::move(block));
    return begin;
  }
  static void release(void* cookie, void* data) {
    require(static_cast<Blocks*>(cookie)->live.erase(data) == 1);
  }
};

/// Returns the FNV-1a hash of all samples.
std::uint64_t checksum(const sidecore_picture* picture) {
  sidecore_picture_info info{};
  info.size = sizeof info;
  require(sidecore_picture_get_info(picture, &info) == SIDECORE_OK);
  require(std::int64_t{info.width} * info.height <= kMaxSamples);
  std::uint64_t sum = 0xcbf29ce484222325;
  for (int plane = 0; plane < 3; ++plane) {
    const int bytes = info.plane_width[plane] * (info.bits > 8 ? 2 : 1);
    for (int y = 0; y < info.plane_height[plane]; ++y) {
      const auto* const row =
          static_cast<const std::uint8_t*>(info.data[plane]) + y * info.stride[plane];
      for (int x = 0; x < bytes; ++x) sum = (sum ^ row[x]) * 0x100000001b3;
    }
  }
  return sum;
}

class Caller {
 public:
  explicit Caller(Bytes wishes) {
    sidecore_decoder_options options{};
    options.size = sizeof options;
    // Several threads are used rarely, because they are started for each execution.
    options.threads = (wishes[0] & 7) == 7 ? 2 : 1;
    options.low_delay = wishes[1] & 1;
    options.hidden_frames = wishes[1] >> 1 & 1;
    options.max_luma_samples = kMaxSamples;
    if ((wishes[2] & 1) != 0) options.allocator = {&blocks_, Blocks::allocate, Blocks::release};
    require(sidecore_decoder_open(&decoder_, &options) == SIDECORE_OK);
  }
  ~Caller() {
    sidecore_decoder_close(decoder_);
    for (const auto& [picture, sum] : held_) {
      require(checksum(picture) == sum);
      sidecore_picture_unref(picture);
    }
    require(blocks_.live.empty());
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void send(Bytes packet) {
    judge(sidecore_decoder_send(decoder_, packet.data(), packet.size(), sent_++, nullptr));
    take();
  }
  void drain() {
    judge(sidecore_decoder_drain(decoder_));
    take();
  }
  void flush() {
    require(sidecore_decoder_flush(decoder_) == SIDECORE_OK);
    sidecore_picture* picture = nullptr;
    require(sidecore_decoder_get_picture(decoder_, &picture) == SIDECORE_ERROR_AGAIN);
  }

 private:
  static void judge(int error) {
    require(error == SIDECORE_OK || error == SIDECORE_ERROR_DATA);
    require(error == SIDECORE_OK || *sidecore_last_error() != '\0');
  }
  /// Takes pictures in packet order and holds some of them for later.
  void take() {
    sidecore_picture* picture = nullptr;
    while (sidecore_decoder_get_picture(decoder_, &picture) == SIDECORE_OK) {
      sidecore_picture_info info{};
      info.size = sizeof info;
      require(sidecore_picture_get_info(picture, &info) == SIDECORE_OK);
      require(info.time_stamp >= last_shown_ && info.time_stamp < sent_);
      last_shown_ = info.time_stamp;
      held_.emplace_back(picture, checksum(picture));
      if (held_.size() <= 3) continue;
      require(checksum(held_.front().first) == held_.front().second);
      sidecore_picture_unref(held_.front().first);
      held_.erase(held_.begin());
    }
  }

  Blocks blocks_;
  sidecore_decoder* decoder_ = nullptr;
  std::int64_t sent_ = 0;
  std::int64_t last_shown_ = 0;
  std::vector<std::pair<sidecore_picture*, std::uint64_t>> held_;
};

}  // namespace

// The last bytes of the file header, which are unused in IVF, select the options. The last bytes of
// a packet's time stamp, which are 0 in real streams, select what happens to the packet.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < kFileHeader) return -1;
  Caller caller({bytes + 28, 4});
  Bytes file = std::span(bytes, size).subspan(kFileHeader);
  Bytes late;
  while (file.size() > kPacketHeader) {
    const std::size_t claimed = file[0] | std::size_t{file[1]} << 8;
    const unsigned fate = file[11];
    const unsigned part = file[10];
    file = file.subspan(kPacketHeader);
    Bytes packet = file.first(std::min(claimed, file.size()));
    file = file.subspan(packet.size());
    if ((fate & 0x04U) != 0) packet = packet.first(packet.size() * part / 256);
    switch (fate & 0x03U) {
      case 1:  // the packet is lost
        break;
      case 2:  // the packet is moved after the next one
        if (late.empty()) {
          late = packet;
          continue;
        }
        caller.send(packet);
        break;
      case 3:
        caller.send(packet);
        caller.send(packet);
        break;
      default:
        caller.send(packet);
    }
    if (!late.empty()) caller.send(std::exchange(late, {}));
    if ((fate & 0x08U) != 0) caller.drain();
    if ((fate & 0x10U) != 0) caller.flush();
  }
  caller.drain();
  return 0;
}
