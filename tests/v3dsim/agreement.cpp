// Runs one kernel's M1: every variant, every synthetic content, every byte of the block. The
// pictures are small because the GPU is simulated.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gates/m1_agreement.h"
#include "gates/subject.h"
#include "kernels/registry.h"

namespace {

using namespace sidecore;

// The picture has a few superblocks, and its sides are not multiples of a superblock. The metric
// cambi needs this width.
constexpr int kWidth = 216, kHeight = 72;

bool agrees(const gates::Agreement& agreement, std::string_view kernel) {
  if (!agreement.compared) {
    fmt::print("{} {} {}: not run: {}\n", kernel, to_string(agreement.content),
               agreement.implementation, agreement.compared.reason);
    return false;
  }
  const gates::ComparedUnits& compared = *agreement.compared;
  fmt::print("{} {} {}: {} of {} units agree\n", kernel, to_string(agreement.content),
             agreement.implementation, compared.agreeing, compared.units);
  if (compared.first) {
    fmt::print("  first difference: {}, {}: expected {}, found {}\n", compared.first->origin,
               compared.first->where, compared.first->expected, compared.first->found);
  }
  return compared.holds();
}

int run(const char* name, std::uint64_t seed) {
  const gates::Kernel& kernel = bench::find_kernel(name);
  const auto device = qpu::Device::open(qpu::DeviceOptions::from_environment());
  const gates::KernelUnderTest subject =
      gates::make_kernel_under_test(kernel, nullptr, {device.get()}, {"all"});
  gates::GateOptions options;
  options.size_named = true;
  options.width = kWidth;
  options.height = kHeight;
  options.seed = seed;
  options.minimum_units = 1;
  bool all = true;
  for (const gates::Agreement& agreement : gates::run_m1(subject, options).agreements) {
    if (!agrees(agreement, name)) all = false;
  }
  return all ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    for (const gates::Kernel& kernel : bench::kernels()) fmt::print("{}\n", kernel.name);
    return 0;
  }
  if (argc != 3) {
    fmt::print(stderr, "Usage: v3dsim_agreement KERNEL SEED | --list\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    return run(argv[1], std::strtoull(argv[2], nullptr, 10));
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_agreement: {}\n", error.what());
    return error.exit_status();
  }
}
