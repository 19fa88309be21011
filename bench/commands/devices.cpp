// `sidecore devices`: lists the Vulkan devices, and the kernels that each can and cannot run.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "commands/commands.h"
#include "kernels/registry.h"

namespace sidecore::commands {
namespace {

using qpu::DeviceInfo;

// Version of the JSON output. It is raised if a field is removed or changes its meaning.
constexpr int kFormatVersion = 1;

struct KernelVerdict {
  std::string kernel;
  std::string variant;               // name of the QPU variant; empty if the kernel has none
  std::vector<std::string> missing;  // missing requirements; empty if the variant can run
};

std::vector<KernelVerdict> judge_kernels(const DeviceInfo& device) {
  std::vector<KernelVerdict> verdicts;
  for (const gates::Kernel& kernel : bench::kernels()) {
    if (kernel.variants.empty()) {
      verdicts.push_back({std::string(kernel.name), "", {"no QPU variant yet"}});
    }
    for (const gates::QpuVariant& variant : kernel.variants) {
      verdicts.push_back({std::string(kernel.name), std::string(variant.name),
                          gates::find_missing_features(device, variant)});
    }
  }
  return verdicts;
}

std::string memory_kind(const DeviceInfo& device) {
  return fmt::format("{}, {}", device.unified_memory ? "unified" : "staged",
                     device.cached_memory ? "host-cached" : "not host-cached (slow to read)");
}

std::string timestamp_kind(const DeviceInfo& device) {
  return device.timestamps ? fmt::format("{} ns per tick", device.timestamp_period) : "none";
}

std::string counter_kind(const DeviceInfo& device) {
  if (device.performance_counters == 0) return "none: " + device.no_performance_counters;
  return fmt::format(
      "{} of {}", device.performance_counters,
      device.simulated ? "the simulator's own" : "the GPU (VK_KHR_performance_query)");
}

void print_device(const DeviceInfo& device) {
  const qpu::DeviceLimits& limits = device.limits;
  fmt::print("{}: {}\n", device.index, device.name);
  const auto row = [](const char* name, const std::string& value) {
    fmt::print("   {:<16} {}\n", name, value);
  };
  const char* const type = device.simulated ? "simulated" : to_string(device.type);
  row("type", fmt::format("{}{}", type, device.is_cpu() ? ": shows correctness, not speed" : ""));
  row("driver", device.driver);
  row("Vulkan", device.api_version);
  row("memory", memory_kind(device));
  row("8-bit storage", device.storage_8bit ? "yes" : "no");
  row("subgroup", fmt::format("{} lanes", device.subgroup_size));
  row("timestamps", timestamp_kind(device));
  row("counters", counter_kind(device));
  row("workgroup",
      fmt::format("{} invocations, {} x {} x {}, {} bytes shared", limits.max_workgroup_invocations,
                  limits.max_workgroup_size[0], limits.max_workgroup_size[1],
                  limits.max_workgroup_size[2], limits.max_shared_memory_bytes));
  row("storage buffers", fmt::format("{}, each up to {} bytes, at offsets that are multiples of {}",
                                     limits.max_storage_buffers, limits.max_storage_buffer_range,
                                     limits.min_storage_buffer_offset_alignment));
  row("push constants", fmt::format("{} bytes", limits.max_push_constant_bytes));
  for (const KernelVerdict& verdict : judge_kernels(device)) {
    const std::string name = verdict.variant.empty()
                                 ? verdict.kernel
                                 : fmt::format("{} ({})", verdict.kernel, verdict.variant);
    fmt::print("   {:<32} {}\n", name,
               verdict.missing.empty() ? std::string("can run")
                                       : fmt::format("{}", fmt::join(verdict.missing, "; ")));
  }
}

nlohmann::ordered_json to_json(const qpu::DeviceLimits& limits) {
  return {{"max_workgroup_invocations", limits.max_workgroup_invocations},
          {"max_workgroup_size", limits.max_workgroup_size},
          {"max_workgroup_count", limits.max_workgroup_count},
          {"max_shared_memory_bytes", limits.max_shared_memory_bytes},
          {"max_storage_buffers", limits.max_storage_buffers},
          {"max_push_constant_bytes", limits.max_push_constant_bytes},
          {"max_storage_buffer_range", limits.max_storage_buffer_range},
          {"min_storage_buffer_offset_alignment", limits.min_storage_buffer_offset_alignment}};
}

nlohmann::ordered_json to_json(const DeviceInfo& device) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const KernelVerdict& verdict : judge_kernels(device)) {
    kernels.push_back({{"kernel", verdict.kernel},
                       {"variant", verdict.variant},
                       {"can_run", verdict.missing.empty()},
                       {"missing", verdict.missing}});
  }
  return {{"index", device.index},
          {"name", device.name},
          {"type", to_string(device.type)},
          {"driver", device.driver},
          {"api_version", device.api_version},
          {"vendor_id", device.vendor_id},
          {"device_id", device.device_id},
          {"unified_memory", device.unified_memory},
          {"cached_memory", device.cached_memory},
          {"storage_8bit", device.storage_8bit},
          {"subgroup_size", device.subgroup_size},
          {"timestamps", device.timestamps},
          {"timestamp_period_ns", device.timestamp_period},
          {"performance_counters", device.performance_counters},
          {"no_performance_counters", device.no_performance_counters},
          {"limits", to_json(device.limits)},
          {"kernels", kernels}};
}

void run(bool json) {
  const std::vector<DeviceInfo> devices = qpu::list_devices();
  if (!json) {
    for (const DeviceInfo& device : devices) print_device(device);
    return;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DeviceInfo& device : devices) list.push_back(to_json(device));
  const nlohmann::ordered_json document = {{"format_version", kFormatVersion}, {"devices", list}};
  // Driver and device names may hold any bytes; those that are not UTF-8 are replaced.
  fmt::print("{}\n",
             document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace

Outcome<std::unique_ptr<qpu::Device>> open_device(const qpu::DeviceOptions& options) {
  using Opened = Outcome<std::unique_ptr<qpu::Device>>;
  try {
    return Opened{qpu::Device::open(options)};
  } catch (const Error& error) {
    if (!options.selector.empty() || error.kind() != ErrorKind::environment) throw;
    return Opened::none(error.what());
  }
}

void add_devices_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("devices", "List the Vulkan devices and the kernels that each can run");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON instead of text");
  command->callback([json] { run(*json); });
}

}  // namespace sidecore::commands
