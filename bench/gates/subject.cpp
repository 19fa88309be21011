#include "gates/subject.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::gates {
namespace {

constexpr std::string_view kAll = "all";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool wants(const std::vector<std::string>& wanted, const QpuVariant& variant) {
  if (wanted.empty()) return !variant.baseline;
  return contains(wanted, kAll) || contains(wanted, variant.name);
}

void refuse_unknown(const Kernel& kernel, const std::vector<std::string>& wanted) {
  std::vector<std::string_view> known;
  for (const QpuVariant& variant : kernel.variants) known.push_back(variant.name);
  for (const std::string& name : wanted) {
    if (name == kAll || std::ranges::find(known, name) != known.end()) continue;
    if (known.empty()) throw usage_error("{}, so no variant '{}'", refusal_of_qpu(kernel), name);
    throw usage_error("kernel '{}' has no variant '{}'; it has {}", kernel.name, name,
                      fmt::join(known, ", "));
  }
}

}  // namespace

std::vector<std::string> KernelUnderTest::runnable() const {
  std::vector<std::string> names;
  for (const VariantState& variant : variants) {
    if (variant.refusal.empty()) names.push_back(variant.name);
  }
  return names;
}

std::string KernelUnderTest::refusal_of_qpu() const {
  if (std::string why = gates::refusal_of_qpu(*kernel); !why.empty()) return why;
  if (!device) return device.reason;
  if (!runnable().empty()) return {};
  return fmt::format("{}: {}", variants.front().name, variants.front().refusal);
}

KernelUnderTest make_kernel_under_test(const Kernel& kernel, const Kernel* beside,
                                       Outcome<qpu::Device*> device,
                                       const std::vector<std::string>& wanted) {
  KernelUnderTest subject;
  subject.kernel = &kernel;
  subject.beside = beside;
  subject.device = std::move(device);
  refuse_unknown(kernel, wanted);
  for (const QpuVariant& variant : kernel.variants) {
    if (!wants(wanted, variant)) continue;
    VariantState state{std::string(variant.name), subject.device.reason, variant.baseline};
    if (subject.device) {
      const auto missing = find_missing_features((*subject.device)->info(), variant);
      state.refusal = fmt::format("{}", fmt::join(missing, "; "));
    }
    subject.variants.push_back(std::move(state));
  }
  return subject;
}

}  // namespace sidecore::gates
