// What a family of features does on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "metrics/feature_family.h"
#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// A picture in memory that the device sees.
class DevicePicture {
 public:
  DevicePicture(Device& device, const video::PictureFormat& format)
      : buffer_(device.create_buffer(video::PictureLayout(format).bytes)),
        picture_(format, buffer_->bytes(), buffer_) {}

  [[nodiscard]] video::Picture& picture() { return picture_; }
  [[nodiscard]] const video::Picture& picture() const { return picture_; }

  /// The samples of plane 0 (Y), 1 (Cb) or 2 (Cr), from the first on. Rows start at multiples of
  /// PictureLayout::kRowAlignment, and what pads them may hold anything.
  [[nodiscard]] BufferRange plane(int index) const {
    return {buffer_.get(), layout(index).offset, layout(index).bytes};
  }
  /// Bytes from a row of the plane to the next.
  [[nodiscard]] std::size_t stride(int index) const { return layout(index).stride; }

 private:
  [[nodiscard]] const video::PictureLayout::Plane& layout(int index) const {
    return picture_.layout().planes[static_cast<std::size_t>(index)];
  }

  std::shared_ptr<Buffer> buffer_;
  video::Picture picture_;
};

/// The requests of one family on one device: programs, intermediate buffers, and how scores come of
/// the values that the shaders leave. Its lists run one after the other, in the order of
/// submission, so all slots of a scorer share one of these and its intermediate buffers; what the
/// host reads is in `results`, of which each slot has its own.
class FeatureWork {
 public:
  virtual ~FeatureWork() = default;

  /// How many planes, from luma on, the shaders read: the scorer uploads those. 1 or 3.
  [[nodiscard]] virtual int planes() const { return 1; }

  /// Bytes of the values that the host needs of a pair of pictures: few.
  [[nodiscard]] virtual std::size_t result_bytes() const = 0;

  /// Records everything from the pictures' planes to the values in `results`, which the scorer
  /// downloads. Called once for each slot. `results` has result_bytes() and starts its buffer.
  virtual void record(CommandList& list, const DevicePicture& reference,
                      const DevicePicture& distorted, const BufferRange& results) = 0;

  /// Turns the values of a pair into the scores of each request, one request after the other. Where
  /// the values do not settle a score to its last bit, it is computed from the pictures.
  virtual void score(std::span<const std::byte> results, const video::Picture& reference,
                     const video::Picture& distorted, std::span<double> scores) = 0;

  /// How many scores were computed from the pictures since this was made.
  [[nodiscard]] virtual std::uint64_t host_recomputations() const { return 0; }
};

/// Makes the work of one family's requests, all checked for the format, none twice.
/// Throws Error (usage) for options that the shaders do not do, (environment) when the device lacks
/// something.
using WorkMaker = std::unique_ptr<FeatureWork> (*)(
    const std::shared_ptr<Device>& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests);

/// A family on the device.
struct FamilyWork {
  const metrics::FeatureFamily* family;
  WorkMaker make;
  /// Why the shaders cannot do a request, in a sentence without its full stop; empty when they can.
  /// Null: they can do all.
  std::string (*refusal)(const metrics::FeatureRequest& request) = nullptr;
};

/// The families that have shaders.
[[nodiscard]] std::span<const FamilyWork> family_works();

}  // namespace sidecore::qpu
