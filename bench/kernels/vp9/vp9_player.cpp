#include "kernels/vp9/vp9_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/vp9/frame_capture.h"
#include "libav/md5.h"
#include "neon/vp9/dsp.h"
#include "qpu/vp9/inter_prediction.h"
#include "qpu/vp9/intra_prediction.h"
#include "qpu/vp9/inverse_transform.h"
#include "qpu/vp9/loop_filter.h"
#include "video/packet_source.h"
#include "video/planar_writer.h"
#include "vp9/decoder.h"

namespace sidecore::bench {
namespace {

using vp9::Processor;
using Frame = std::shared_ptr<const vp9::FrameBuffer>;

struct Clip {
  std::string name;
  std::vector<std::vector<std::uint8_t>> packets;
};

Clip read_clip(video::PacketSource& source, std::size_t most) {
  Clip clip{source.name(), video::read_packets(source, most)};
  if (clip.packets.empty()) throw usage_error("{} has no packet", clip.name);
  return clip;
}

vp9::Plan plan_of(Processor processor, std::optional<vp9::Stage> stage) {
  vp9::Plan plan;
  if (processor == Processor::scalar || !stage) {
    plan = vp9::Plan::parse(to_string(processor));
  } else {
    plan = vp9::make_single_stage_plan(*stage, processor);
  }
  plan.check();
  return plan;
}

vp9::DecoderOptions decoder_options(const gates::PlaybackRequest& request, const vp9::Plan& plan,
                                    const std::string& stream) {
  vp9::DecoderOptions options;
  options.stream = stream;
  options.threads = request.threads;
  if (request.processor != Processor::scalar) options.dsp = &neon::vp9_dsp();
  if (plan.uses_qpu()) options.back_end = qpu::make_back_end(*request.device, plan);
  return options;
}

class Vp9Player final : public gates::PlaybackTest {
 public:
  Vp9Player(Clip clip, std::string plan, const vp9::DecoderOptions& options)
      : clip_(std::move(clip)),
        plan_(std::move(plan)),
        decoder_(options),
        shows_(clip_.packets.size()),
        numbers_(clip_.packets.size()) {}

  [[nodiscard]] std::string checksum() override {
    libav::Md5 md5;
    std::vector<std::byte> samples;
    const auto add = [&](const vp9::FrameBuffer& frame) {
      video::pack_planar(frame.memory, frame.format(), samples);
      md5.update(samples);
    };
    const std::uint64_t before = counts_.pictures;
    play_once(add);
    if (counts_.pictures == before) {
      throw usage_error("{} has no picture to show", origin());
    }
    return md5.finish();
  }

  [[nodiscard]] double play(Nanoseconds window) override {
    const auto discard = [](const vp9::FrameBuffer& /*frame*/) {};
    const std::uint64_t before = counts_.pictures;
    const Clock::time_point start = Clock::now();
    do {
      play_once(discard);
    } while (Clock::now() - start < window);
    return static_cast<double>(counts_.pictures - before) / seconds(Clock::now() - start);
  }

  void play_at(gates::Pace& pace, Nanoseconds window) override {
    const auto discard = [](const vp9::FrameBuffer& /*frame*/) {};
    // A first pass finds out which packets show a picture. Packets that show none are released with
    // the next picture.
    if (counts_.pictures == 0) play_once(discard);
    pace.begin(decoder_.frames_in_flight() + 1);
    pace_ = &pace;
    do {
      play_once(discard);
    } while (pace.elapsed() < window);
    pace_ = nullptr;
    pace.end();
  }

  [[nodiscard]] gates::PlaybackCounts counts() const override {
    gates::PlaybackCounts counts = counts_;
    counts.frames = decoder_.statistics().frames;
    const vp9::BackEndStatistics filtering = decoder_.back_end_statistics();
    counts.submissions = filtering.submissions;
    counts.fence_waits = filtering.fence_waits;
    return counts;
  }

  [[nodiscard]] std::string plan() const override { return plan_; }

  [[nodiscard]] std::string origin() const override {
    return fmt::format("{} packets of {}", clip_.packets.size(), clip_.name);
  }

 private:
  /// Decodes the clip once. A clip that does not begin with a key frame is reported as damaged.
  template <class Look>
  void play_once(const Look& look) {
    const vp9::Decoder::Show show = [&](const Frame& frame) {
      const auto packet = static_cast<std::size_t>(decoder_.shown().tag.time_stamp);
      shows_[packet] = true;
      look(*frame);
      if (pace_ != nullptr) pace_->show(numbers_[packet]);
      ++counts_.pictures;
    };
    bool released = false;
    for (std::size_t packet = 0; packet < clip_.packets.size(); ++packet) {
      if (pace_ != nullptr && !released) newest_ = pace_->release();
      numbers_[packet] = newest_;
      released = !shows_[packet];
      decoder_.decode(clip_.packets[packet], show,
                      {.time_stamp = static_cast<std::int64_t>(packet)});
    }
    decoder_.flush(show);
  }

  Clip clip_;
  std::string plan_;
  vp9::Decoder decoder_;
  gates::Pace* pace_ = nullptr;       // pace of the running time window; null: play at full speed
  std::vector<bool> shows_;           // true: the packet has shown a picture in an earlier pass
  std::vector<std::size_t> numbers_;  // number, in the pace, of each packet's picture
  std::size_t newest_ = 0;            // number, in the pace, of the last released picture
  gates::PlaybackCounts counts_;
};

}  // namespace

std::unique_ptr<gates::PlaybackTest> make_vp9_player(const gates::PlaybackRequest& request,
                                                     std::optional<vp9::Stage> stage) {
  const vp9::Plan plan = plan_of(request.processor, stage);
  const auto source = open_vp9(request.clip, request.start_at_key_frame);
  if (source == nullptr) return nullptr;
  const bool stand_in = request.device != nullptr && request.device->info().is_cpu();
  return std::make_unique<Vp9Player>(
      read_clip(*source, request.frames.value_or(stand_in ? kPacketsOnCpuDevice : kPackets)),
      to_text(plan), decoder_options(request, plan, source->name()));
}

void play_stage(gates::Kernel& kernel, vp9::Stage stage) {
  switch (stage) {
    case vp9::Stage::prediction:
      kernel.player_stage = "inter prediction";
      break;
    case vp9::Stage::residual:
      kernel.player_stage = "residual";
      break;
    case vp9::Stage::intra:
      kernel.player_stage = "intra prediction";
      kernel.division_refusal = "each row of intra blocks depends on the row above";
      break;
    case vp9::Stage::loop_filter:
      kernel.player_stage = "loop filter";
      break;
  }
  kernel.make_player = [stage](const gates::PlaybackRequest& request) {
    return make_vp9_player(request, stage);
  };
}

gates::Kernel vp9_back_end() {
  std::vector<qpu::Shader> shaders = qpu::InterPrediction::shaders(8);
  std::ranges::move(qpu::InverseTransform::shaders(), std::back_inserter(shaders));
  shaders.push_back(qpu::intra_prediction_shader(8));
  shaders.push_back(qpu::loop_filter_shader(vp9::FilterOrder::levels));
  gates::Kernel kernel{.name = "vp9_back_end",
                       .description = "VP9 decoder, all pixel stages, on a clip",
                       .unit = "picture",
                       .module = "vp9"};
  kernel.variants = {{"pictures", std::move(shaders)}};
  kernel.player_stage = "back end";
  kernel.make_player = [](const gates::PlaybackRequest& request) {
    return make_vp9_player(request, std::nullopt);
  };
  return kernel;
}

}  // namespace sidecore::bench
