#include "model/picture_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/text_table.h"
#include "libav/md5.h"
#include "vp9/stage_clock.h"

namespace sidecore::model {
namespace {

const char* spoken(vp9::Stage stage) {
  return to_string(vp9::row_of(stage));
}

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
  const double two =
      1e3 * mean(pictures, [&](const ModelledPicture& picture) {
        const ModelledInterval one = picture.seconds(overhead);
        return one.middle() + picture.two_supergroups.middle() - picture.seconds(0).middle();
      });
  return {schedule,
          fmt::format("{}", pictures.size()),
          fmt::format("{:.1f}", mean(pictures, [](const auto& p) { return p.dispatches.size(); })),
          fmt::format("{:.0f}", mean(pictures, [](const auto& p) { return p.edges(); })),
          fmt::format("{:.0f}", mean(pictures, [](const auto& p) { return p.instructions; })),
          fmt::format("{:.0f}", mean(pictures, [](const auto& p) { return p.requests; })),
          fmt::format("{:.2f} .. {:.2f}", milliseconds(&ModelledInterval::low),
                      milliseconds(&ModelledInterval::high)),
          fmt::format("{:.2f}", two)};
}

void add_to(ModelledUnits& sum, const ModelledUnits& more) {
  sum.units += more.units;
  sum.dispatches += more.dispatches;
  sum.instructions += more.instructions;
  sum.requests += more.requests;
}

/// Sums over pictures, with the number of pictures.
struct Sums {
  double pictures = 0;
  vp9::PerStage<ModelledStage> stages;
  ModelledInterval fixed;
};

Sums sums_of(const PictureModel& model, std::optional<bool> intra) {
  Sums sums;
  for (const ReconstructedPicture& picture : model.back_end) {
    if (intra && picture.intra != *intra) continue;
    sums.pictures += 1;
    sums.stages += picture.stages;
    sums.fixed += model.fixed_costs().of(picture.dispatches());
  }
  return sums;
}

/// Returns a table with a row per stage, a row for the fixed costs, and a row for the total.
TextTable stage_table(const Sums& sums, const PictureModel& model) {
  const auto mean_of = [&](double sum) { return sum / sums.pictures; };
  const auto milliseconds = [&](double seconds) {
    return fmt::format("{:.2f}", 1e3 * mean_of(seconds));
  };
  const auto row_of = [&](std::string name, const ModelledStage& stage, std::string part) {
    const auto bound = [&](const char* which) { return milliseconds(stage.bounds.at(which).high); };
    return std::vector<std::string>{
        std::move(name),
        fmt::format("{:.1f}", mean_of(static_cast<double>(stage.dispatches))),
        fmt::format("{:.0f}", mean_of(static_cast<double>(stage.instructions))),
        fmt::format("{:.0f}", mean_of(static_cast<double>(stage.requests))),
        bound("issue"),
        bound("tmu"),
        bound("memory"),
        milliseconds(stage.seconds.low),
        milliseconds(stage.seconds.middle()),
        milliseconds(stage.seconds.high),
        milliseconds(stage.two_supergroups.middle()),
        std::move(part)};
  };
  TextTable table(
      {"stage", "dispatches", "instructions", "requests", "issue, ms", "requests, ms", "memory, ms",
       "low, ms", "middle, ms", "high, ms", "two supergroups, ms", "greatest part"},
      1);
  ModelledStage all;
  for (const vp9::Stage which : vp9::kStages) {
    const ModelledStage& stage = sums.stages[which];
    all += stage;
    table.add(row_of(spoken(which), stage, greatest_part(stage, model)));
  }
  table.add({"submission", "", "", "", "", "", "", milliseconds(sums.fixed.low),
             milliseconds(sums.fixed.middle()), milliseconds(sums.fixed.high),
             milliseconds(sums.fixed.middle()), ""});
  all.seconds += sums.fixed;
  all.two_supergroups += sums.fixed;
  table.add(row_of("whole picture", all, ""));
  return table;
}

/// Returns a line with the mean time of a picture, and the table of its stages.
std::string back_end_text(const PictureModel& model, std::optional<bool> intra, const char* which) {
  const Sums sums = sums_of(model, intra);
  if (sums.pictures == 0) return "";
  ModelledInterval seconds = sums.fixed;
  ModelledInterval two = sums.fixed;
  for (const vp9::Stage stage : vp9::kStages) {
    seconds += sums.stages[stage].seconds;
    two += sums.stages[stage].two_supergroups;
  }
  return fmt::format(
      "\nall pixel stages on the QPU, {} ({:.0f}): {:.1f} ms per picture ({:.1f} .. {:.1f}, high / "
      "low {:.2f}), {:.1f} pictures/s ({:.1f} .. {:.1f}); with two supergroups at a time {:.1f} "
      "ms\n\n{}",
      which, sums.pictures, 1e3 * seconds.middle() / sums.pictures,
      1e3 * seconds.low / sums.pictures, 1e3 * seconds.high / sums.pictures,
      seconds.high / seconds.low, sums.pictures / seconds.middle(), sums.pictures / seconds.high,
      sums.pictures / seconds.low, 1e3 * two.middle() / sums.pictures,
      stage_table(sums, model).text());
}

/// Returns a table with a row per kind of work unit, a row for each stage whose kinds have the same
/// unit, and a row per published design.
std::string units_text(const PictureModel& model) {
  TextTable table(
      {"stage", "unit", "dispatches", "units", "instructions per unit", "requests per unit"}, 2);
  const auto add = [&](vp9::Stage stage, const std::string& name, const ModelledUnits& units) {
    const auto each = [&](std::uint64_t sum, const char* form) {
      return units.units > 0
                 ? fmt::format(fmt::runtime(form), static_cast<double>(sum) / units.units)
                 : std::string();
    };
    table.add({spoken(stage), name, fmt::format("{}", units.dispatches),
               fmt::format("{:.0f}", units.units), each(units.instructions, "{:.1f}"),
               each(units.requests, "{:.2f}")});
  };
  const Sums sums = sums_of(model, std::nullopt);
  for (const vp9::Stage which : vp9::kStages) {
    const std::vector<ModelledUnits>& of_stage = sums.stages[which].units;
    ModelledUnits all;
    bool alike = of_stage.size() > 1;
    for (const ModelledUnits& units : of_stage) {
      add(which, units.kind.empty() ? units.unit : units.unit + ", " + units.kind, units);
      alike = alike && units.unit == of_stage.front().unit;
      add_to(all, units);
    }
    if (alike) add(which, of_stage.front().unit + ", all", all);
    for (const PublishedDesign& design : model.published) {
      if (design.stage != which) continue;
      table.add({spoken(which), design.name, "", "", fmt::format("{:.1f}", design.instructions),
                 fmt::format("{:.2f}", design.requests)});
    }
  }
  return fmt::format("\nper work unit, all pictures\n\n{}", table.text());
}

}  // namespace

