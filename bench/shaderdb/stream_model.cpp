#include "shaderdb/stream_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "libav/md5.h"
#include "libav/open.h"
#include "qpu/vp9/loop_filter_stage.h"
#include "shaderdb/measure.h"
#include "video/packet_source.h"
#include "video/planar_writer.h"
#include "vp9/decoder.h"
#include "vp9/loop_filter.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::shaderdb {
namespace {

using qpu::LoopFilterOrder;
using split::ModelledPicture;

double size_of(std::span<const vp9::LoopFilterEdge> edges) {
  return static_cast<double>(edges.size());
}

/// How many edges each dispatch of a frame filters.
class DispatchSizes {
 public:
  std::vector<double> of(LoopFilterOrder schedule, const vp9::FrameBuffer& frame,
                         std::span<const vp9::LoopFilterEdge> edges) {
    return schedule == LoopFilterOrder::levels ? of_levels(edges) : of_waves(frame, edges);
  }

 private:
  std::vector<double> of_levels(std::span<const vp9::LoopFilterEdge> edges) {
    const vp9::EdgeSteps& steps = levels_.schedule(edges);
    const auto sizes = qpu::LoopFilter::dispatch_sizes(steps, steps.count());
    return {sizes.begin(), sizes.end()};
  }

  std::vector<double> of_waves(const vp9::FrameBuffer& frame,
                               std::span<const vp9::LoopFilterEdge> edges) {
    waves_.schedule(edges, vp9::PlaneScales(frame.memory.format().pixel.chroma));
    std::vector<double> sizes;
    for (std::size_t wave = 0; wave < waves_.count(); ++wave) {
      sizes.push_back(0);
      for (std::size_t index = 0; index < waves_.superblocks(wave); ++index) {
        sizes.back() += size_of(waves_.superblock(wave, index));
      }
    }
    return sizes;
  }

  vp9::LevelScheduler levels_;
  vp9::SuperblockWaves waves_;
};

/// Filters as another does, and keeps what the simulator tells of each frame.
class Recorder final : public vp9::LoopFilterStage {
 public:
  Recorder(std::shared_ptr<qpu::LoopFilterStage> filter, LoopFilterOrder schedule,
           const SimulatorRecords& records)
      : filter_(std::move(filter)), schedule_(schedule), records_(records) {}

  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override {
    const std::uint64_t number = frames_++;
    if (number == 0) format_ = frame.format();
    (void)records_.take();
    filter_->filter(frame, edges, sharpness, context);
    filter_->finish(frame);  // it filters in the background
    if (edges.all().empty()) return;
    const std::vector<JobRecord> jobs = records_.take();
    pictures_.push_back(modelled_picture(number, jobs, sizes_.of(schedule_, frame, edges.all())));
    if (assumed_.empty()) assumed_ = jobs.front().assumed;
  }

  [[nodiscard]] std::vector<ModelledPicture>& pictures() { return pictures_; }
  [[nodiscard]] const split::ModelledIntervals& assumed() const { return assumed_; }
  [[nodiscard]] const video::PictureFormat& format() const { return format_; }

 private:
  std::shared_ptr<qpu::LoopFilterStage> filter_;
  LoopFilterOrder schedule_;
  const SimulatorRecords& records_;
  DispatchSizes sizes_;
  std::uint64_t frames_ = 0;
  video::PictureFormat format_;
  std::vector<ModelledPicture> pictures_;
  split::ModelledIntervals assumed_;
};

struct Clip {
  std::string name;
  std::vector<std::vector<std::uint8_t>> packets;
};

std::shared_ptr<Recorder> record(const Clip& clip, LoopFilterOrder schedule, qpu::Device& device,
                                 const SimulatorRecords& records) {
  const auto filter =
      std::make_shared<qpu::LoopFilterStage>(device, qpu::LoopFilterDivision{.order = schedule});
  auto recorder = std::make_shared<Recorder>(filter, schedule, records);
  vp9::DecoderOptions options;
  options.stream = clip.name;
  options.loop_filter = recorder;
  options.allocator = qpu::frame_allocator(filter);
  vp9::Decoder decoder(options);
  for (const auto& packet : clip.packets) decoder.decode(packet, [](const auto& /*frame*/) {});
  return recorder;
}

/// Reconstructs as another does, and keeps what the simulator tells of each frame.
class BackEndRecorder final : public vp9::ReconstructionStage {
 public:
  BackEndRecorder(std::shared_ptr<qpu::PictureReconstruction> stage,
                  const SimulatorRecords& records)
      : stage_(std::move(stage)), records_(records) {}

  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override {
    intra_ = parsed.header.intra_frame();
    (void)records_.take();
    stage_->reconstruct(parsed, context);
  }
  [[nodiscard]] vp9::ResidualMemory residual_memory(std::size_t coefficient_bytes,
                                                    std::size_t transforms) override {
    return stage_->residual_memory(coefficient_bytes, transforms);
  }
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override {
    stage_->filter(frame, edges, sharpness, context);
    const std::vector<JobRecord> jobs = records_.take();
    pictures_.push_back(reconstructed_picture(pictures_.size(), intra_, jobs, stage_->work()));
    if (assumed_.empty() && !jobs.empty()) assumed_ = jobs.front().assumed;
  }
  void finish(const vp9::FrameBuffer& frame) override { stage_->finish(frame); }
  void leave(const vp9::FrameBuffer& frame) override { stage_->leave(frame); }
  void fetch(const vp9::FrameBuffer& frame) override { stage_->fetch(frame); }

