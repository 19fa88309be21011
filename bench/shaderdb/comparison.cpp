#include "shaderdb/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"

namespace sidecore::shaderdb {
namespace {

const VariantRows* find(const Table& table, const VariantRows& like) {
  const auto found = std::ranges::find_if(table.variants, [&](const VariantRows& rows) {
    return rows.kernel == like.kernel && rows.variant == like.variant;
  });
  return found == table.variants.end() ? nullptr : &*found;
}

const ProgramRow* find(const VariantRows& rows, const std::string& program) {
  const auto found = std::ranges::find(rows.programs, program, &ProgramRow::program);
  return found == rows.programs.end() ? nullptr : &*found;
}

bool has_kernel(const Table& table, const std::string& kernel) {
  return std::ranges::find(table.variants, kernel, &VariantRows::kernel) != table.variants.end();
}

std::string name_of(const VariantRows& rows) {
  return fmt::format("{} {}", rows.kernel, rows.variant);
}

Verdict judge(Better better, std::uint64_t before, std::uint64_t after) {
  if (better == Better::neither) return Verdict::changed;
  return (after < before) == (better == Better::lower) ? Verdict::better : Verdict::worse;
}

void compare_figure(const FigureKind& kind, std::uint64_t before, std::uint64_t after,
                    const std::string& where, Comparison& result) {
  if (before == after) return;
  result.figures.push_back({judge(kind.better, before, after),
                            fmt::format("{} {} {} -> {}", where, kind.name, before, after)});
}

void compare_figures(std::span<const FigureKind> kinds, const Figures& before, const Figures& after,
                     const std::string& where, Comparison& result) {
  for (const FigureKind& kind : kinds) {
    const auto old = before.find(kind.name);
    const auto now = after.find(kind.name);
    if (old == before.end() || now == after.end()) continue;
    compare_figure(kind, old->second, now->second, where, result);
  }
}

void compare_programs(const VariantRows& old, const VariantRows& now, const std::string& v3d,
                      Comparison& result) {
  for (const ProgramRow& row : now.programs) {
    const std::string where = fmt::format("{}, {} on V3D {}:", name_of(now), row.program, v3d);
    const ProgramRow* const before = find(old, row.program);
    if (before == nullptr) {
      result.unmatched.push_back(fmt::format("{} not in the baseline", where));
      continue;
    }
    compare_figure({"dispatches", Better::lower}, before->dispatches, row.dispatches, where,
                   result);
    compare_figures(compiled_figures(), before->compiled, row.compiled, where + " compiled",
                    result);
    if (before->executed && row.executed) {
      compare_figures(executed_figures(), *before->executed, *row.executed, where + " executed",
                      result);
    }
  }
  for (const ProgramRow& row : old.programs) {
    if (find(now, row.program) != nullptr) continue;
    result.unmatched.push_back(
        fmt::format("{}, {} on V3D {}: only in the baseline", name_of(old), row.program, v3d));
  }
}

std::string in_words(const WorkloadSize& size) {
  return fmt::format("{} {}x{} with seed {}", size.content, size.width, size.height, size.seed);
}

void require_same_workload(const Table& before, const Table& after) {
  if (before.workload == after.workload) return;
  throw usage_error("the baseline of V3D {} is from {}, and this run uses {}: update the baseline",
                    before.v3d, in_words(before.workload), in_words(after.workload));
}

}  // namespace

bool Comparison::has(Verdict verdict) const {
  return std::ranges::find(figures, verdict, &Difference::verdict) != figures.end();
}

Comparison compare(const Table& before, const Table& after, bool complete) {
  require_same_workload(before, after);
  Comparison result;
  if (before.driver != after.driver) {
    result.note = fmt::format("the baseline is from another driver: {}; this run uses {}",
                              before.driver, after.driver);
  }
  for (const VariantRows& rows : after.variants) {
    const VariantRows* const old = find(before, rows);
    if (old == nullptr) {
      result.unmatched.push_back(
          fmt::format("{} on V3D {}: not in the baseline", name_of(rows), after.v3d));
    } else if (old->units != rows.units) {
      throw usage_error(
          "the baseline of {} has {} work units, and this run has {}: update the baseline",
          name_of(rows), old->units, rows.units);
    } else {
      compare_programs(*old, rows, after.v3d, result);
    }
  }
  for (const VariantRows& rows : before.variants) {
    if (find(after, rows) != nullptr || (!complete && !has_kernel(after, rows.kernel))) continue;
    result.unmatched.push_back(
        fmt::format("{} on V3D {}: only in the baseline", name_of(rows), after.v3d));
  }
  return result;
}

Table update(const Table& before, const Table& after, bool complete) {
  if (complete) return after;
  require_same_workload(before, after);
  Table result = after;
  for (const VariantRows& rows : before.variants) {
    if (!has_kernel(after, rows.kernel)) result.variants.push_back(rows);
  }
  return result;
}

}  // namespace sidecore::shaderdb
