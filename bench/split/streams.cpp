#include "split/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text_table.h"
#include "split/proposal.h"

namespace sidecore::split {
namespace {

using model::Estimate;

/// Resources that streams use per second.
struct Load {
  double cores = 0;
  double qpu = 0;
  double memory = 0;

  [[nodiscard]] Load with(const StreamPlan& plan, double fps, double Estimate::*end) const {
    return {cores + fps * plan.cpu.*end, qpu + fps * plan.qpu.*end,
            memory + fps * plan.memory_bytes};
  }
  [[nodiscard]] bool fits(const Capacity& capacity) const {
    const double bytes = capacity.memory_bytes_per_second;
    return cores <= capacity.cores && qpu <= capacity.qpu && (bytes <= 0 || memory <= bytes);
  }
};

StreamPlan plan_of(const Proposal& proposal, const PlanResult& result) {
  const auto per_picture = [&](const Estimate& all) {
    return Estimate{all.low / proposal.pictures, all.expected / proposal.pictures,
                    all.high / proposal.pictures};
  };
  return {result.candidate,        result.modelled,     per_picture(result.cpu),
          per_picture(result.qpu), result.memory_bytes, keeps_rate(proposal, result)};
}

/// Returns the plan with the least CPU time that keeps the rate, with the QPU or without; null if
/// there is none.
const PlanResult* least_cpu(const Proposal& proposal, bool with_qpu) {
  const PlanResult* least = nullptr;
  for (const PlanResult& plan : proposal.plans) {
    if (plan.candidate.plan.uses_qpu() != with_qpu || !keeps_rate(proposal, plan)) continue;
    if (least == nullptr || plan.cpu.expected < least->cpu.expected) least = &plan;
  }
  return least;
}

/// Returns CPU seconds that the plan on the QPU saves per second of the QPU.
double saving(const StreamChoices& stream, double Estimate::*end) {
  const double saved = stream.without_qpu.cpu.*end - stream.on_qpu->cpu.*end;
  return saved / std::max(stream.on_qpu->qpu.*end, 1e-12);
}

/// Returns `count` streams: the given ones in turn, again and again.
std::vector<StreamChoices> in_turn(std::span<const StreamChoices> streams, std::size_t count) {
  std::vector<StreamChoices> all;
  for (std::size_t index = 0; index < count; ++index) {
    all.push_back(streams[index % streams.size()]);
  }
  return all;
}

/// Returns the text of StreamsAnswer::limit for the case that `fitting` streams fit.
std::string limit_of(std::span<const StreamChoices> streams, double fps, const Capacity& capacity,
                     std::size_t fitting) {
  if (fitting >= kMaxStreams) return "nothing";
  const std::vector<StreamChoices> one_more = in_turn(streams, fitting + 1);
  Load load;
  for (const StreamShare& share : share_out(one_more, fps, capacity, &Estimate::expected)) {
    if (!share.plan.keeps_rate) return "the rate of one stream";
    load = load.with(share.plan, fps, &Estimate::expected);
  }
  return load.cores > capacity.cores ? "the CPU" : "the memory";
}

Estimate times(const Estimate& estimate, double factor) {
  return {estimate.low * factor, estimate.expected * factor, estimate.high * factor};
}

std::string range_text(const Estimate& estimate, double factor, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", factor * estimate.expected, digits,
                     factor * estimate.low, digits, factor * estimate.high, digits);
}

}  // namespace

StreamChoices choices_of(const Proposal& proposal) {
  StreamChoices choices{proposal.stream, {}, {}};
  const PlanResult* without = least_cpu(proposal, false);
  if (without == nullptr) {
    for (const PlanResult& plan : proposal.plans) {
      if (plan.candidate.plan.uses_qpu()) continue;
      if (without == nullptr || plan.predicted.expected < without->predicted.expected) {
        without = &plan;
      }
    }
  }
  choices.without_qpu = plan_of(proposal, *without);
  const PlanResult* const with = least_cpu(proposal, true);
  if (with != nullptr &&
      (with->cpu.expected < without->cpu.expected || !choices.without_qpu.keeps_rate)) {
    choices.on_qpu = plan_of(proposal, *with);
  }
  return choices;
}

std::vector<StreamShare> share_out(std::span<const StreamChoices> streams, double fps,
                                   const Capacity& capacity, double Estimate::*end) {
  std::vector<std::size_t> order;
  for (std::size_t index = 0; index < streams.size(); ++index) {
    if (streams[index].on_qpu) order.push_back(index);
  }
  std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) {
    return saving(streams[one], end) > saving(streams[other], end);
  });
  std::vector<StreamShare> shares;
  for (const StreamChoices& stream : streams) shares.push_back({stream.stream, stream.without_qpu});
  // This check covers the QPU and the memory, but not the cores (0): a plan on the QPU usually
  // takes less CPU time, and the loop below checks the cores.
  Load others;
  for (const StreamChoices& stream : streams) others = others.with(stream.without_qpu, fps, end);
  for (const std::size_t index : order) {
    const auto& [name, without, with] = streams[index];
    const Load load{0, others.qpu + fps * (with->qpu.*end),
                    others.memory + fps * (with->memory_bytes - without.memory_bytes)};
    if (!load.fits(capacity)) continue;
    others = load;
    shares[index].plan = *with;
  }
  Load taken;
  for (StreamShare& share : shares) {
    const Load with = taken.with(share.plan, fps, end);
    share.fits = share.plan.keeps_rate && with.fits(capacity);
    if (share.fits) taken = with;
  }
  return shares;
}