  [[nodiscard]] std::vector<split::ReconstructedPicture>& pictures() { return pictures_; }
  [[nodiscard]] const split::ModelledIntervals& assumed() const { return assumed_; }

 private:
  std::shared_ptr<qpu::PictureReconstruction> stage_;
  const SimulatorRecords& records_;
  bool intra_ = false;
  std::vector<split::ReconstructedPicture> pictures_;
  split::ModelledIntervals assumed_;
};

/// MD5 of each frame, shown or hidden.
std::vector<std::string> digests(const Clip& clip, vp9::DecoderOptions options) {
  options.stream = clip.name;
  options.show_hidden = true;
  vp9::Decoder decoder(options);
  std::vector<std::string> all;
  libav::Md5 md5;
  std::vector<std::byte> samples;
  const auto keep = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    if (decoder.shown().repeated) return;
    video::pack_planar(frame->memory, frame->format(), samples);
    md5.update(samples);
    all.push_back(md5.finish());
  };
  for (const auto& packet : clip.packets) decoder.decode(packet, keep);
  decoder.flush(keep);
  return all;
}

std::shared_ptr<BackEndRecorder> record_back_end(const Clip& clip, qpu::Device& device,
                                                 const SimulatorRecords& records) {
  const auto stage =
      std::make_shared<qpu::PictureReconstruction>(device, qpu::ReconstructionPlan{});
  auto recorder = std::make_shared<BackEndRecorder>(stage, records);
  vp9::DecoderOptions options;
  options.reconstruction = recorder;
  options.allocator = qpu::frame_allocator(stage);
  const std::vector<std::string> ours = digests(clip, options);
  const std::vector<std::string> expected = digests(clip, {});
  for (std::size_t frame = 0; frame < expected.size(); ++frame) {
    if (frame < ours.size() && ours[frame] == expected[frame]) continue;
    throw Error(ErrorKind::failed,
                fmt::format("{}: frame {} has other samples on the QPU than the scalar decoder's",
                            clip.name, frame));
  }
  return recorder;
}

split::ModelledInterval greatest(const ModelledBounds& bounds) {
  split::ModelledInterval most;
  for (const auto& [name, seconds] : bounds) {
    most.low = std::max(most.low, seconds.low);
    most.high = std::max(most.high, seconds.high);
  }
  return most;
}

std::uint64_t requests_of(const Figures& executed) {
  return executed.at("loads") + executed.at("stores") + executed.at("atomics");
}

void require_jobs(std::span<const JobRecord> jobs, std::size_t dispatches) {
  if (jobs.size() != dispatches) {
    throw environment_error("the simulator ran {} jobs for {} dispatches", jobs.size(), dispatches);
  }
  if (std::ranges::any_of(jobs, [](const JobRecord& job) { return job.modelled.empty(); })) {
    throw environment_error("the simulator modelled no time");
  }
}

}  // namespace

