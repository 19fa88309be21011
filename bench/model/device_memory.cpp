#include "model/device_memory.h"

#include <algorithm>
#include <array>

#include "model/board_model.h"
#include "video/picture.h"
#include "vp9/intra_prediction.h"
#include "vp9/loop_filter.h"

namespace sidecore::model {
namespace {

using vp9::kLoadBytes;
using vp9::SampleReads;

/// Returns the reads of `rows` rows of `samples` samples each.
SampleReads rows_of(double rows, int samples, int sample_bytes) {
  const int bytes = samples * sample_bytes;
  const int loads = (bytes + kLoadBytes - 1) / kLoadBytes;
  return {rows * bytes, rows * loads};
}

void add_reads(const SampleReads& more, SampleReads& sum) {
  sum.bytes += more.bytes;
  sum.loads += more.loads;
}

SampleTraffic traffic_of_prediction(const KernelCounts& counts, int sample_bytes) {
  SampleTraffic sum{.reads = counts.reference_reads};
  for (std::size_t average = 0; average < counts.inter.size(); ++average) {
    for (const auto& sizes : counts.inter[average]) {
      for (std::size_t size = 0; size < sizes.size(); ++size) {
        const int width = 4 << size;
        const double rows = sizes[size] * width;  // counts are multiples of squares
        sum.written_bytes += rows * width * sample_bytes;
        if (average == 1) add_reads(rows_of(rows, width, sample_bytes), sum.reads);
      }
    }
  }
  return sum;
}

SampleTraffic traffic_of_residual(const KernelCounts& counts, int sample_bytes) {
  SampleTraffic sum;
  for (std::size_t size = 0; size < counts.transforms.size(); ++size) {
    const int width = 4 << size;
    for (const auto& extents : counts.transforms[size]) {
      for (const double blocks : extents) {
        add_reads(rows_of(blocks * width, width, sample_bytes), sum.reads);
        sum.written_bytes += blocks * width * width * sample_bytes;
      }
    }
  }
  return sum;
}

vp9::IntraNeeds needs_of(std::size_t predictor) {
  switch (predictor) {
    case vp9::kDcOfAbove:
      return {.above = true};
    case vp9::kDcOfLeft:
      return {.left = true};
    case vp9::kDcOfNothing:
      return {};
    default:
      return vp9::intra_needs(static_cast<vp9::PredictionMode>(predictor));
  }
}

SampleTraffic traffic_of_intra(const KernelCounts& counts, int sample_bytes) {
  SampleTraffic sum;
  for (std::size_t predictor = 0; predictor < counts.intra.size(); ++predictor) {
    const vp9::IntraNeeds needs = needs_of(predictor);
    for (std::size_t size = 0; size < counts.intra[predictor].size(); ++size) {
      const double blocks = counts.intra[predictor][size];
      const int width = 4 << size;
      const int above = needs.above_right && size == vp9::kTransform4x4 ? 2 * width : width;
      if (needs.above) add_reads(rows_of(blocks, above, sample_bytes), sum.reads);
      if (needs.left) add_reads(rows_of(blocks * width, 1, sample_bytes), sum.reads);
      sum.written_bytes += blocks * width * width * sample_bytes;
    }
  }
  return sum;
}

SampleTraffic traffic_of_filter(const EdgeCounts& edges, int sample_bytes) {
  constexpr std::array kWidths{4, 8, 16};
  SampleTraffic sum;
  for (std::size_t direction = 0; direction < edges.size(); ++direction) {
    for (std::size_t width = 0; width < kWidths.size(); ++width) {
      const double count = edges[direction][width];
      const int across = 2 * vp9::read_reach(kWidths[width]);
      const bool along_rows = direction == 1;
      add_reads(along_rows ? rows_of(count / 2 * across, 2 * vp9::kEdgeLength, sample_bytes)
                           : rows_of(count * vp9::kEdgeLength, across, sample_bytes),
                sum.reads);
      sum.written_bytes +=
          count * 2 * vp9::write_reach(kWidths[width]) * vp9::kEdgeLength * sample_bytes;
    }
  }
  return sum;
}

}  // namespace

SampleTraffic& SampleTraffic::operator+=(const SampleTraffic& more) {
  add_reads(more.reads, reads);
  written_bytes += more.written_bytes;
  return *this;
}

SampleTraffic SampleTraffic::operator*(double times) const {
  return {{reads.bytes * times, reads.loads * times}, written_bytes * times};
}

vp9::PerStage<SampleTraffic> count_traffic(const KernelCounts& counts, int bits) {
  const int sample_bytes = bits > 8 ? 2 : 1;
  return {traffic_of_prediction(counts, sample_bytes), traffic_of_residual(counts, sample_bytes),
          traffic_of_intra(counts, sample_bytes), traffic_of_filter(counts.edges, sample_bytes)};
}

SampleTraffic count_picture_copy(const Stream& stream) {
  const video::PictureFormat format{stream.width, stream.height, stream.pixel};
  SampleTraffic copy;
  for (int plane = 0; plane < 3; ++plane) {
    add_reads(rows_of(format.plane_height(plane), format.plane_width(plane),
                      static_cast<int>(stream.pixel.bytes_per_sample())),
              copy.reads);
  }
  return copy;
}

Estimate estimate_uncached(const SampleTraffic& traffic, const UncachedRates& rates) {
  const double loaded = traffic.reads.loads * kLoadBytes;
  return {traffic.reads.bytes / rates.read.high,
          loaded / rates.read.expected + traffic.written_bytes / rates.write.expected,
          loaded / rates.read.low + traffic.written_bytes / rates.write.low};
}

Estimate add_uncached(const Estimate& cached, const Estimate& uncached) {
  return {std::max(cached.low, uncached.low), cached.expected + uncached.expected,
          cached.high + uncached.high};
}

}  // namespace sidecore::model
