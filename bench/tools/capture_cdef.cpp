// Captures what CDEF reads and writes while libaom decodes an AV1 stream: the linker's --wrap gives
// this program the calls of two functions of its static library.
//
// capture_cdef STREAM.ivf PREFIX FRAMES EVERY: writes every EVERY-th frame that CDEF changes, at
// most FRAMES, to PREFIX-NUMBER.cdef in the format of bench/av1/cdef_capture.h. Prints the number
// of packets and of frames that CDEF changes, then a line for each: its number and its filtered
// blocks.
//
// capture_cdef STREAM.ivf count FRAMES EVERY: counts what libaom's CDEF takes for the same frames,
// in the emulator of scripts/armsim-cycles.
#include <aom/aom_decoder.h>
#include <aom/aomdx.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "av1/cdef_capture.h"
#include "base/error.h"
#include "tools/instruction_count.h"

// Names and parameters are libaom's; the linker requires the names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

/// First members of libaom's YV12_BUFFER_CONFIG (versions 3.6 to 3.12): luma first, then chroma.
struct AomFrameBuffer {
  std::array<int, 2> widths, heights;  ///< rounded up to multiples of 8 luma samples
  std::array<int, 2> shown_widths, shown_heights;
  std::array<int, 2> strides;  ///< distance between rows in samples
  /// First samples of the planes; half of the address if samples have 16 bits.
  std::array<std::uint8_t*, 3> planes;
};
/// A block of 8x8 luma samples: its row and column in the filter block.
struct AomCdefBlock {
  std::uint8_t row, column;
};

void __real_av1_cdef_frame(AomFrameBuffer* frame, void* common, void* block, void* init_row);
void __wrap_av1_cdef_frame(AomFrameBuffer* frame, void* common, void* block, void* init_row);
void __real_av1_cdef_filter_fb(std::uint8_t* to_8, std::uint16_t* to_16, int stride,
                               const std::uint16_t* from, int chroma_x, int chroma_y,
                               int (*direction)[8], int* have_direction, int (*variance)[8],
                               int plane, AomCdefBlock* blocks, int count, int primary,
                               int secondary, int damping, int extra_bits);
void __wrap_av1_cdef_filter_fb(std::uint8_t* to_8, std::uint16_t* to_16, int stride,
                               const std::uint16_t* from, int chroma_x, int chroma_y,
                               int (*direction)[8], int* have_direction, int (*variance)[8],
                               int plane, AomCdefBlock* blocks, int count, int primary,
                               int secondary, int damping, int extra_bits);
}

namespace sidecore::bench {
namespace {

/// The capture of a stream. libaom's functions have no argument for it, so there is one.
class Capture {
 public:
  Capture(const std::string& prefix, std::size_t most, std::size_t every)
      : prefix_(prefix), counting_(prefix == "count"), most_(most), every_(every) {
    if (aom_codec_dec_init(&decoder_, aom_codec_av1_dx(), &kOptions, 0) != AOM_CODEC_OK) {
      throw environment_error("libaom's decoder cannot be opened");
    }
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { aom_codec_destroy(&decoder_); }

  void decode(std::span<const std::uint8_t> packet) {
    ++packets_;
    if (aom_codec_decode(&decoder_, packet.data(), packet.size(), nullptr) != AOM_CODEC_OK) {
      throw usage_error("packet {} cannot be decoded: {}", packets_, aom_codec_error(&decoder_));
    }
    aom_codec_iter_t position = nullptr;
    while (aom_codec_get_frame(&decoder_, &position) != nullptr) {
    }
    if (!failure_.empty()) throw usage_error("{}", failure_);
  }

  /// Runs libaom's filter on a frame. Called by libaom, so it must not throw.
  template <class Filter>
  void frame(const AomFrameBuffer& buffer, const Filter& filter) noexcept {
    const std::size_t number = frames_++;
    const bool wanted = number % every_ == 0 && written_ < most_;
    if (wanted) ++written_;
    if (counting_) {
      if (!wanted) return filter();
      log_instructions();
      filter();
      log_instructions();
      fmt::print("libaom\t{}\n", number);
      return;
    }
    try {
      begin(buffer);
      filter();
      int& filtered = filtered_.emplace_back(0);
      for (const std::uint64_t mask : current_->frame.filtered) filtered += std::popcount(mask);
      copy(buffer, current_->after);
      if (wanted) write(number);
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    current_.reset();
  }

  /// Notes the blocks of a filter block that libaom filters in one plane.
  void filter_block(const void* to, int plane, std::span<const AomCdefBlock> blocks,
                    const av1::CdefStrength& strength, int damping) {
    if (!current_) return;
    const video::PictureFormat& format = current_->before.format();
    const auto stride = static_cast<std::size_t>(strides_[plane == 0 ? 0 : 1]);
    const std::size_t at =
        (reinterpret_cast<std::uintptr_t>(to) - planes_[static_cast<std::size_t>(plane)]) /
        format.pixel.bytes_per_sample();
    const std::size_t side = plane == 0 ? 64 : 32;
    const av1::CdefGrid grid(format);
    const std::size_t index =
        at / stride / side * static_cast<std::size_t>(grid.filter_columns) + at % stride / side;
    current_->frame.damping = damping;
    (plane == 0 ? current_->frame.strengths.at(index).luma
                : current_->frame.strengths.at(index).chroma) = strength;
    for (const AomCdefBlock& block : blocks) {
      current_->frame.filtered.at(index) |= std::uint64_t{1} << (8 * block.row + block.column);
    }
  }

  void report() const {
    fmt::print("{} packets, {} frames that CDEF changes, {} captured\n", packets_, frames_,
               written_);
    for (std::size_t number = 0; number < filtered_.size(); ++number) {
      fmt::print("{}\t{}\n", number, filtered_[number]);
    }
  }

 private:
  // One thread, so that the functions that can be wrapped do the work.
  static constexpr aom_codec_dec_cfg_t kOptions{
      .threads = 1, .w = 0, .h = 0, .allow_lowbitdepth = 1};

  void begin(const AomFrameBuffer& buffer) {
    int bits = 0;
    if (aom_codec_control(&decoder_, AV1D_GET_BIT_DEPTH, &bits) != AOM_CODEC_OK) {
      throw environment_error("libaom does not tell the bit depth");
    }
    const video::PictureFormat format{
        buffer.widths[0], buffer.heights[0], {video::Chroma::c420, bits}};
    current_.emplace(av1::CdefCapture{video::Picture(format), video::Picture(format), {}});
    const std::size_t filter_blocks = av1::CdefGrid(format).filter_blocks();
    current_->frame.strengths.resize(filter_blocks);
    current_->frame.filtered.resize(filter_blocks);
    strides_ = buffer.strides;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const auto address = reinterpret_cast<std::uintptr_t>(buffer.planes[plane]);
      planes_[plane] = bits == 8 ? address : 2 * address;
    }
    copy(buffer, current_->before);
  }

  void write(std::size_t number) const {
    const std::string path = fmt::format("{}-{}.cdef", prefix_, number);
    std::ofstream file(path, std::ios::binary);
    if (!file) throw usage_error("'{}' cannot be written", path);
    av1::write_cdef_capture(file, *current_);
  }

  void copy(const AomFrameBuffer& buffer, video::Picture& picture) const {
    const std::size_t sample_bytes = picture.format().pixel.bytes_per_sample();
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const std::size_t chroma = plane == 0 ? 0 : 1;
      const auto bytes = static_cast<std::size_t>(buffer.widths[chroma]) * sample_bytes;
      for (std::size_t y = 0; y < static_cast<std::size_t>(buffer.heights[chroma]); ++y) {
        const auto stride = static_cast<std::size_t>(buffer.strides[chroma]) * sample_bytes;
        const auto& layout = picture.layout().planes[plane];
        // libaom's addresses of 16-bit samples are halved, so they are kept as integers.
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* const row = reinterpret_cast<const void*>(planes_[plane] + y * stride);
        std::memcpy(&picture.bytes()[layout.offset + y * layout.stride], row, bytes);
      }
    }
  }

