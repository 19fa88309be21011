// QPU implementation of metrics/cambi.h: host side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "metrics/cambi.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Records cambi of the luma plane of a picture that lies in a device-visible buffer. Contrasts are
/// those of the definition bit by bit; their sums are exact integers, of which the host makes the
/// means.
class Cambi {
 public:
  /// What the shaders leave of a picture.
  static constexpr std::size_t kResultBytes = 260;

  /// Throws Error (usage) where the feature's check does.
  Cambi(Device& device, const video::PictureFormat& format, const metrics::FeatureOptions& options);

  /// The plane is bound as a range whose first byte is the first sample; the stride is in bytes and
  /// a multiple of 16. `results` receives kResultBytes. Throws Error (usage) for a stride or a
  /// range that does not hold the rows.
  void record(CommandList& list, const BufferRange& plane, std::size_t stride,
              const BufferRange& results) const;

  /// The same with the contrasts of all scales in `contrasts`, of contrast_bytes().
  void record(CommandList& list, const BufferRange& plane, std::size_t stride,
              const BufferRange& results, const BufferRange& contrasts) const;

  /// What comes before the sums are selected: the contrasts of all scales, of contrast_bytes(). Of
  /// `results` those are written that have no use without what record() does besides.
  void record_contrasts(CommandList& list, const BufferRange& plane, std::size_t stride,
                        const BufferRange& results, const BufferRange& contrasts) const;
  [[nodiscard]] std::size_t contrast_bytes() const { return contrasts_count_ * sizeof(float); }

  /// The score; nothing where a sum has more bits than a double: the definition's then depends on
  /// the order in which it adds, and it takes the `contrasts` to add them in that order. They are
  /// empty, or what record_contrasts() left.
  [[nodiscard]] std::optional<double> score(std::span<const std::byte> results,
                                            std::span<const std::byte> contrasts) const;

 private:
  struct Scale {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t stride = 0;     ///< words
    std::uint32_t image = 0;      ///< first word
    std::uint32_t contrasts = 0;  ///< those of scales before it
    std::uint32_t largest = 0;
  };

  [[nodiscard]] double mean(std::span<const std::byte> contrasts, std::size_t scale) const;
  void make_scales();
  void make_tables(Device& device);
  [[nodiscard]] BufferRange image(const Scale& scale) const;

  video::PictureFormat format_;
  metrics::CambiSetup setup_;
  std::array<Scale, metrics::kCambiScales> scales_;
  std::uint32_t stride_ = 0;  ///< words of samples and of the first image
  std::uint32_t contrasts_count_ = 0;
  std::uint32_t strips_ = 0;  ///< rows of tiles, of all scales
  std::shared_ptr<Buffer> tables_;
  std::shared_ptr<Buffer> places_;
  std::shared_ptr<Buffer> samples_;
  std::shared_ptr<Buffer> masked_;  ///< the image before the first scale
  std::shared_ptr<Buffer> images_;
  std::shared_ptr<Buffer> contrasts_;
  std::shared_ptr<Buffer> histograms_;
  std::shared_ptr<Program> luma_;
  std::shared_ptr<Program> mask_;
  std::shared_ptr<Program> scale_;
  std::shared_ptr<Program> contrast_;
  std::shared_ptr<Program> select_;
};

}  // namespace sidecore::qpu
