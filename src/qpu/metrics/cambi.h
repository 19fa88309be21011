// Host side of the QPU implementation of metrics/cambi.h.
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

/// Records cambi of the luma plane of a picture in a device-visible buffer. Contrasts equal the
/// scalar definition's bit by bit; their sums are exact integers, from which the host computes the
/// means.
class Cambi {
 public:
  /// Number of bytes that the shaders write per picture.
  static constexpr std::size_t kResultBytes = 260;

  /// Creates the recorder. Throws Error (usage) if cambi_setup() does.
  Cambi(Device& device, const video::PictureFormat& format, const metrics::FeatureOptions& options);

  /// Records all dispatches from the plane to the sums. The plane's range must begin with its first
  /// sample; the stride is in bytes, a multiple of 16. `results` receives kResultBytes bytes.
  /// Throws Error (usage) if a stride or a range is too small for the rows.
  void record(CommandList& list, const BufferRange& plane, std::size_t stride,
              const BufferRange& results) const;

  /// Records the dispatches of the other record(), which also write the contrasts of all scales,
  /// contrast_bytes() bytes, to `contrasts`.
  void record(CommandList& list, const BufferRange& plane, std::size_t stride,
              const BufferRange& results, const BufferRange& contrasts) const;

  /// Records only the contrasts of all scales, contrast_bytes() bytes. It also writes parts of
  /// `results` that are useless without the rest of record().
  void record_contrasts(CommandList& list, const BufferRange& plane, std::size_t stride,
                        const BufferRange& results, const BufferRange& contrasts) const;
  [[nodiscard]] std::size_t contrast_bytes() const { return contrasts_count_ * sizeof(float); }

  /// Returns the score, or nothing if it is undecided. It is undecided if a sum has more bits than
  /// a double, because the scalar definition's sum then depends on the order of addition. In that
  /// case pass the `contrasts` that record_contrasts() wrote, which are added in that order;
  /// otherwise pass an empty span.
  [[nodiscard]] std::optional<double> score(std::span<const std::byte> results,
                                            std::span<const std::byte> contrasts) const;

 private:
  struct Scale {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t stride = 0;     ///< number of words per row of a scale
    std::uint32_t image = 0;      ///< index of the scale's first word
    std::uint32_t contrasts = 0;  ///< number of contrasts in earlier scales
    std::uint32_t largest = 0;
  };

  [[nodiscard]] double mean(std::span<const std::byte> contrasts, std::size_t scale) const;
  void make_scales();
  void make_tables(Device& device);
  [[nodiscard]] BufferRange image(const Scale& scale) const;

  video::PictureFormat format_;
  metrics::CambiSetup setup_;
  std::array<Scale, metrics::kCambiScales> scales_;
  std::uint32_t stride_ = 0;  ///< words per row of samples and of the first image
  std::uint32_t contrasts_count_ = 0;
  std::uint32_t strips_ = 0;  ///< number of rows of tiles in all scales
  std::shared_ptr<Buffer> tables_;
  std::shared_ptr<Buffer> places_;
  std::shared_ptr<Buffer> samples_;
  std::shared_ptr<Buffer> masked_;  ///< the masked image from which the first scale is computed
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
