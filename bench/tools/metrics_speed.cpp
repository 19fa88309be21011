// Compares the speed of each feature's implementations. They take turns within one run on one
// machine, so that ratios hold even if times vary. On lavapipe, the device's figure is that of a
// CPU.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "metrics/feature_family.h"
#include "metrics/host_scorer.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"
#include "video/synthetic_clip.h"
#include "video/y4m_writer.h"

namespace {

using namespace sidecore;

struct Options {
  int width = 1920;
  int height = 1080;
  int bits = 8;
  std::size_t rounds = 5;
  std::size_t pairs = 4;
  std::vector<std::string> features;
  std::string device;
  bool qpu = true;
  std::filesystem::path write_clip;
};

/// Times of an implementation for a pair of pictures, in milliseconds.
struct Times {
  std::vector<double> ms;

  [[nodiscard]] double median() const {
    std::vector<double> sorted = ms;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

enum Backend : std::size_t { scalar, neon, neon2, qpu_device, kBackends };
constexpr const char* kNames[] = {"scalar", "neon", "neon x2", "qpu"};

/// A feature, or several features together, with all implementations.
struct Row {
  std::string name;
  std::vector<metrics::FeatureRequest> requests;
  std::vector<Times> times = std::vector<Times>(kBackends);
};

void fill(metrics::PictureScorer& scorer, const video::SyntheticClip& clip) {
  for (std::size_t slot = 0; slot < scorer.slots(); ++slot) {
    const auto t = static_cast<int>(slot);
    clip.fill_reference(t, scorer.reference(slot));
    clip.fill_distorted(t, scorer.reference(slot), scorer.distorted(slot));
  }
}

/// Returns milliseconds per pair with all slots in use, after one pair that is not counted.
double time_pairs(metrics::PictureScorer& scorer, std::size_t pairs) {
  scorer.submit(0);
  (void)scorer.collect(0);
  const std::size_t slots = std::min(scorer.slots(), pairs);
  const Clock::time_point start = Clock::now();
  std::size_t submitted = 0;
  while (submitted < slots) scorer.submit(submitted++);
  for (std::size_t collected = 0; collected < pairs; ++collected) {
    (void)scorer.collect(collected % slots);
    if (submitted < pairs) scorer.submit(submitted++ % slots);
  }
  return 1e3 * seconds(Clock::now() - start) / static_cast<double>(pairs);
}

std::unique_ptr<metrics::PictureScorer> make_scorer(Backend backend, const Row& row,
                                                    const video::PictureFormat& format,
                                                    qpu::Device* device) {
  switch (backend) {
    case scalar:
      return metrics::make_host_scorer(format, row.requests, metrics::scalar_kernels, 1);
    case neon:
      return metrics::make_host_scorer(format, row.requests, neon::kernels, 1);
    case neon2:
      return metrics::make_host_scorer(format, row.requests, neon::kernels, 2);
    default:
      return qpu::make_picture_scorer(*device, format, row.requests, neon::kernels);
  }
}

std::vector<Row> make_rows(const Options& options) {
  std::vector<Row> rows;
  std::vector<std::string> names = options.features;
  if (names.empty()) {
    for (const metrics::FeatureFamily* const family : metrics::families()) {
      for (const metrics::Feature& feature : family->features) {
        const bool has_shader = qpu::refusal(metrics::parse_feature_request(feature.name)).empty();
        if (has_shader || !options.qpu) names.emplace_back(feature.name);
      }
    }
  }
  std::vector<metrics::FeatureRequest> all;
  for (const std::string& name : names) {
    all.push_back(metrics::parse_feature_request(name));
    rows.push_back({name, {all.back()}});
  }
  if (all.size() > 1) rows.push_back({"all together", all});
  return rows;
}

void print(const std::vector<Row>& rows, const qpu::Device* device) {
  fmt::print("median ms per pair\n{:<28}", "");
  const std::size_t backends = device ? kBackends : qpu_device;
  for (std::size_t i = 0; i < backends; ++i) fmt::print(" {:>9}", kNames[i]);
  fmt::print("  scalar/neon  neon/neon x2{}\n", device ? "  qpu/scalar" : "");
  for (const Row& row : rows) {
    fmt::print("{:<28}", row.name);
    for (std::size_t i = 0; i < backends; ++i) fmt::print(" {:>9.2f}", row.times[i].median());
    fmt::print("  {:>11.2f}  {:>12.2f}", row.times[scalar].median() / row.times[neon].median(),
               row.times[neon].median() / row.times[neon2].median());
    if (device) {
      fmt::print("  {:>10.2f}", row.times[qpu_device].median() / row.times[scalar].median());
    }
    fmt::print("\n");
  }
  if (device) fmt::print("the device of qpu is {}\n", device->info().name);
}

void write_clip(const video::SyntheticClip& clip, int pairs,
                const std::filesystem::path& directory) {
  video::Y4mWriter reference(directory / "reference.y4m", clip.format(), {25, 1});
  video::Y4mWriter distorted(directory / "distorted.y4m", clip.format(), {25, 1});
  for (int t = 0; t < pairs; ++t) {
    reference.write(clip.reference(t));
    distorted.write(clip.distorted(t));
  }
  reference.commit();
  distorted.commit();
}

void run(const Options& options) {
  const video::PictureFormat format{
      options.width, options.height, {video::Chroma::c420, options.bits}};
  const video::SyntheticClip clip(format);
  if (!options.write_clip.empty()) {
    return write_clip(clip, static_cast<int>(options.pairs), options.write_clip);
  }
  std::unique_ptr<qpu::Device> device;
  if (options.qpu) {
    qpu::DeviceOptions device_options = qpu::DeviceOptions::from_environment();
    device_options.selector = options.device;
    device = qpu::Device::open(device_options);
  }
  std::vector<Row> rows = make_rows(options);
  for (std::size_t round = 0; round < options.rounds; ++round) {
    for (Row& row : rows) {
      for (const Backend backend : {scalar, neon, neon2, qpu_device}) {
        if (backend == qpu_device && !device) continue;
        const auto scorer = make_scorer(backend, row, format, device.get());
        fill(*scorer, clip);
        row.times[backend].ms.push_back(time_pairs(*scorer, options.pairs));
      }
    }
  }
  fmt::print("{}, {} rounds\n", to_string(format), options.rounds);
  print(rows, device.get());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Times the implementations of each feature in turn, and prints their ratios.");
  app.add_option("--width", options.width)->capture_default_str();
  app.add_option("--height", options.height)->capture_default_str();
  app.add_option("--bits", options.bits)->capture_default_str();
  app.add_option("--rounds", options.rounds)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--pairs", options.pairs, "Number of picture pairs per measurement")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--feature", options.features,
                 "Feature to time; by default each feature, then all together");
  app.add_option("--device", options.device,
                 "Vulkan device for qpu: its index, its type, or part of its name");
  app.add_flag("!--no-qpu", options.qpu, "Time only scalar code and NEON");
  app.add_option("--write-clip", options.write_clip,
                 "Time nothing; write --pairs pairs of the clip to reference.y4m and distorted.y4m "
                 "in this directory");
  try {
    app.parse(argc, argv);
    run(options);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const sidecore::Error& error) {
    fmt::print(stderr, "metrics_speed: {}\n", error.what());
    return error.exit_status();
  }
}
