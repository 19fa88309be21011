// Interface of a family's work on the device: commands, buffers and scores.
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

/// A picture in device-visible memory.
class DevicePicture {
 public:
  DevicePicture(Device& device, const video::PictureFormat& format)
      : buffer_(device.create_buffer(video::PictureLayout(format).bytes)),
        picture_(format, buffer_->bytes(), buffer_) {}

  [[nodiscard]] video::Picture& picture() { return picture_; }
  [[nodiscard]] const video::Picture& picture() const { return picture_; }

  /// Returns the samples of plane 0 (Y), 1 (Cb) or 2 (Cr), starting with the first sample. Rows
  /// start at multiples of PictureLayout::kRowAlignment; the padding may hold anything.
  [[nodiscard]] BufferRange plane(int index) const {
    return {buffer_.get(), layout(index).offset, layout(index).bytes};
  }
  /// Returns the bytes from one row of the plane to the next.
  [[nodiscard]] std::size_t stride(int index) const { return layout(index).stride; }

 private:
  [[nodiscard]] const video::PictureLayout::Plane& layout(int index) const {
    return picture_.layout().planes[static_cast<std::size_t>(index)];
  }

  std::shared_ptr<Buffer> buffer_;
  video::Picture picture_;
};

/// Work for the requests of one family on one device: programs, intermediate buffers, and the
/// scores from the values that the shaders write. All slots of a scorer share one of these, because
/// its command lists run one after the other in the order of submission. Each pair of pictures has
/// its own `results`, which the host reads.
class FeatureWork {
 public:
  virtual ~FeatureWork() = default;

  /// Returns how many planes the shaders read, from luma on: 1 or 3. The scorer uploads these.
  [[nodiscard]] virtual int planes() const { return 1; }

  /// Returns the bytes of the values that the host needs per pair of pictures. They should be few,
  /// because a Pi's CPU reads them from uncached memory.
  [[nodiscard]] virtual std::size_t result_bytes() const = 0;

  /// Records all work from the pictures' planes to the values in `results`, which the scorer
  /// downloads. `results` has result_bytes() bytes and starts at its buffer's first byte.
  virtual void record(CommandList& list, const DevicePicture& reference,
                      const DevicePicture& distorted, const BufferRange& results) = 0;

  /// Turns the values of a pair into the scores of each request, request by request. For temporal
  /// features they are the values that Feature::finish turns into scores. Returns false if the last
  /// bit of a score is undecided; then `scores` have no meaning, and the work must also implement
  /// HostRecomputation or HostFinishedWork.
  [[nodiscard]] virtual bool score(std::span<const std::byte> results,
                                   std::span<double> scores) const = 0;
};

/// Work of a family of temporal features (metrics::Feature::finish).
class TemporalWork : public FeatureWork {
 public:
  /// Records the work of a picture in a clip. `earlier` are the references of the pictures before
  /// it, the nearest first: as many as the requests' history(), fewer at the start of a clip.
  /// Earlier command lists have uploaded their planes(), and nothing writes them before this list
  /// ends.
  virtual void record_in_clip(CommandList& list, const DevicePicture& reference,
                              std::span<const DevicePicture* const> earlier,
                              const BufferRange& results) = 0;
  /// Records the work of a clip's first picture.
  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& /*distorted*/,
              const BufferRange& results) final {
    record_in_clip(list, reference, {}, results);
  }
};

/// Records the work of a pair: calls record_in_clip() if the work is a TemporalWork, otherwise
/// record().
void record_in_clip(FeatureWork& work, CommandList& list, const DevicePicture& reference,
                    const DevicePicture& distorted, std::span<const DevicePicture* const> earlier,
                    const BufferRange& results);

/// Work whose scores always need the host's kernel: metrics::PairKernel::finish() computes them
/// from the results, because that takes too long for the collecting thread.
class HostFinishedWork : public FeatureWork {
 public:
  [[nodiscard]] bool score(std::span<const std::byte> /*results*/,
                           std::span<double> /*scores*/) const final {
    return false;
  }
};

/// Optional interface of a FeatureWork whose undecided scores the host recomputes.
class HostRecomputation {
 public:
  virtual ~HostRecomputation() = default;

  /// Computes the scores: `host`, the family's kernel for the same requests, recomputes the
  /// undecided values from the pictures. `further` is what SecondPass::record_further() wrote, or
  /// empty. Returns the number of recomputed values. A thread other than score()'s may call it, one
  /// thread at a time.
  virtual std::uint64_t recompute(std::span<const std::byte> results,
                                  std::span<const std::byte> further,
                                  const video::Picture& reference, const video::Picture& distorted,
                                  metrics::PairKernel& host, std::span<double> scores) const = 0;
};

/// Optional interface of a FeatureWork whose device computes further values if score() leaves a
/// score undecided.
class SecondPass : public HostRecomputation {
 public:
  /// Returns the bytes of the further values; 0 if the device cannot help.
  [[nodiscard]] virtual std::size_t further_bytes(std::span<const std::byte> results) const = 0;
  /// Records the further values, from the same pictures to `further` of further_bytes() bytes.
  virtual void record_further(CommandList& list, const DevicePicture& reference,
                              const DevicePicture& distorted, std::span<const std::byte> results,
                              const BufferRange& further) = 0;
  /// Computes the scores as score() does, but with the further values.
  [[nodiscard]] virtual bool score_again(std::span<const std::byte> results,
                                         std::span<const std::byte> further,
                                         std::span<double> scores) const = 0;
};

/// Makes the work for distinct requests of one family, all checked for the format. Throws Error
/// (usage) for options that the shaders do not support, (environment) if the device lacks
/// something.
using WorkMaker =
    std::unique_ptr<FeatureWork> (*)(Device& device, const video::PictureFormat& format,
                                     std::span<const metrics::FeatureRequest> requests);

/// A family on the device.
struct FamilyWork {
  const metrics::FeatureFamily* family;
  WorkMaker make;
  /// Returns why the shaders cannot compute a request, as a sentence without full stop; empty if
  /// they can. A null pointer means that the shaders can compute every request.
  std::string (*refusal)(const metrics::FeatureRequest& request) = nullptr;
};

/// Returns the families that have shaders.
[[nodiscard]] std::span<const FamilyWork> family_works();

}  // namespace sidecore::qpu
