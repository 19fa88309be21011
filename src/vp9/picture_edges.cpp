#include "base/error.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {
namespace {

void check_values(std::size_t index, const PictureEdge& edge) {
  if (edge.plane > 2) throw usage_error("edge {}: there is no plane {}", index, edge.plane);
  if (edge.width != 4 && edge.width != 8 && edge.width != 16) {
    throw usage_error("edge {}: width {} is none of 4, 8, 16", index, edge.width);
  }
  if (edge.direction != EdgeDirection::vertical && edge.direction != EdgeDirection::horizontal) {
    throw usage_error("edge {}: there is no direction {}", index,
                      static_cast<unsigned>(edge.direction));
  }
  if (edge.level < 1 || edge.level > 63) {
    throw usage_error("edge {}: level {} is outside 1..63", index, edge.level);
  }
  if (edge.x % 4 != 0 || edge.y % 4 != 0) {
    throw usage_error("edge {}: x {}, y {} are not multiples of 4", index, edge.x, edge.y);
  }
}

}  // namespace

template <class Sample>
void check_picture_edges(const LoopFilterPicture<Sample>& picture,
                         std::span<const PictureEdge> edges) {
  if (picture.bits < 8 || picture.bits > 12 || (sizeof(Sample) == 1 && picture.bits != 8)) {
    throw usage_error("samples of {} bits cannot be filtered in {} bytes", picture.bits,
                      sizeof(Sample));
  }
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const PictureEdge& edge = edges[index];
    check_values(index, edge);
    const auto& plane = picture.planes[edge.plane];
    const std::size_t rows = plane.stride == 0 ? 0 : plane.samples.size() / plane.stride;
    const TouchedSamples touched(edge);
    if (touched.left < 0 || touched.top < 0 ||
        static_cast<std::size_t>(touched.right) > plane.stride ||
        static_cast<std::size_t>(touched.bottom) > rows) {
      throw usage_error("edge {}: x {}, y {}, width {} reads beyond plane {} of {}x{} samples",
                        index, edge.x, edge.y, edge.width, edge.plane, plane.stride, rows);
    }
  }
}
template void check_picture_edges(const LoopFilterPicture<std::uint8_t>&,
                                  std::span<const PictureEdge>);
template void check_picture_edges(const LoopFilterPicture<std::uint16_t>&,
                                  std::span<const PictureEdge>);

}  // namespace sidecore::vp9
