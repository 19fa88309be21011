#include "gates/subject.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::gates {

std::vector<std::string> Subject::runnable() const {
  std::vector<std::string> names;
  for (const VariantState& variant : variants) {
    if (variant.not_run.empty()) names.push_back(variant.name);
  }
  return names;
}

std::string Subject::not_run() const {
  if (device == nullptr) return no_device;
  if (!runnable().empty()) return {};
  if (variants.empty()) return fmt::format("{} has no QPU variant", kernel->name());
  return fmt::format("{}: {}", variants.front().name, variants.front().not_run);
}

Subject make_subject(const Kernel& kernel, const Kernel* beside,
                     std::shared_ptr<qpu::Device> device, std::string no_device,
                     const std::vector<std::string>& wanted) {
  Subject subject;
  subject.kernel = &kernel;
  subject.beside = beside;
  subject.device = std::move(device);
  subject.no_device = std::move(no_device);
  const std::vector<std::string_view> known = kernel.variants();
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw usage_error("kernel '{}' has no variant '{}'; it has {}", kernel.name(), name,
                        fmt::join(known, ", "));
    }
  }
  for (const std::string_view name : known) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    VariantState state{std::string(name), subject.no_device};
    if (subject.device != nullptr) {
      const auto missing = qpu::missing_for(subject.device->info(), kernel.interface(name));
      state.not_run = fmt::format("{}", fmt::join(missing, "; "));
    }
    subject.variants.push_back(std::move(state));
  }
  return subject;
}

}  // namespace sidecore::gates
