#include "vp9/loop_filter_stage.h"

#include "vp9/loop_filter_schedule.h"

namespace sidecore::vp9 {
namespace {

class CpuLoopFilter final : public LoopFilterStage {
 public:
  void filter(FrameBuffer& frame, const LoopFilterEdges& edges, int sharpness,
              const StageContext& context) override {
    const auto filter_by = [&]<class Sample>(const Dsp<Sample>* dsp) {
      const LoopFilterPlanes<Sample> planes = planes_of<Sample>(frame);
      if (context.team.threads() == 1) return filter_edges(*dsp, planes, edges.all(), sharpness);
      waves_.schedule(edges.all(), PlaneScales(frame.memory.format().pixel.chroma));
      for (std::size_t wave = 0; wave < waves_.count(); ++wave) {
        context.team.run(waves_.superblocks(wave), [&](std::size_t superblock) {
          filter_edges(*dsp, planes, waves_.superblock(wave, superblock), sharpness);
        });
      }
    };
    std::visit(filter_by, context.dsp);
  }

 private:
  SuperblockWaves waves_;
};

}  // namespace

std::unique_ptr<LoopFilterStage> make_cpu_loop_filter() {
  return std::make_unique<CpuLoopFilter>();
}

}  // namespace sidecore::vp9
