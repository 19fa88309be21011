#include "gates/m1_agreement.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "gates/heap_block.h"
#include "gates/workload_source.h"
#include "qpu/buffer.h"
#include "qpu/command_list.h"

namespace sidecore::gates {
namespace {

void run_neon(const Workload& workload, std::span<std::byte> memory, bool in_shares) {
  const std::size_t units = workload.units();
  if (workload.ordered() && in_shares) {
    ThreadPool team(2);
    workload.run_neon_on(team, memory);
    return;
  }
  if (!in_shares || units < 4) {
    workload.run_neon(memory, {0, units});
    return;
  }
  // The bounds are odd, to test that an implementation that processes pairs of units also handles a
  // single unit at either end.
  const std::size_t first = (units / 3) | 1;
  const std::size_t second = std::max(first, (units / 2) | 1);
  workload.run_neon(memory, {second, units});
  workload.run_neon(memory, {0, first});
  workload.run_neon(memory, {first, second});
}

/// Runs the scalar definition and every implementation on the same workloads, and compares. The
/// memory blocks are reused from workload to workload.
class Comparison {
 public:
  Comparison(const KernelUnderTest& subject, Content content) : subject_(subject) {
    agreements_.push_back({content, "neon", {ComparedUnits()}});
    for (const VariantState& variant : subject.variants) {
      Agreement& agreement = agreements_.emplace_back();
      agreement.content = content;
      agreement.implementation = "qpu " + variant.name;
      agreement.compared.reason = variant.refusal;
      if (variant.refusal.empty()) agreement.compared.value.emplace();
    }
  }

  void compare(const Workload& workload, const std::string& origin) {
    provide(workload.bytes());
    workload.reset(expected_->bytes());
    workload.run_scalar(expected_->bytes(), {0, workload.units()});
    workload.reset(found_->bytes());
    ComparedUnits& neon = *agreements_[0].compared.value;
    run_neon(workload, found_->bytes(), neon.workloads % 2 == 1);
    compare_blocks(workload, origin, expected_->bytes(), found_->bytes(), neon);
    for (std::size_t variant = 0; variant < subject_.variants.size(); ++variant) {
      Outcome<ComparedUnits>& qpu = agreements_[variant + 1].compared;
      if (!qpu) continue;
      run_qpu(workload, subject_.variants[variant].name);
      // Device memory is copied, because the mapped GPU memory of a Raspberry Pi is slow to read:
      // it is read once and in order.
      std::ranges::copy(device_memory_->bytes(), found_->bytes().begin());
      compare_blocks(workload, origin, expected_->bytes(), found_->bytes(), *qpu.value);
    }
  }

  [[nodiscard]] std::vector<Agreement> take() { return std::move(agreements_); }

 private:
  void provide(std::size_t bytes) {
    if (expected_ == nullptr || expected_->bytes().size() != bytes) {
      expected_ = std::make_unique<HeapBlock>(bytes);
      found_ = std::make_unique<HeapBlock>(bytes);
    }
    if (subject_.runnable().empty()) return;
    if (device_memory_ == nullptr || device_memory_->size() != bytes) {
      device_memory_ = (*subject_.device)->create_buffer(bytes);
    }
  }

  void run_qpu(const Workload& workload, const std::string& variant) {
    workload.reset(device_memory_->bytes());
    const auto list = workload.record(**subject_.device, *device_memory_, variant);
    (*subject_.device)->submit(*list).wait();
  }

  const KernelUnderTest& subject_;
  std::vector<Agreement> agreements_;
  std::unique_ptr<HeapBlock> expected_;
  std::unique_ptr<HeapBlock> found_;
  std::shared_ptr<qpu::Buffer> device_memory_;
};

/// Returns the options with Kernel::agreement_width, unless the user named a size.
GateOptions sized_for_agreement(const Kernel& kernel, GateOptions options) {
  if (!options.size_named && kernel.agreement_width > 0) {
    options.width = kernel.agreement_width;
  }
  return options;
}

void run_content(const KernelUnderTest& subject, const GateOptions& gate_options, Content content,
                 AgreementReport& report) {
  const GateOptions options = sized_for_agreement(*subject.kernel, gate_options);
  WorkloadSource source(*subject.kernel, options, content);
  Comparison comparison(subject, content);
  ContentRecord record{content, {}, {}};
  std::uint64_t units = 0;
  Progress progress(fmt::format("M1 {} {}", subject.kernel->name, to_string(content)),
                    source.endless() ? std::optional(options.minimum_units) : std::nullopt);
  while (!source.endless() || units < options.minimum_units) {
    const std::unique_ptr<Workload> workload = source.next();
    if (workload == nullptr) break;
    if (workload->units() == 0) {
      throw usage_error("{}: {} holds no {}", subject.kernel->name, source.origin(),
                        subject.kernel->unit);
    }
    if (record.first_origin.empty() || !source.endless()) {
      HeapBlock pristine(workload->bytes());
      workload->reset(pristine.bytes());
      add_rates(record.branches, workload->branch_rates(pristine.bytes()));
    }
    if (record.first_origin.empty()) record.first_origin = source.origin();
    comparison.compare(*workload, source.origin());
    units += workload->units();
    progress.update(units);
  }
  if (units == 0) throw usage_error("'{}' has no pictures", options.input);
  report.contents.push_back(std::move(record));
  std::ranges::move(comparison.take(), std::back_inserter(report.agreements));
}

}  // namespace

bool AgreementReport::holds() const {
  bool ran = false;
  for (const Agreement& agreement : agreements) {
    if (!agreement.compared) continue;
    if (!agreement.compared->holds()) return false;
    ran = true;
  }
  return ran;
}

void compare_blocks(const Workload& workload, const std::string& origin,
                    std::span<const std::byte> expected, std::span<const std::byte> found,
                    ComparedUnits& compared) {
  ++compared.workloads;
  compared.units += workload.units();
  compared.agreeing += workload.units();
  if (std::memcmp(expected.data(), found.data(), expected.size()) == 0) return;
  std::vector<bool> wrong(workload.units());
  for (std::size_t byte = 0; byte < expected.size(); ++byte) {
    if (expected[byte] == found[byte]) continue;
    const std::optional<std::size_t> unit = workload.unit_of(byte);
    if (!compared.first.has_value()) {
      compared.first = {origin, workload.describe(byte), byte,
                        std::to_integer<unsigned>(expected[byte]),
                        std::to_integer<unsigned>(found[byte])};
    }
    if (!unit.has_value()) {
      ++compared.stray_bytes;
    } else if (!wrong.at(*unit)) {
      wrong[*unit] = true;
      --compared.agreeing;
    }
  }
}

AgreementReport run_m1(const KernelUnderTest& subject, const GateOptions& options) {
  AgreementReport report;
  for (const Content content : contents_of(options)) {
    run_content(subject, options, content, report);
  }
  return report;
}

}  // namespace sidecore::gates
