// A workload over two luma planes whose results are rows of floats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/guarded_block.h"
#include "gates/kernel.h"
#include "metrics/float_plane.h"
#include "qpu/buffer.h"
#include "video/picture.h"

namespace sidecore::bench {

/// Two luma planes, filled as float_psnr's are, and a region of results. Unit: a row of results.
class LumaWorkload : public gates::Workload {
 public:
  /// `format` is luma only; `rows` rows of results take `result_bytes` altogether.
  LumaWorkload(gates::WorkloadRequest request, const video::PictureFormat& format, std::size_t rows,
               std::size_t result_bytes);

  [[nodiscard]] std::size_t units() const override { return rows_; }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }
  void reset(std::span<std::byte> memory) const override;
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override;
  [[nodiscard]] std::string describe(std::size_t byte) const override;

 protected:
  enum class Plane { reference, distorted };

  /// The row of results that a float belongs to, by its number in the region.
  [[nodiscard]] virtual std::size_t row_of(std::size_t number) const = 0;

  [[nodiscard]] const video::PictureFormat& format() const { return format_; }
  /// Rows of a plane, from `first` on, as many as there are in `samples`, as floats.
  void load(std::span<std::byte> memory, Plane plane, int first, metrics::FloatView samples) const;
  /// Rows of an 8-bit plane where they are.
  [[nodiscard]] video::PlaneView<const std::uint8_t> byte_rows(std::span<std::byte> memory,
                                                               Plane plane, int first,
                                                               int rows) const;
  [[nodiscard]] std::span<float> results(std::span<std::byte> memory) const;

  [[nodiscard]] qpu::BufferRange plane_range(qpu::Buffer& memory, Plane plane) const;
  [[nodiscard]] std::size_t stride() const;
  [[nodiscard]] qpu::BufferRange result_range(qpu::Buffer& memory) const;

 private:
  template <class Sample>
  [[nodiscard]] video::PlaneView<Sample> view(std::span<std::byte> memory, Plane plane) const;
  template <class Sample>
  void copy_input(std::span<std::byte> memory) const;

  gates::WorkloadRequest request_;
  video::PictureFormat format_;
  std::size_t rows_;
  GuardedBlock block_;
  std::size_t regions_[2] = {};
  std::size_t results_ = 0;
};

/// The luma format of a request: 8 bits for synthetic contents, the pictures' own for
/// Content::input. Throws Error (usage) that names `kernel` when a picture is missing or two
/// differ.
[[nodiscard]] video::PictureFormat luma_format(const gates::WorkloadRequest& request,
                                               const char* kernel);

}  // namespace sidecore::bench
