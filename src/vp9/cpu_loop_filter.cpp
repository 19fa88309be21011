#include "vp9/back_end.h"
#include "vp9/loop_filter_rows.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/types.h"

namespace sidecore::vp9 {
namespace {

class CpuLoopFilter final : public BackEnd {
 public:
  void filter(FrameBuffer& frame, const LoopFilterEdges& edges, int sharpness,
              const StageContext& context) override {
    const auto superblocks = [](int samples) { return (samples + kSuperblock - 1) / kSuperblock; };
    const video::PictureFormat format = frame.memory.format();
    const int rows = superblocks(format.height);
    rows_.start(rows, superblocks(format.width), rows);
    rows_.divide(edges.all(), PlaneScales(format.pixel.chroma));
    context.clock.lap(ClockRow::loop_filter);
    const auto filter_row = [&](std::size_t row, StageClock& clock) {
      // The result can be ignored: if the row above failed, its own call throws.
      static_cast<void>(rows_.filter(context.dsp, frame, sharpness, static_cast<int>(row), clock));
    };
    context.run(context.team, static_cast<std::size_t>(rows), filter_row);
  }

 private:
  LoopFilterRows rows_;
};

}  // namespace

std::unique_ptr<BackEnd> make_cpu_loop_filter() {
  return std::make_unique<CpuLoopFilter>();
}

}  // namespace sidecore::vp9
