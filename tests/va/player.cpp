#include "va/player.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <va/va_drm.h>

#include <algorithm>
#include <cstring>

#include "libav/md5.h"

namespace sidecore::test {

void expect_status(VAStatus status, VAStatus expected) {
  EXPECT_EQ(status, expected) << vaErrorStr(status);
}

OpenDisplay::OpenDisplay() {
  ::setenv("LIBVA_DRIVERS_PATH", SIDECORE_VA_DRIVERS, 1);
  node_ = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  display_ = vaGetDisplayDRM(node_);
  EXPECT_NE(display_, nullptr);
  vaSetErrorCallback(
      display_,
      [](void* self, const char* line) {
        auto& display = *static_cast<OpenDisplay*>(self);
        const std::lock_guard lock(display.mutex_);
        display.errors_.emplace_back(line);
      },
      this);
  vaSetInfoCallback(
      display_,
      [](void* self, const char* line) {
        auto& display = *static_cast<OpenDisplay*>(self);
        const std::lock_guard lock(display.mutex_);
        display.messages_.emplace_back(line);
      },
      this);
  int major = 0;
  int minor = 0;
  expect_status(vaInitialize(display_, &major, &minor));
}

OpenDisplay::~OpenDisplay() {
  expect_status(vaTerminate(display_));
  ::close(node_);
}

std::vector<std::string> OpenDisplay::errors() {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::vector<std::string> OpenDisplay::messages() {
  const std::lock_guard lock(mutex_);
  return messages_;
}

VAConfigID OpenDisplay::config(VAProfile profile) const {
  VAConfigID id = VA_INVALID_ID;
  expect_status(vaCreateConfig(display_, profile, VAEntrypointVLD, nullptr, 0, &id));
  return id;
}

std::vector<VASurfaceID> OpenDisplay::surfaces(int count, int width, int height, int bits) const {
  std::vector<VASurfaceID> ids(static_cast<std::size_t>(count), VA_INVALID_ID);
  const unsigned format = bits > 10  ? VA_RT_FORMAT_YUV420_12
                          : bits > 8 ? VA_RT_FORMAT_YUV420_10
                                     : VA_RT_FORMAT_YUV420;
  expect_status(vaCreateSurfaces(display_, format, static_cast<unsigned>(width),
                                 static_cast<unsigned>(height), ids.data(),
                                 static_cast<unsigned>(count), nullptr, 0));
  return ids;
}

VAContextID OpenDisplay::context(VAConfigID config, int width, int height) const {
  VAContextID id = VA_INVALID_ID;
  expect_status(vaCreateContext(display_, config, width, height, VA_PROGRESSIVE, nullptr, 0, &id));
  return id;
}

VABufferID OpenDisplay::buffer(VAContextID context, VABufferType type, const void* data,
                               std::size_t bytes) const {
  VABufferID id = VA_INVALID_ID;
  expect_status(vaCreateBuffer(display_, context, type, static_cast<unsigned>(bytes), 1,
                               const_cast<void*>(data), &id));
  return id;
}

std::vector<Bytes> frames_of(const std::string& stream) {
  return frames_of(corpus_packets(stream));
}

std::vector<std::string> checksums_of(const std::string& stream) {
  return lines_of(SIDECORE_VP9_CORPUS "/" + stream + ".framemd5");
}

bool any_contains(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

std::string checksum_of(const std::vector<std::uint8_t>& samples) {
  libav::Md5 md5;
  md5.update(std::as_bytes(std::span(samples)));
  return fmt::format("{} {}", samples.size(), md5.finish());
}

std::vector<std::uint8_t> planes_of(const VAImage& image, const std::uint8_t* data, int width,
                                    int height) {
  const std::uint32_t fourcc = image.format.fourcc;
  const bool high = fourcc == VA_FOURCC_P010 || fourcc == VA_FOURCC_P012;
  const bool wide = high || fourcc == VA_FOURCC_I010;
  const bool interleaved = high || fourcc == VA_FOURCC_NV12;
  const int shift = fourcc == VA_FOURCC_P010 ? 6 : fourcc == VA_FOURCC_P012 ? 4 : 0;
  std::vector<std::uint8_t> samples;
  const auto take = [&](std::size_t plane, int y, int index) {
    const std::uint8_t* const row =
        data + image.offsets[plane] + static_cast<std::size_t>(y) * image.pitches[plane];
    if (!wide) {
      samples.push_back(row[index]);
      return;
    }
    std::uint16_t word = 0;
    std::memcpy(&word, row + 2 * index, sizeof word);
    EXPECT_EQ(word & ((1 << shift) - 1), 0);
    word = static_cast<std::uint16_t>(word >> shift);
    samples.push_back(static_cast<std::uint8_t>(word & 0xff));
    samples.push_back(static_cast<std::uint8_t>(word >> 8));
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) take(0, y, x);
  }
  for (int plane = 1; plane < 3; ++plane) {
    const int of_image = image.format.fourcc == VA_FOURCC_YV12 ? 3 - plane : plane;
    for (int y = 0; y < (height + 1) / 2; ++y) {
      for (int x = 0; x < (width + 1) / 2; ++x) {
        if (interleaved) {
          take(1, y, 2 * x + plane - 1);
        } else {
          take(static_cast<std::size_t>(of_image), y, x);
        }
      }
    }
  }
  return samples;
}

ExportedSurface::ExportedSurface(VADisplay display, VASurfaceID surface, bool separate_layers) {
  const unsigned layers =
      separate_layers ? VA_EXPORT_SURFACE_SEPARATE_LAYERS : VA_EXPORT_SURFACE_COMPOSED_LAYERS;
  expect_status(vaExportSurfaceHandle(display, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2,
                                      VA_EXPORT_SURFACE_READ_ONLY | layers, &descriptor_));
  EXPECT_EQ(descriptor_.num_objects, 1U);
  bytes_ = ::mmap(nullptr, descriptor_.objects[0].size, PROT_READ, MAP_SHARED,
                  descriptor_.objects[0].fd, 0);
  EXPECT_NE(bytes_, MAP_FAILED);
}

ExportedSurface::~ExportedSurface() {
  ::munmap(bytes_, descriptor_.objects[0].size);
  ::close(descriptor_.objects[0].fd);
}

std::vector<std::uint8_t> ExportedSurface::planes(int width, int height) const {
  VAImage image{};
  image.format.fourcc = descriptor_.fourcc;
  std::size_t plane = 0;
  for (std::uint32_t index = 0; index < descriptor_.num_layers; ++index) {
    const auto& layer = descriptor_.layers[index];
    for (std::uint32_t inner = 0; inner < layer.num_planes; ++inner, ++plane) {
      image.offsets[plane] = layer.offset[inner];
      image.pitches[plane] = layer.pitch[inner];
    }
  }
  EXPECT_EQ(plane, 2U);
  return planes_of(image, static_cast<const std::uint8_t*>(bytes_), width, height);
}

Player::Player(OpenDisplay& display, Resizing resizing) : display_(display), resizing_(resizing) {
  slots.fill(VA_INVALID_SURFACE);
}

Player::~Player() {
  if (context_ != VA_INVALID_ID) expect_status(vaDestroyContext(display_, context_));
  expect_status(
      vaDestroySurfaces(display_, all_surfaces_.data(), static_cast<int>(all_surfaces_.size())));
  if (config_ != VA_INVALID_ID) expect_status(vaDestroyConfig(display_, config_));
}

void Player::decode_all(const std::vector<Bytes>& frames) {
  for (const Bytes& frame : frames) expect_status(decode(frame));
}

VAStatus Player::decode(const Bytes& frame) {
  const vp9::FrameHeader header = vp9::parse_frame_header(frame, headers_);
  if (header.show_existing_frame) {
    const auto slot = static_cast<std::size_t>(header.existing_slot);
    ++repeated_;
    show(slots[slot], headers_.slot_sizes[slot]);
    return VA_STATUS_SUCCESS;
  }
  prepare(header);
  const VAStatus status = submit(header, frame);
  if (status != VA_STATUS_SUCCESS) return status;
  headers_.keep(header);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if ((header.refresh_slots >> slot & 1) != 0) slots[slot] = target_;
  }
  if (header.show_frame) show(target_, header.size);
  return status;
}

void Player::prepare(const vp9::FrameHeader& header) {
  if (bits_ != 0 && header.size == size_) return;
  const bool first = bits_ == 0;
  bits_ = header.pixel.bits;
  size_ = header.size;
  if (first) {
    config_ = display_.config(bits_ > 8 ? VAProfileVP9Profile2 : VAProfileVP9Profile0);
  }
  if (first || resizing_ != Resizing::same_surfaces) {
    pool_ = display_.surfaces(postponed ? 48 : 12, size_.width, size_.height, surface_bits());
    all_surfaces_.insert(all_surfaces_.end(), pool_.begin(), pool_.end());
    for (const VASurfaceID id : exported == Export::none ? std::vector<VASurfaceID>{} : pool_) {
      exports_[id] = std::make_unique<ExportedSurface>(display_, id, exported == Export::separate);
    }
  }
  if (first || resizing_ == Resizing::new_context) {
    if (!first) expect_status(vaDestroyContext(display_, context_));
    context_ = display_.context(config_, size_.width, size_.height);
    ++contexts_;
  }
}

VASurfaceID Player::free_surface() const {
  const auto found = std::ranges::find_if(pool_, [&](VASurfaceID id) {
    return std::ranges::find(slots, id) == slots.end() &&
           std::ranges::find(to_read_, id, &decltype(to_read_)::value_type::first) ==
               to_read_.end();
  });
  return found == pool_.end() ? VA_INVALID_SURFACE : *found;
}

VAStatus Player::submit(const vp9::FrameHeader& header, const Bytes& frame) {
  target_ = one_surface ? pool_.front() : free_surface();
  VADecPictureParameterBufferVP9 picture{};
  picture.frame_width = static_cast<std::uint16_t>(header.size.width);
  picture.frame_height = static_cast<std::uint16_t>(header.size.height);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const bool lost = (lost_slots >> slot & 1) != 0;
    picture.reference_frames[slot] = lost ? VA_INVALID_SURFACE : slots[slot];
  }
  picture.pic_fields.bits.frame_type = header.key_frame ? 0 : 1;
  picture.profile = static_cast<std::uint8_t>(header.profile);
  picture.bit_depth = static_cast<std::uint8_t>(header.pixel.bits);
  VASliceParameterBufferVP9 slice{};
  slice.slice_data_size = static_cast<std::uint32_t>(frame.size());
  expect_status(vaBeginPicture(display_, context_, target_));
  std::array buffers{
      display_.buffer(context_, VAPictureParameterBufferType, &picture, sizeof picture),
      display_.buffer(context_, VASliceParameterBufferType, &slice, sizeof slice),
      display_.buffer(context_, VASliceDataBufferType, frame.data(), frame.size())};
  expect_status(vaRenderPicture(display_, context_, buffers.data(), 1));
  expect_status(vaRenderPicture(display_, context_, buffers.data() + 1, 2));
  const VAStatus status = vaEndPicture(display_, context_);
  for (const VABufferID id : buffers) expect_status(vaDestroyBuffer(display_, id));
  return status;
}

