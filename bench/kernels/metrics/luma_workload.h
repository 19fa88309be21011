// Base of the workloads over two luma planes: memory layout, content, and the unit of each byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gates/kernel.h"
#include "kernels/guarded_block.h"
#include "metrics/float_plane.h"
#include "qpu/buffer.h"
#include "video/picture.h"

namespace sidecore::bench {

/// A reference and a distorted luma plane and a region of results, with guard bytes around each.
///
/// Contents have 8 bits, except Content::input:
///   random         two independent noises: differences of every size;
///   smooth         gradients that differ by at most 2;
///   flat           constant within 1;
///   high_variance  samples at the ends of the range, so that sums reach their upper bound;
///   input          the request's pictures with their depth; without WorkloadRequest::other the
///                  distorted plane is the reference plus noise of -3 to 3.
class LumaWorkload : public gates::Workload {
 public:
  /// Creates the workload; `format` must be luma only.
  LumaWorkload(gates::WorkloadRequest request, const video::PictureFormat& format,
               std::string result_name, std::size_t result_bytes);

  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }
  void reset(std::span<std::byte> memory) const override;
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override;
  [[nodiscard]] std::string describe(std::size_t byte) const override;

 protected:
  enum class Plane { reference, distorted };

  /// Overwrites the results, so that results of an earlier run cannot be mistaken for new ones.
  virtual void clear_results(std::span<std::byte> memory) const;
  /// Returns the unit of a byte of the results; nothing for padding.
  [[nodiscard]] virtual std::optional<std::size_t> unit_of_result(std::size_t byte) const = 0;
  [[nodiscard]] virtual std::string describe_result(std::size_t byte) const = 0;
  /// Returns the unit that a sample belongs to; nothing by default.
  [[nodiscard]] virtual std::optional<std::size_t> unit_of_sample(std::size_t x,
                                                                  std::size_t y) const;

  [[nodiscard]] const video::PictureFormat& format() const { return format_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }  ///< returns bytes

  template <class Sample>
  [[nodiscard]] video::PlaneView<Sample> plane(std::span<std::byte> memory, Plane which) const {
    return {reinterpret_cast<Sample*>(block_.part(memory, regions_[index(which)]).data()),
            format_.width, format_.height, static_cast<std::ptrdiff_t>(stride_ / sizeof(Sample))};
  }
  /// Returns the results as an array of `Result`, whose size must divide the size of the results in
  /// bytes.
  template <class Result>
  [[nodiscard]] std::span<Result> results(std::span<std::byte> memory) const {
    const std::span<std::byte> all = block_.part(memory, results_);
    return {reinterpret_cast<Result*>(all.data()), all.size() / sizeof(Result)};
  }

  [[nodiscard]] qpu::BufferRange plane_range(qpu::Buffer& memory, Plane which) const {
    return block_.range(memory, regions_[index(which)]);
  }
  [[nodiscard]] qpu::BufferRange result_range(qpu::Buffer& memory) const {
    return block_.range(memory, results_);
  }

 private:
  static std::size_t index(Plane which) { return static_cast<std::size_t>(which); }
  void synthesize(std::span<std::byte> memory) const;
  template <class Sample>
  void copy_input(std::span<std::byte> memory) const;

  gates::WorkloadRequest request_;
  video::PictureFormat format_;
  std::size_t stride_;
  GuardedBlock block_;
  std::size_t regions_[2] = {};
  std::size_t results_ = 0;
};

/// Workload whose results are rows of floats. A work unit is one row of results.
class FloatRowsWorkload : public LumaWorkload {
 public:
  /// Creates the workload; its `rows` rows of results take `result_bytes` bytes in total.
  FloatRowsWorkload(gates::WorkloadRequest request, const video::PictureFormat& format,
                    std::size_t rows, std::size_t result_bytes);

  [[nodiscard]] std::size_t units() const override { return rows_; }

 protected:
  /// Returns the row of results that contains the float with this index in the region.
  [[nodiscard]] virtual std::size_t row_of(std::size_t number) const = 0;

  /// Converts rows of a plane to floats, starting with row `first`; `samples` determines the number
  /// of rows.
  void load(std::span<std::byte> memory, Plane which, int first, metrics::FloatView samples) const;
  /// Returns a view of rows of an 8-bit plane, without a copy.
  [[nodiscard]] video::PlaneView<const std::uint8_t> byte_rows(std::span<std::byte> memory,
                                                               Plane which, int first,
                                                               int rows) const;

 private:
  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override;
  [[nodiscard]] std::string describe_result(std::size_t byte) const override;

  std::size_t rows_;
};

/// Returns the luma format of a request: 8 bits for synthetic contents, the pictures' format for
/// Content::input. Throws Error (usage) that names `kernel` if the picture is missing or the two
/// pictures' formats differ.
[[nodiscard]] video::PictureFormat luma_format(const gates::WorkloadRequest& request,
                                               const char* kernel);

}  // namespace sidecore::bench