ModelledStage& ModelledStage::operator+=(const ModelledStage& more) {
  dispatches += more.dispatches;
  instructions += more.instructions;
  requests += more.requests;
  for (const auto& [bound, of_bound] : more.bounds) bounds[bound] += of_bound;
  seconds += more.seconds;
  two_supergroups += more.two_supergroups;
  for (const ModelledUnits& one : more.units) {
    const auto same = std::ranges::find_if(units, [&](const ModelledUnits& other) {
      return other.unit == one.unit && other.kind == one.kind;
    });
    same == units.end() ? units.push_back(one) : add_to(*same, one);
  }
  return *this;
}

ModelledInterval FixedCosts::of(std::uint64_t dispatches) const {
  if (dispatches == 0) return {};
  return {submission + dispatch, submission + static_cast<double>(dispatches) * dispatch};
}

std::uint64_t ReconstructedPicture::dispatches() const {
  std::uint64_t sum = 0;
  for (const vp9::Stage stage : vp9::kStages) sum += stages[stage].dispatches;
  return sum;
}

ModelledInterval ReconstructedPicture::seconds(const FixedCosts& fixed) const {
  ModelledInterval sum = fixed.of(dispatches());
  for (const vp9::Stage stage : vp9::kStages) sum += stages[stage].seconds;
  return sum;
}

std::string greatest_part(const ModelledStage& stage, const PictureModel& model) {
  if (stage.dispatches == 0) return "nothing";
  const double issue = stage.bounds.at("issue").high;
  const double requests = stage.bounds.at("tmu").high;
  const double memory = stage.bounds.at("memory").high;
  const double schedule = stage.bounds.at("schedule").low / model.assumed.at("error_factor").low;
  const double waiting = schedule - std::max({issue, requests, memory});
  const double dispatches = static_cast<double>(stage.dispatches) * model.dispatch_overhead() / 2;
  const std::array<std::pair<double, const char*>, 5> parts{{{issue, "issue"},
                                                             {requests, "requests"},
                                                             {memory, "memory"},
                                                             {waiting, "waiting"},
                                                             {dispatches, "dispatches"}}};
  return std::ranges::max_element(parts, {}, &std::pair<double, const char*>::first)->second;
}

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

ModelledLines fit_lines(std::span<const ModelledPicture> pictures, double dispatch_overhead) {
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

double greatest_line_error(std::span<const ModelledPicture> pictures, const ModelledLines& lines) {
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
                   "modelled ms per picture", "with two supergroups"},
                  1);
  table.add(row("levels", model.levels, model.dispatch_overhead()));
  table.add(row("waves", model.waves, model.dispatch_overhead()));
  const auto kinds = std::ranges::count(model.back_end, true, &ReconstructedPicture::intra);
  const bool mixed = kinds != 0 && std::cmp_less(kinds, model.back_end.size());
  return fmt::format(
      "'{}': the first {} packets, {}x{}, {} bits\n"
      "modelled V3D {} at {:.0f} MHz and {:.2f} GB/s, not measured; {}\n\n{}{}{}{}{}",
      model.clip.name, model.clip.packets, model.clip.width, model.clip.height, model.clip.bits,
      model.v3d, model.assumed.at("clock_hz").high / 1e6,
      model.assumed.at("memory_bytes_per_second").high / 1e9, model.driver, table.text(),
      back_end_text(model, true, "intra pictures"), back_end_text(model, false, "other pictures"),
      mixed ? back_end_text(model, std::nullopt, "all pictures") : "",
      model.back_end.empty() ? "" : units_text(model));
}

}  // namespace sidecore::model