void Player::show(VASurfaceID surface, const vp9::FrameSize& size) {
  if (postponed) {
    to_read_.emplace_back(surface, size);
  } else {
    read(surface, size);
  }
}

void Player::read_postponed() {
  for (const auto& [surface, size] : to_read_) read(surface, size);
  to_read_.clear();
}

void Player::read(VASurfaceID surface, const vp9::FrameSize& size) {
  if (exported != Export::none) {
    expect_status(vaSyncSurface(display_, surface));
    checksums_.push_back(checksum_of(exports_.at(surface)->planes(size.width, size.height)));
    return;
  }
  VAImage image{};
  if (derived) {
    expect_status(vaDeriveImage(display_, surface, &image));
  } else {
    VAImageFormat format{};
    format.fourcc = fourcc != 0           ? fourcc
                    : surface_bits() > 10 ? VA_FOURCC_P012
                    : surface_bits() > 8  ? VA_FOURCC_I010
                                          : VA_FOURCC_I420;
    expect_status(vaCreateImage(display_, &format, size.width, size.height, &image));
    expect_status(vaGetImage(display_, surface, 0, 0, static_cast<unsigned>(size.width),
                             static_cast<unsigned>(size.height), image.image_id));
  }
  void* data = nullptr;
  expect_status(vaMapBuffer(display_, image.buf, &data));
  const std::vector<std::uint8_t> samples =
      planes_of(image, static_cast<const std::uint8_t*>(data), size.width, size.height);
  checksums_.push_back(checksum_of(samples));
  expect_status(vaUnmapBuffer(display_, image.buf));
  expect_status(vaDestroyImage(display_, image.image_id));
}

}  // namespace sidecore::test