split::ModelledPicture modelled_picture(std::uint64_t frame, const std::vector<JobRecord>& jobs,
                                        const std::vector<double>& edges) {
  require_jobs(jobs, edges.size());
  ModelledPicture picture;
  picture.frame = frame;
  for (std::size_t dispatch = 0; dispatch < jobs.size(); ++dispatch) {
    const JobRecord& job = jobs[dispatch];
    picture.instructions += job.executed.at("instructions");
    picture.requests += requests_of(job.executed);
    add(picture.bounds, job.modelled);
    picture.dispatches.push_back({edges[dispatch], greatest(job.modelled)});
  }
  return picture;
}

split::ReconstructedPicture reconstructed_picture(std::uint64_t frame, bool intra,
                                                  std::span<const JobRecord> jobs,
                                                  const qpu::StageWork& work) {
  const std::array<std::span<const qpu::DispatchWork>, split::kBackEndStages.size()> stages{
      work.prediction, work.residual, work.intra, work.loop_filter};
  split::ReconstructedPicture picture{.frame = frame, .intra = intra, .stages = {}};
  require_jobs(jobs, std::accumulate(stages.begin(), stages.end(), std::size_t{0},
                                     [](auto sum, const auto& of) { return sum + of.size(); }));
  auto job = jobs.begin();
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    for (const qpu::DispatchWork& of : stages[stage]) {
      const std::uint64_t instructions = job->executed.at("instructions");
      const std::uint64_t requests = requests_of(job->executed);
      picture.stages[stage] += {1,
                                instructions,
                                requests,
                                job->modelled,
                                greatest(job->modelled),
                                {{of.unit, of.kind, of.units, 1, instructions, requests}}};
      ++job;
    }
  }
  return picture;
}

std::vector<split::PublishedDesign> published_designs(const Table& table) {
  struct Published {
    split::BackEndStage stage;
    const char* kernel;
    const char* variant;
    const char* name;
  };
  using enum split::BackEndStage;
  static constexpr std::array<Published, 4> kPublished{
      {{inter_prediction, "inter_prediction", "8x8 along x, published", "8x8 along x, published"},
       {inverse_transform, "inverse_transform", "8x8 DCT, published, 64 a workgroup",
        "8x8 DCT, published, workgroups of 64"},
       {inverse_transform, "inverse_transform", "8x8 DCT, published, 256 a workgroup",
        "8x8 DCT, published, workgroups of 256"},
       {loop_filter, "loop_filter_h_8", "byte", "edge 8 wide, published"}}};
  std::vector<split::PublishedDesign> designs;
  for (const Published& published : kPublished) {
    const auto rows = std::ranges::find_if(table.variants, [&](const VariantRows& of) {
      return of.kernel == published.kernel && of.variant == published.variant;
    });
    if (rows == table.variants.end()) {
      throw usage_error("the baseline has no '{}' of {} on a V3D {}", published.variant,
                        published.kernel, table.v3d);
    }
    split::PublishedDesign& design = designs.emplace_back();
    design.stage = published.stage;
    design.name = published.name;
    const auto units = static_cast<double>(rows->units);
    for (const ProgramRow& program : rows->programs) {
      if (!program.executed) throw usage_error("the baseline has nothing that was executed");
      design.instructions += static_cast<double>(program.executed->at("instructions")) / units;
      design.requests += static_cast<double>(requests_of(*program.executed)) / units;
    }
  }
  return designs;
}

split::PictureModel model_stream(const std::string& path, const StreamModelOptions& options,
                                 qpu::Device& device, const SimulatorRecords& records) {
  const auto source = libav::open_packets(path);
  const Clip clip{source->name(), video::read_packets(*source, options.packets)};
  const auto levels = record(clip, LoopFilterOrder::levels, device, records);
  const auto waves = record(clip, LoopFilterOrder::waves, device, records);
  split::PictureModel model;
  model.assumed = levels->assumed();
  if (options.back_end) {
    const auto back_end = record_back_end(clip, device, records);
    model.back_end = std::move(back_end->pictures());
    model.assumed = back_end->assumed();
  } else if (levels->pictures().empty()) {
    throw usage_error("{}: its first {} packets have no edges to filter", clip.name,
                      clip.packets.size());
  }
  const video::PictureFormat& format = levels->format();
  model.v3d = v3d_version(device.info());
  model.driver = device.info().driver;
  model.clip = {path,         clip.packets.size(), split::digest_of(clip.packets),
                format.width, format.height,       format.pixel.bits};
  model.levels = std::move(levels->pictures());
  model.waves = std::move(waves->pictures());
  return model;
}

}  // namespace sidecore::shaderdb
