#include "split/picture_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text_table.h"
#include "libav/md5.h"

namespace sidecore::split {
namespace {

template <class Part>
double mean(std::span<const ModelledPicture> pictures, Part part) {
  double sum = 0;
  for (const ModelledPicture& picture : pictures) sum += static_cast<double>(part(picture));
  return pictures.empty() ? 0 : sum / static_cast<double>(pictures.size());
}

std::vector<std::string> row(const char* schedule, std::span<const ModelledPicture> pictures,
                             double overhead) {
  const auto milliseconds = [&](double ModelledInterval::*end) {
    return 1e3 *
           mean(pictures, [&](const auto& picture) { return picture.seconds(overhead).*end; });
  };
  return {schedule,
          fmt::format("{}", pictures.size()),
          fmt::format("{:.1f}", mean(pictures, [](const auto& p) { return p.dispatches.size(); })),
          fmt::format("{:.0f}", mean(pictures, [](const auto& p) { return p.edges(); })),
          fmt::format("{:.0f}", mean(pictures, [](const auto& p) { return p.instructions; })),
          fmt::format("{:.0f}", mean(pictures, [](const auto& p) { return p.requests; })),
          fmt::format("{:.2f} .. {:.2f}", milliseconds(&ModelledInterval::low),
                      milliseconds(&ModelledInterval::high))};
}

}  // namespace

double ModelledPicture::edges() const {
  return std::accumulate(dispatches.begin(), dispatches.end(), 0.0,
                         [](double sum, const auto& dispatch) { return sum + dispatch.edges; });
}

ModelledInterval ModelledPicture::seconds(double dispatch_overhead) const {
  ModelledInterval sum{dispatch_overhead, 0};
  for (const ModelledDispatch& dispatch : dispatches) {
    sum.low += dispatch.seconds.low;
    sum.high += dispatch.seconds.high + dispatch_overhead;
  }
  return sum;
}

std::string digest_of(std::span<const std::vector<std::uint8_t>> packets) {
  libav::Md5 md5;
  for (const auto& packet : packets) md5.update(std::as_bytes(std::span(packet)));
  return md5.finish();
}

ModelledLines lines_of(std::span<const ModelledPicture> pictures, double dispatch_overhead) {
  std::vector<Load> loads;
  std::vector<double> low;
  std::vector<double> high;
  for (const ModelledPicture& picture : pictures) {
    for (const ModelledDispatch& dispatch : picture.dispatches) {
      loads.push_back({1, dispatch.edges});
      low.push_back(dispatch.seconds.low);
      high.push_back(dispatch.seconds.high + dispatch_overhead);
    }
  }
  return {fit_cost(loads, low), fit_cost(loads, high)};
}

double greatest_miss(std::span<const ModelledPicture> pictures, const ModelledLines& lines) {
  double greatest = 0;
  for (const ModelledPicture& picture : pictures) {
    const double own = picture.seconds(0).low;
    const double of_line =
        lines.low.seconds({static_cast<double>(picture.dispatches.size()), picture.edges()});
    if (own <= 0 || of_line <= 0) continue;
    greatest = std::max({greatest, own / of_line - 1, of_line / own - 1});
  }
  return greatest;
}

std::string to_text(const PictureModel& model) {
  TextTable table({"schedule", "pictures", "dispatches", "edges", "instructions", "requests",
                   "model, ms a picture"},
                  1);
  table.add(row("levels", model.levels, model.dispatch_overhead()));
  table.add(row("waves", model.waves, model.dispatch_overhead()));
  return fmt::format(
      "'{}': the first {} packets, {}x{}, {} bits\n"
      "model of a V3D {} at {:.0f} MHz and {:.2f} GB/s, not measured; {}\n\n{}",
      model.clip.name, model.clip.packets, model.clip.width, model.clip.height, model.clip.bits,
      model.v3d, model.assumed.at("clock_hz").high / 1e6,
      model.assumed.at("memory_bytes_per_second").high / 1e9, model.driver, table.text());
}

}  // namespace sidecore::split