  aom_codec_ctx_t decoder_{};
  std::string prefix_;
  bool counting_;
  std::size_t most_, every_;
  std::size_t packets_ = 0, frames_ = 0, written_ = 0;
  std::vector<int> filtered_;  ///< number of filtered blocks of each frame
  std::optional<av1::CdefCapture> current_;
  std::array<std::uintptr_t, 3> planes_{};
  std::array<int, 2> strides_{};
  std::string failure_;
};

std::optional<Capture> capture;

void run(const std::string& stream, const std::string& to, std::size_t most, std::size_t every) {
  std::ifstream file(stream, std::ios::binary);
  std::array<char, 32> header{};
  if (!file.read(header.data(), header.size()) || std::memcmp(&header[8], "AV01", 4) != 0) {
    throw usage_error("'{}' is no IVF file with AV1", stream);
  }
  capture.emplace(to, most, every);
  std::array<char, 12> packet_header{};
  while (file.read(packet_header.data(), packet_header.size())) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, packet_header.data(), sizeof bytes);
    std::vector<std::uint8_t> packet(bytes);
    if (!file.read(reinterpret_cast<char*>(packet.data()), bytes)) {
      throw usage_error("'{}' ends within a packet", stream);
    }
    capture->decode(packet);
  }
  if (to != "count") capture->report();
}

}  // namespace
}  // namespace sidecore::bench

void __wrap_av1_cdef_frame(AomFrameBuffer* frame, void* common, void* block, void* init_row) {
  sidecore::bench::capture->frame(*frame,
                                  [&] { __real_av1_cdef_frame(frame, common, block, init_row); });
}

void __wrap_av1_cdef_filter_fb(std::uint8_t* to_8, std::uint16_t* to_16, int stride,
                               const std::uint16_t* from, int chroma_x, int chroma_y,
                               int (*direction)[8], int* have_direction, int (*variance)[8],
                               int plane, AomCdefBlock* blocks, int count, int primary,
                               int secondary, int damping, int extra_bits) {
  const void* const to = to_8 != nullptr ? static_cast<const void*>(to_8) : to_16;
  sidecore::bench::capture->filter_block(
      to, plane, {blocks, static_cast<std::size_t>(count)},
      {static_cast<std::uint8_t>(primary), static_cast<std::uint8_t>(secondary)}, damping);
  __real_av1_cdef_filter_fb(to_8, to_16, stride, from, chroma_x, chroma_y, direction,
                            have_direction, variance, plane, blocks, count, primary, secondary,
                            damping, extra_bits);
}
// NOLINTEND(bugprone-reserved-identifier)

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: capture_cdef STREAM.ivf PREFIX|count FRAMES EVERY\n", stderr);
    return 2;
  }
  try {
    sidecore::bench::run(argv[1], argv[2], std::strtoul(argv[3], nullptr, 10),
                         std::max(1UL, std::strtoul(argv[4], nullptr, 10)));
  } catch (const std::exception& error) {
    fmt::print(stderr, "capture_cdef: {}\n", error.what());
    return 1;
  }
  sidecore::bench::capture.reset();
  return 0;
}
