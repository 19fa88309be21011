#include "tools/cdef_peers.h"

#include <array>
#include <cstddef>
#include <cstdint>

// Functions of dav1d 1.0 that no public header declares. Strides are in bytes. The functions for 16
// bits take the largest sample as a last argument, which those for 8 bits ignore.
extern "C" {

enum Dav1dEdges : unsigned { kNone = 0, kLeft = 1, kRight = 2, kTop = 4, kBottom = 8 };

using Dav1dFindDirection = int (*)(const void* samples, std::ptrdiff_t stride, unsigned* variance,
                                   int most);
/// `left` are the two samples before each row, `top` and `bottom` begin at the first of two rows.
using Dav1dFilter = void (*)(void* samples, std::ptrdiff_t stride, const void* left,
                             const void* top, const void* bottom, int primary, int secondary,
                             int direction, int damping, Dav1dEdges edges, int most);
struct Dav1dCdef {
  Dav1dFindDirection find_direction;
  Dav1dFilter filter[3];  ///< blocks of 8x8, 4x8 and 4x4
};
void dav1d_cdef_dsp_init_8bpc(Dav1dCdef* functions);
void dav1d_cdef_dsp_init_16bpc(Dav1dCdef* functions);
void dav1d_init_cpu(void);
}

namespace sidecore::bench {
namespace {

template <class Sample>
class Dav1dPicture {
 public:
  Dav1dPicture(const av1::CdefCapture& capture, video::Picture& to, const Dav1dCdef& functions)
      : capture_(capture),
        planes_(av1::cdef_planes<Sample>(capture.before, to)),
        grid_(to.format()),
        functions_(functions) {}

  void filter() {
    for (int row = 0; row < grid_.rows; ++row) {
      for (int column = 0; column < grid_.columns; ++column) filter_block(column, row);
    }
  }

 private:
  // The block's right and lower neighbours are not filtered yet. The upper and the left ones are,
  // so they come from the picture before the filter.
  void filter_block(int column, int row) {
    av1::for_each_cdef_plane(
        capture_.frame, grid_.filter_columns, planes_.planes, planes_.bits, column, row,
        [&] { return find_direction(column, row); },
        [&](std::size_t plane, const av1::CdefBlock& block) {
          if (block.primary != 0 || block.secondary != 0) {
            filter_plane(plane, block, column, row);
          }
        });
  }

  av1::CdefDirection find_direction(int column, int row) {
    const video::PlaneView<const Sample>& luma = planes_.from[0];
    av1::CdefDirection found;
    found.direction = functions_.find_direction(luma.row(8 * row) + 8 * column, bytes(luma.stride),
                                                &found.variance, most());
    return found;
  }

  void filter_plane(std::size_t plane, const av1::CdefBlock& block, int column, int row) {
    const int side = plane == 0 ? 8 : 4;
    const int x = side * column;
    const int y = side * row;
    const video::PlaneView<const Sample>& before = planes_.from[plane];
    std::array<std::array<Sample, 2>, 8> left{};
    if (column > 0) {
      for (int k = 0; k < side; ++k) {
        const Sample* const samples = before.row(y + k) + x - 2;
        left[static_cast<std::size_t>(k)] = {samples[0], samples[1]};
      }
    }
    const auto edges = static_cast<Dav1dEdges>(
        (column > 0 ? kLeft : kNone) | (column + 1 < grid_.columns ? kRight : kNone) |
        (row > 0 ? kTop : kNone) | (row + 1 < grid_.rows ? kBottom : kNone));
    const Sample* const top = row > 0 ? before.row(y - 2) + x : nullptr;
    const Sample* const bottom = row + 1 < grid_.rows ? before.row(y + side) + x : nullptr;
    const video::PlaneView<Sample>& to = planes_.to[plane];
    functions_.filter[plane == 0 ? 0 : 2](to.row(y) + x, bytes(to.stride), left.data(), top, bottom,
                                          block.primary, block.secondary, block.direction,
                                          block.damping, edges, most());
  }

  static std::ptrdiff_t bytes(std::ptrdiff_t samples) {
    return samples * static_cast<std::ptrdiff_t>(sizeof(Sample));
  }
  [[nodiscard]] int most() const { return (1 << planes_.bits) - 1; }

  const av1::CdefCapture& capture_;
  av1::CdefPlanes<Sample> planes_;
  av1::CdefGrid grid_;
  const Dav1dCdef& functions_;
};

Dav1dCdef functions_of(void (*init)(Dav1dCdef*)) {
  dav1d_init_cpu();
  Dav1dCdef functions{};
  init(&functions);
  return functions;
}

}  // namespace

void run_dav1d_cdef_8(const av1::CdefCapture& capture, video::Picture& to) {
  static const Dav1dCdef kFunctions = functions_of(dav1d_cdef_dsp_init_8bpc);
  Dav1dPicture<std::uint8_t>(capture, to, kFunctions).filter();
}

void run_dav1d_cdef_16(const av1::CdefCapture& capture, video::Picture& to) {
  static const Dav1dCdef kFunctions = functions_of(dav1d_cdef_dsp_init_16bpc);
  Dav1dPicture<std::uint16_t>(capture, to, kFunctions).filter();
}

}  // namespace sidecore::bench
