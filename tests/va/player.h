// Test helpers: a display without a GPU, and a player that calls libva like real players.
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

/// Fails the test if `status` is not `expected`.
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

/// A surface's memory, imported like by a display or a GPU: only through its descriptors.
class ExportedSurface {
 public:
  ExportedSurface(VADisplay display, VASurfaceID surface, bool separate_layers);
  ~ExportedSurface();
  ExportedSurface(const ExportedSurface&) = delete;
  ExportedSurface& operator=(const ExportedSurface&) = delete;

  [[nodiscard]] const VADRMPRIMESurfaceDescriptor& descriptor() const { return descriptor_; }
  /// Returns the upper left `width` x `height` samples as planar raw video, without waiting for the
  /// picture.
  [[nodiscard]] std::vector<std::uint8_t> planes(int width, int height) const;

 private:
  VADRMPRIMESurfaceDescriptor descriptor_{};
  void* bytes_ = nullptr;
};

/// Behaviour of a player when the pictures' size changes.
enum class Resizing : std::uint8_t { new_context, new_surfaces, same_surfaces };

class Player {
 public:
  explicit Player(OpenDisplay& display, Resizing resizing = Resizing::new_context);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Format in which pictures are read. 0 means the planar format with the stream's bits per
  /// sample.
  std::uint32_t fourcc = 0;
  /// True if pictures are read through vaDeriveImage; then `fourcc` must be the native format.
  bool derived = false;
  /// States if pictures are read from exported memory, and if so, with one composed layer or
  /// separate layers. Surfaces are exported before their first use.
  enum class Export : std::uint8_t { none, composed, separate } exported = Export::none;

  /// Bits per sample of surfaces. 0 means the stream's bits per sample.
  int other_bits = 0;

  /// True if pictures are read only in read_postponed(). Until then the player does not use their
  /// surfaces again, unless one_surface is true.
  bool postponed = false;
  /// True if every frame is decoded to the same surface, which works only for key frames.
  bool one_surface = false;

  /// Submits one frame, and reads the picture if the stream shows it. Returns EndPicture's status.
  /// After a failure the references are unchanged.
  VAStatus decode(const Bytes& frame);
  void decode_all(const std::vector<Bytes>& frames);
  void read_postponed();

  /// Returns "bytes md5" of each shown picture.
  [[nodiscard]] const std::vector<std::string>& checksums() const { return checksums_; }
  [[nodiscard]] int repeated() const { return repeated_; }
  [[nodiscard]] int contexts() const { return contexts_; }
  [[nodiscard]] VAContextID context() const { return context_; }
  [[nodiscard]] VASurfaceID target() const { return target_; }
  /// Surfaces in the reference slots before the next frame.
  std::array<VASurfaceID, vp9::kReferenceSlots> slots{};
  /// Bit mask of the reference slots that the player hides from the driver, as if they were empty.
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

/// Return the frames of a stream of the corpus, and the checksums of its pictures by FFmpeg's
/// decoder.
std::vector<Bytes> frames_of(const std::string& stream);
std::vector<std::string> checksums_of(const std::string& stream);

bool any_contains(const std::vector<std::string>& lines, const std::string& text);

/// Returns "bytes md5" of the samples.
std::string checksum_of(const std::vector<std::uint8_t>& samples);

/// Returns the samples of a mapped image as planar raw video.
std::vector<std::uint8_t> planes_of(const VAImage& image, const std::uint8_t* data, int width,
                                    int height);

}  // namespace sidecore::test
