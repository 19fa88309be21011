// What a family of features does on the device.
#pragma once

#include <cassert>
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
/// host reads is in `results`, of which each pair of pictures has its own.
class FeatureWork {
 public:
  virtual ~FeatureWork() = default;

  /// How many planes, from luma on, the shaders read: the scorer uploads those. 1 or 3.
  [[nodiscard]] virtual int planes() const { return 1; }

  /// Bytes of the values that the host needs of a pair of pictures: few, for a Pi's CPU reads
  /// them from memory that it does not cache.
  [[nodiscard]] virtual std::size_t result_bytes() const = 0;

  /// Records everything from the pictures' planes to the values in `results`, which the scorer
  /// downloads. `results` has result_bytes() and starts its buffer.
  virtual void record(CommandList& list, const DevicePicture& reference,
                      const DevicePicture& distorted, const BufferRange& results) = 0;

  /// The same for a family of temporal features (metrics::Feature::finish): `earlier` are the
  /// references of the pictures before this one, the nearest first, as many as the requests'
  /// history() says or, at the start of a clip, as there are. They are as lists before this one
  /// left them on the device, the planes() uploaded, and nothing writes them before this list ends.
  /// record() is this of a clip's first picture.
  virtual void record_in_clip(CommandList& list, const DevicePicture& reference,
                              const DevicePicture& distorted,
                              std::span<const DevicePicture* const> /*earlier*/,
                              const BufferRange& results) {
    record(list, reference, distorted, results);
  }

  /// Turns the values of a pair into the scores of each request, one request after the other; of
  /// temporal features, into the values that Feature::finish makes scores of. False
  /// where the values leave the last bit of a score open: `scores` then have no meaning. `settling`
  /// is what record_settling() had written, or empty.
  [[nodiscard]] virtual bool score(std::span<const std::byte> results,
                                   std::span<const std::byte> settling,
                                   std::span<double> scores) const = 0;

  /// Where score() says false: bytes of what the device can say besides; 0 when that is nothing.
  [[nodiscard]] virtual std::size_t settling_bytes(std::span<const std::byte> /*results*/) const {
    return 0;
  }
  /// Records that, from the same pictures to `settling`, of settling_bytes().
  virtual void record_settling(CommandList& /*list*/, const DevicePicture& /*reference*/,
                               const DevicePicture& /*distorted*/,
                               std::span<const std::byte> /*results*/,
                               const BufferRange& /*settling*/) {}

  /// Whether the host has a part in every score that is too long for the thread that collects:
  /// score() then says false, and settle() does that part with metrics::PairKernel::finish().
  /// Nothing of that was computed before, so it does not count as computed again.
  [[nodiscard]] virtual bool host_finishes() const { return false; }

  /// The scores after all, where score() still says false: `host`, the family's kernel for the same
  /// requests, computes what is open, and only that, from the pictures. Returns how many values
  /// that were. Another thread than score()'s may call it, one at a time.
  virtual std::uint64_t settle(std::span<const std::byte> /*results*/,
                               std::span<const std::byte> /*settling*/,
                               const video::Picture& /*reference*/,
                               const video::Picture& /*distorted*/, metrics::PairKernel& /*host*/,
                               std::span<double> /*scores*/) const {
    assert(false);
    return 0;
  }
};

/// Makes the work of one family's requests, all checked for the format, none twice.
/// Throws Error (usage) for options that the shaders do not do, (environment) when the device lacks
/// something.
using WorkMaker =
    std::unique_ptr<FeatureWork> (*)(Device& device, const video::PictureFormat& format,
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
