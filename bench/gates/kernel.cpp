#include "gates/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

namespace sidecore::gates {
namespace {

constexpr std::array<std::pair<Content, const char*>, 5> kContentNames{{
    {Content::random, "random"},
    {Content::smooth, "smooth"},
    {Content::flat, "flat"},
    {Content::high_variance, "high_variance"},
    {Content::input, "input"},
}};

}  // namespace

UnitRange share_of(std::size_t units, std::size_t index, std::size_t parts) {
  return {units * index / parts, units * (index + 1) / parts};
}

Nanoseconds Workload::run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const {
  return run_on_each(team, [&](std::size_t thread) {
    run_neon(memory, share_of(units(), thread, team.threads()));
  });
}

const char* to_string(Content content) {
  for (const auto& [value, name] : kContentNames) {
    if (value == content) return name;
  }
  return "unknown";
}

Content parse_content(std::string_view name) {
  std::string known;
  for (const auto& [value, known_name] : kContentNames) {
    if (name == known_name) return value;
    known += known.empty() ? known_name : std::string(", ") + known_name;
  }
  throw usage_error("no content '{}'; known are {}", name, known);
}

std::vector<Content> synthetic_contents() {
  return {Content::random, Content::smooth, Content::flat, Content::high_variance};
}

std::unique_ptr<qpu::CommandList> Workload::record(qpu::Device& device, qpu::Buffer& memory,
                                                   std::string_view variant) const {
  std::unique_ptr<qpu::CommandList> list = device.create_command_list();
  const qpu::BufferRange all{.buffer = &memory};
  list->time_on_gpu();
  list->upload(all);
  record_units(device, *list, memory, variant);
  list->download(all);
  list->finish();
  return list;
}

std::vector<std::string> find_missing_features(const qpu::DeviceInfo& device,
                                               const QpuVariant& variant) {
  std::vector<std::string> missing;
  for (const qpu::Shader& shader : variant.shaders) {
    for (std::string& lack : qpu::find_missing_features(device, shader)) {
      if (std::ranges::find(missing, lack) == missing.end()) missing.push_back(std::move(lack));
    }
  }
  return missing;
}

std::string refusal_of_qpu(const Kernel& kernel) {
  if (!kernel.variants.empty()) return {};
  return fmt::format("{} has no QPU variant yet", kernel.name);
}

void add_rates(std::vector<BranchRate>& sum, const std::vector<BranchRate>& more) {
  for (const BranchRate& rate : more) {
    const auto found = std::ranges::find(sum, rate.name, &BranchRate::name);
    if (found == sum.end()) {
      sum.push_back(rate);
    } else if (found->among + rate.among > 0) {
      const double among = found->among + rate.among;
      found->rate = (found->rate * found->among + rate.rate * rate.among) / among;
      found->among = among;
    }
  }
}

}  // namespace sidecore::gates
