#include "model/stream_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "base/error.h"
#include "libav/md5.h"
#include "libav/open.h"
#include "qpu/vp9/back_end.h"
#include "shaderdb/measure.h"
#include "video/packet_source.h"
#include "video/planar_writer.h"
#include "vp9/decoder.h"
#include "vp9/loop_filter.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::model {
namespace {

using vp9::FilterOrder;

double size_of(std::span<const vp9::LoopFilterEdge> edges) {
  return static_cast<double>(edges.size());
}

/// Computes the number of edges in each dispatch of a frame.
class DispatchSizes {
 public:
  std::vector<double> of(FilterOrder schedule, const vp9::FrameBuffer& frame,
                         std::span<const vp9::LoopFilterEdge> edges) {
    return schedule == FilterOrder::levels ? of_levels(edges) : of_waves(frame, edges);
  }

 private:
  std::vector<double> of_levels(std::span<const vp9::LoopFilterEdge> edges) {
    const vp9::EdgeLevels& steps = levels_.schedule(edges);
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

struct Clip {
  std::string name;
  std::vector<std::vector<std::uint8_t>> packets;
};

/// Figures of the loop filter from the simulator, frame by frame.
struct FilterRecord {
  video::PictureFormat format;  ///< format of the first frame
  std::vector<ModelledPicture> pictures;
  ModelledIntervals assumed;
};

FilterRecord record(const Clip& clip, FilterOrder order, qpu::Device& device,
                    const shaderdb::SimulatorRecords& records) {
  vp9::Plan plan = vp9::make_single_stage_plan(vp9::Stage::loop_filter, vp9::Processor::qpu);
  plan.filter_order = order;
  FilterRecord record;
  DispatchSizes sizes;
  std::uint64_t frames = 0;
  vp9::DecoderOptions options;
  options.stream = clip.name;
  options.back_end = qpu::make_back_end(device, plan);
  options.observer = {.parsed = [&](const vp9::ParsedFrame& /*parsed*/) { (void)records.take(); },
                      .filtered =
                          [&](const vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges) {
                            const std::uint64_t number = frames++;
                            if (number == 0) record.format = frame.format();
                            // Waits here, because LoopFilterStage filters in the background.
                            options.back_end->wait(frame);
                            if (edges.all().empty()) return;
                            const std::vector<shaderdb::JobRecord> jobs = records.take();
                            record.pictures.push_back(modelled_picture(
                                number, jobs, sizes.of(order, frame, edges.all())));
                            if (record.assumed.empty()) record.assumed = jobs.front().assumed;
                          }};
  vp9::Decoder decoder(options);
  for (const auto& packet : clip.packets) decoder.decode(packet, [](const auto& /*frame*/) {});
  return record;
}

/// Decodes the clip and returns the MD5 of each frame, shown or hidden.
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

/// Figures of all pixel stages from the simulator, frame by frame.
struct BackEndRecord {
  std::vector<ReconstructedPicture> pictures;
  ModelledIntervals assumed;
};

BackEndRecord record_back_end(const Clip& clip, qpu::Device& device,
                              const shaderdb::SimulatorRecords& records) {
  const auto back_end = std::make_shared<qpu::PictureReconstruction>(device, vp9::kBackEndOnQpu);
  BackEndRecord record;
  bool intra = false;
  vp9::DecoderOptions options;
  options.back_end = back_end;
  options.observer = {.parsed =
                          [&](const vp9::ParsedFrame& parsed) {
                            intra = parsed.header.intra_frame();
                            (void)records.take();
                          },
                      .filtered =
                          [&](const vp9::FrameBuffer& /*frame*/, const auto& /*edges*/) {
                            const std::vector<shaderdb::JobRecord> jobs = records.take();
                            record.pictures.push_back(reconstructed_picture(
                                record.pictures.size(), intra, jobs, back_end->work()));
                            if (record.assumed.empty() && !jobs.empty()) {
                              record.assumed = jobs.front().assumed;
                            }
                          }};
  const std::vector<std::string> ours = digests(clip, options);
  const std::vector<std::string> expected = digests(clip, {});
  for (std::size_t frame = 0; frame < expected.size(); ++frame) {
    if (frame < ours.size() && ours[frame] == expected[frame]) continue;
    throw Error(ErrorKind::failed,
                fmt::format("{}: the QPU's samples of frame {} differ from the scalar decoder's",
                            clip.name, frame));
  }
  return record;
}

ModelledInterval greatest(const shaderdb::ModelledBounds& bounds) {
  ModelledInterval most;
  for (const auto& [name, seconds] : bounds) {
    most.low = std::max(most.low, seconds.low);
    most.high = std::max(most.high, seconds.high);
  }
  return most;
}

std::uint64_t requests_of(const shaderdb::Figures& executed) {
  return executed.at("loads") + executed.at("stores") + executed.at("atomics");
}

void require_jobs(std::span<const shaderdb::JobRecord> jobs, std::size_t dispatches) {
  if (jobs.size() != dispatches) {
    throw environment_error("the simulator recorded {} jobs for {} dispatches", jobs.size(),
                            dispatches);
  }
  if (std::ranges::any_of(jobs,
                          [](const shaderdb::JobRecord& job) { return job.modelled.empty(); })) {
    throw environment_error("the simulator gave no modelled times");
  }
}

}  // namespace

ModelledPicture modelled_picture(std::uint64_t frame, const std::vector<shaderdb::JobRecord>& jobs,
                                 const std::vector<double>& edges) {
  require_jobs(jobs, edges.size());
  ModelledPicture picture;
  picture.frame = frame;
  for (std::size_t dispatch = 0; dispatch < jobs.size(); ++dispatch) {
    const shaderdb::JobRecord& job = jobs[dispatch];
    picture.instructions += job.executed.at("instructions");
    picture.requests += requests_of(job.executed);
    add(picture.bounds, job.modelled);
    picture.two_supergroups += job.two_supergroups;
    picture.dispatches.push_back({edges[dispatch], greatest(job.modelled)});
  }
  return picture;
}

ReconstructedPicture reconstructed_picture(std::uint64_t frame, bool intra,
                                           std::span<const shaderdb::JobRecord> jobs,
                                           const qpu::StageWork& work) {
  ReconstructedPicture picture{.frame = frame, .intra = intra, .stages = {}};
  std::size_t dispatches = 0;
  for (const vp9::Stage stage : vp9::kStages) dispatches += work[stage].size();
  require_jobs(jobs, dispatches);
  auto job = jobs.begin();
  for (const vp9::Stage stage : vp9::kStages) {
    for (const qpu::DispatchWork& of : work[stage]) {
      const std::uint64_t instructions = job->executed.at("instructions");
      const std::uint64_t requests = requests_of(job->executed);
      picture.stages[stage] += {1,
                                instructions,
                                requests,
                                job->modelled,
                                greatest(job->modelled),
                                {{of.unit, of.kind, of.units, 1, instructions, requests}},
                                job->two_supergroups};
      ++job;
    }
  }
  return picture;
}

std::vector<PublishedDesign> published_designs(const shaderdb::Table& table) {
  struct Published {
    vp9::Stage stage;
    const char* kernel;
    const char* variant;
    const char* name;
  };
  using enum vp9::Stage;
  static constexpr std::array<Published, 4> kPublished{
      {{prediction, "inter_prediction", "8x8 along x, published", "8x8 along x, published"},
       {residual, "inverse_transform", "8x8 DCT, published, 64 a workgroup",
        "8x8 DCT, published, workgroups of 64"},
       {residual, "inverse_transform", "8x8 DCT, published, 256 a workgroup",
        "8x8 DCT, published, workgroups of 256"},
       {loop_filter, "loop_filter_h_8", "byte", "edge 8 wide, published"}}};
  std::vector<PublishedDesign> designs;
  for (const Published& published : kPublished) {
    const auto rows = std::ranges::find_if(table.variants, [&](const shaderdb::VariantRows& of) {
      return of.kernel == published.kernel && of.variant == published.variant;
    });
    if (rows == table.variants.end()) {
      throw usage_error("the baseline has no variant '{}' of kernel {} for V3D {}",
                        published.variant, published.kernel, table.v3d);
    }
    PublishedDesign& design = designs.emplace_back();
    design.stage = published.stage;
    design.name = published.name;
    const auto units = static_cast<double>(rows->units);
    for (const shaderdb::ProgramRow& program : rows->programs) {
      if (!program.executed)
        throw usage_error("the baseline has no figures of execution: update it on the simulator");
      design.instructions += static_cast<double>(program.executed->at("instructions")) / units;
      design.requests += static_cast<double>(requests_of(*program.executed)) / units;
    }
  }
  return designs;
}

PictureModel model_stream(const std::string& path, const StreamModelOptions& options,
                          qpu::Device& device, const shaderdb::SimulatorRecords& records) {
  constexpr std::size_t kMaxPackets = 256;
  const auto source = libav::open_packets(path);
  Clip clip{source->name(), video::read_packets(*source, options.packets)};
  FilterRecord levels = record(clip, FilterOrder::levels, device, records);
  // A clip that fades in has no edges at first. Its pictures without edges are simulated quickly.
  while (levels.pictures.empty() && 4 * clip.packets.size() <= kMaxPackets) {
    auto more = video::read_packets(*source, 3 * clip.packets.size());
    if (more.empty()) break;
    std::ranges::move(more, std::back_inserter(clip.packets));
    levels = record(clip, FilterOrder::levels, device, records);
  }
  FilterRecord waves = record(clip, FilterOrder::waves, device, records);
  PictureModel model;
  model.assumed = levels.assumed;
  if (options.back_end) {
    BackEndRecord back_end = record_back_end(clip, device, records);
    model.back_end = std::move(back_end.pictures);
    model.assumed = back_end.assumed;
  } else if (levels.pictures.empty()) {
    throw usage_error("{}: the first {} packets have no edges to filter: model more packets",
                      clip.name, clip.packets.size());
  }
  const video::PictureFormat& format = levels.format;
  model.v3d = shaderdb::v3d_version(device.info());
  model.driver = device.info().driver;
  model.clip = {path,         clip.packets.size(), digest_of(clip.packets),
                format.width, format.height,       format.pixel.bits};
  model.levels = std::move(levels.pictures);
  model.waves = std::move(waves.pictures);
  return model;
}

}  // namespace sidecore::model
