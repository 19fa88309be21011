#include "vp9/picture_filter.h"

#include "base/error.h"
#include "vp9/edge_schedule.h"

namespace sidecore::vp9 {
namespace {

class CpuFilter final : public PictureFilter {
 public:
  CpuFilter(const EdgeListFilters& filters, const char* name) : filters_(filters), name_(name) {}

  void filter(FrameBuffer& frame, const PictureEdges& edges, int sharpness,
              ThreadTeam& team) override {
    const int bits = frame.memory.format().pixel.bits;
    if (bits == 8) {
      filter_planes(filters_.of_bytes, filter_view<std::uint8_t>(frame), edges, sharpness, team);
    } else if (filters_.of_words != nullptr) {
      filter_planes(filters_.of_words, filter_view<std::uint16_t>(frame), edges, sharpness, team);
    } else {
      throw usage_error("the {} loop filter is for samples of 8 bits, not {}", name_, bits);
    }
  }

 private:
  template <class Sample>
  void filter_planes(EdgeListFilter<Sample> filter_list, const LoopFilterPicture<Sample>& picture,
                     const PictureEdges& edges, int sharpness, ThreadTeam& team) {
    if (team.threads() == 1) return filter_list(picture, edges.all(), sharpness);
    const bool subsampled = picture.planes[0].stride != picture.planes[1].stride;
    waves_.schedule(edges.all(),
                    PlaneScales(subsampled ? video::Chroma::c420 : video::Chroma::c444));
    for (std::size_t wave = 0; wave < waves_.count(); ++wave) {
      team.run(waves_.superblocks(wave), [&](std::size_t superblock) {
        filter_list(picture, waves_.superblock(wave, superblock), sharpness);
      });
    }
  }

  EdgeListFilters filters_;
  const char* name_;
  SuperblockWaves waves_;
};

}  // namespace

std::unique_ptr<PictureFilter> make_scalar_filter() {
  return make_cpu_filter(
      {filter_edges_in_order<std::uint8_t>, filter_edges_in_order<std::uint16_t>}, "scalar");
}

std::unique_ptr<PictureFilter> make_cpu_filter(const EdgeListFilters& filters, const char* name) {
  return std::make_unique<CpuFilter>(filters, name);
}

}  // namespace sidecore::vp9