std::size_t count_fitting(std::span<const StreamChoices> streams, double fps,
                          const Capacity& capacity, double Estimate::*end) {
  for (std::size_t count = 1; count <= kMaxStreams; ++count) {
    const auto shares = share_out(in_turn(streams, count), fps, capacity, end);
    if (!std::ranges::all_of(shares, &StreamShare::fits)) return count - 1;
  }
  return kMaxStreams;
}

StreamsAnswer answer_for(std::span<const StreamChoices> streams, double fps,
                         const Capacity& capacity) {
  StreamsAnswer answer{fps, capacity, share_out(streams, fps, capacity, &Estimate::expected)};
  answer.expected = count_fitting(streams, fps, capacity, &Estimate::expected);
  // Higher costs should let fewer streams fit. But share_out() may choose other plans for them,
  // with which one stream more fits; std::min() and std::max() keep the order.
  answer.fewest = std::min(answer.expected, count_fitting(streams, fps, capacity, &Estimate::high));
  answer.most = std::max(answer.expected, count_fitting(streams, fps, capacity, &Estimate::low));
  answer.limit = limit_of(streams, fps, capacity, answer.expected);
  return answer;
}

Estimate StreamsAnswer::sum(Estimate StreamPlan::*resource) const {
  Estimate all;
  for (const StreamShare& share : streams) {
    const Estimate more = times(share.plan.*resource, fps);
    all = {all.low + more.low, all.expected + more.expected, all.high + more.high};
  }
  return all;
}

double StreamsAnswer::memory_bytes_per_second() const {
  return fps * std::accumulate(streams.begin(), streams.end(), 0.0,
                               [](double bytes, const StreamShare& share) {
                                 return bytes + share.plan.memory_bytes;
                               });
}

std::vector<std::vector<std::string>> stream_table(const StreamsAnswer& answer) {
  std::vector<std::vector<std::string>> rows{
      {fmt::format("streams at {:g} pictures/s", answer.fps), "plan", "CPU ms/picture", "from",
       "to", "QPU ms/picture", "CPU, % of a core", "QPU, %", "fits", "missed deadlines"}};
  for (const StreamShare& share : answer.streams) {
    const StreamPlan& plan = share.plan;
    rows.push_back(
        {share.stream, plan.candidate.label() + (plan.modelled ? " (model, not measured)" : ""),
         fmt::format("{:.2f}", 1e3 * plan.cpu.expected), fmt::format("{:.2f}", 1e3 * plan.cpu.low),
         fmt::format("{:.2f}", 1e3 * plan.cpu.high), fmt::format("{:.2f}", 1e3 * plan.qpu.expected),
         fmt::format("{:.1f}", 100 * answer.fps * plan.cpu.expected),
         fmt::format("{:.1f}", 100 * answer.fps * plan.qpu.expected), share.fits ? "yes" : "no",
         share.missed ? fmt::format("{} of {}", *share.missed, *share.pictures) : "-"});
  }
  return rows;
}

std::string streams_sentence(const StreamsAnswer& answer) {
  const auto fit = std::ranges::count_if(answer.streams, &StreamShare::fits);
  const Estimate cpu = answer.sum(&StreamPlan::cpu);
  const Estimate qpu = answer.sum(&StreamPlan::qpu);
  std::string text = fmt::format(
      "{} of {} stream{} fit at {:g} pictures/s by prediction: all "
      "take {} of {:g} cores",
      fit, answer.streams.size(), answer.streams.size() == 1 ? "" : "s", answer.fps,
      range_text(cpu, 1, 2), answer.capacity.cores);
  if (answer.capacity.qpu > 0) text += fmt::format(" and {} % of the QPU", range_text(qpu, 100, 0));
  if (const double bytes = answer.capacity.memory_bytes_per_second; bytes > 0) {
    text += fmt::format(" and {:.0f} % of the memory's {:.1f} GB/s",
                        100 * answer.memory_bytes_per_second() / bytes, bytes / 1e9);
  }
  text += fmt::format(", which leaves {:.2f} cores",
                      std::max(0.0, answer.capacity.cores - cpu.expected));
  if (answer.capacity.qpu > 0) {
    text += fmt::format(" and {:.0f} % of the QPU",
                        100 * std::max(0.0, answer.capacity.qpu - qpu.expected));
  }
  if (answer.played_cpu) {
    std::uint64_t missed = 0;
    std::uint64_t pictures = 0;
    Estimate predicted;
    for (const StreamShare& share : answer.streams) {
      missed += share.missed.value_or(0);
      const std::uint64_t shown = share.pictures.value_or(0);
      pictures += shown;
      const Estimate more = times(share.plan.cpu, static_cast<double>(shown));
      predicted = {predicted.low + more.low, predicted.expected + more.expected,
                   predicted.high + more.high};
    }
    text += fmt::format(
        "; played at once, they missed {} of {} deadlines and took {:.2f} ms of "
        "CPU time per picture, predicted {}",
        missed, pictures, 1e3 * *answer.played_cpu,
        range_text(predicted, 1e3 / static_cast<double>(pictures), 2));
  }
  return text + fmt::format("; at most {} such streams fit ({} to {}), limited by {}",
                            answer.expected, answer.fewest, answer.most, answer.limit);
}

std::string to_text(const StreamsAnswer& answer) {
  const auto rows = stream_table(answer);
  TextTable table(rows.front(), 2);
  std::for_each(rows.begin() + 1, rows.end(), [&](const auto& row) { table.add(row); });
  std::string text = table.text() + "\n" + streams_sentence(answer) + "\n";
  if (!answer.not_played.empty()) text += "not played: " + answer.not_played + "\n";
  return text;
}

}  // namespace sidecore::split
