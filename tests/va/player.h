// A display without a GPU, and a player on it that calls libva as players do.
#pragma once

#include <va/va.h>
#include <va/va_dec_vp9.h>
#include <va/va_drmcommon.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "vp9/frame_header.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test {

/// Fails the test when the status is another.
void expect_status(VAStatus status, VAStatus expected = VA_STATUS_SUCCESS);

/// The driver under test, opened through libva on a node of tests/va/drm_node.cpp.
class OpenDisplay {
 public:
  OpenDisplay();
  ~OpenDisplay();
  OpenDisplay(const OpenDisplay&) = delete;
  OpenDisplay& operator=(const OpenDisplay&) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for libva's
  operator VADisplay() const { return display_; }
  [[nodiscard]] std::vector<std::string> errors();
  [[nodiscard]] std::vector<std::string> messages();

  [[nodiscard]] VAConfigID config(VAProfile profile) const;
  [[nodiscard]] std::vector<VASurfaceID> surfaces(int count, int width, int height,
                                                  int bits = 8) const;
  [[nodiscard]] VAContextID context(VAConfigID config, int width, int height) const;
  [[nodiscard]] VABufferID buffer(VAContextID context, VABufferType type, const void* data,
                                  std::size_t bytes) const;

 private:
  int node_ = -1;
  VADisplay display_ = nullptr;
  std::mutex mutex_;
  std::vector<std::string> errors_;
  std::vector<std::string> messages_;
};

/// A surface's memory as a display or a GPU imports it: by its descriptors alone.
class ExportedSurface {
 public:
  ExportedSurface(VADisplay display, VASurfaceID surface, bool separate_layers);
  ~ExportedSurface();
  ExportedSurface(const ExportedSurface&) = delete;
  ExportedSurface& operator=(const ExportedSurface&) = delete;

  [[nodiscard]] const VADRMPRIMESurfaceDescriptor& descriptor() const { return descriptor_; }
  /// The upper left samples, as FFmpeg's raw planar video. Nothing waits.
  [[nodiscard]] std::vector<std::uint8_t> planes(int width, int height) const;

 private:
  VADRMPRIMESurfaceDescriptor descriptor_{};
  void* bytes_ = nullptr;
};

/// What players do when pictures change their size.
enum class Resizing : std::uint8_t { new_context, new_surfaces, same_surfaces };

class Player {
 public:
  explicit Player(OpenDisplay& display, Resizing resizing = Resizing::new_context);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// The fourcc that pictures are read as; by default planar ones of the stream's depth.
  std::uint32_t fourcc = 0;
  /// Read through vaDeriveImage, as `fourcc` of the native format.
  bool derived = false;
  /// Read where surfaces were exported to, as layers of their own or not, before they were used.
  enum class Export : std::uint8_t { none, composed, separate } exported = Export::none;

  /// Of surfaces; 0: the stream's.
  int other_bits = 0;

  /// Pictures are read by read_postponed() alone. Their surfaces are not used again before.
  bool postponed = false;
  /// Every frame goes to the same surface, which only key frames bear.
  bool one_surface = false;

  /// Submits one frame of a stream, and reads it when it is to be shown. Returns what EndPicture
  /// said; when it failed, references are as they were.
  VAStatus decode(const Bytes& frame);
  void decode_all(const std::vector<Bytes>& frames);
  void read_postponed();

  /// "bytes md5" of each picture that was shown.
  [[nodiscard]] const std::vector<std::string>& checksums() const { return checksums_; }
  [[nodiscard]] int repeated() const { return repeated_; }
  [[nodiscard]] int contexts() const { return contexts_; }
  [[nodiscard]] VAContextID context() const { return context_; }
  [[nodiscard]] VASurfaceID target() const { return target_; }
  /// What the next frame will find in the reference slots.
  std::array<VASurfaceID, vp9::kReferenceSlots> slots{};
  /// Of those, the ones that are kept from the driver, a bit each: as if nothing had been there.
  std::uint8_t lost_slots = 0;

 private:
  void prepare(const vp9::FrameHeader& header);
  [[nodiscard]] VASurfaceID free_surface() const;
  [[nodiscard]] int surface_bits() const { return other_bits != 0 ? other_bits : bits_; }
  [[nodiscard]] VAStatus submit(const vp9::FrameHeader& header, const Bytes& frame);
  void show(VASurfaceID surface, const vp9::FrameSize& size);
  void read(VASurfaceID surface, const vp9::FrameSize& size);

  OpenDisplay& display_;
  Resizing resizing_;
  vp9::HeaderContext headers_;
  int bits_ = 0;
  vp9::FrameSize size_;
  VAConfigID config_ = VA_INVALID_ID;
  VAContextID context_ = VA_INVALID_ID;
  VASurfaceID target_ = VA_INVALID_ID;
  std::vector<VASurfaceID> pool_;
  std::vector<VASurfaceID> all_surfaces_;
  std::map<VASurfaceID, std::unique_ptr<ExportedSurface>> exports_;
  std::vector<std::pair<VASurfaceID, vp9::FrameSize>> to_read_;
  std::vector<std::string> checksums_;
  int repeated_ = 0;
  int contexts_ = 0;
};

/// The frames of a stream of the corpus, and the checksums of its pictures, by FFmpeg's own
/// decoder.
std::vector<Bytes> frames_of(const std::string& stream);
std::vector<std::string> checksums_of(const std::string& stream);

bool any_contains(const std::vector<std::string>& lines, const std::string& text);

/// "bytes md5".
std::string checksum_of(const std::vector<std::uint8_t>& samples);

/// The samples of a mapped image as planes, like FFmpeg's raw video.
std::vector<std::uint8_t> planes_of(const VAImage& image, const std::uint8_t* data, int width,
                                    int height);

}  // namespace sidecore::test
