// Tests of the gates with a toy kernel and without a device: faults that they find, and their
// reports.
// ctest: threads
#include "gates/run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/cpu_affinity.h"
#include "base/error.h"
#include "error_text.h"
#include "gates/result_document.h"
#include "gates/toy_kernel.h"
#include "temporary_directory.h"

namespace sidecore::gates::test_gates {
namespace {

using test::Flaw;
using test::ToyKernel;

constexpr const char* kNoDevice = "no Vulkan device for this test";

/// Returns options for pictures of 64x32 bytes, which have 256 units.
GateOptions small_options() {
  GateOptions options;
  options.width = 64;
  options.height = 32;
  options.seed = 1001;
  options.threads = static_cast<int>(std::min<std::size_t>(2, allowed_cpus().size()));
  options.repetitions = 3;
  options.empty_repetitions = 5;
  options.rounds = 2;
  options.window = std::chrono::milliseconds(5);
  options.minimum_units = 1000;
  options.contents = {Content::random};
  return options;
}

Outcome<qpu::Device*> no_device() {
  return Outcome<qpu::Device*>::none(kNoDevice);
}

KernelUnderTest without_device(const ToyKernel& kernel) {
  return make_kernel_under_test(kernel, nullptr, no_device(), {});
}

RunSetting setting_without_device(const ToyKernel& kernel) {
  return {{&kernel}, {nullptr}, no_device(), "/"};
}

TEST(GateM1, CorrectTwinAgreesOnEveryUnitAskedFor) {
  const ToyKernel kernel;
  const AgreementReport report = run_m1(without_device(kernel), small_options());
  ASSERT_EQ(report.agreements.size(), 1U);
  EXPECT_TRUE(report.holds());
  const ComparedUnits& compared = report.agreements[0].compared.value.value();
  EXPECT_EQ(compared.units, 1024U) << "whole workloads of 256 up to at least 1000";
  EXPECT_EQ(compared.agreeing, 1024U);
  EXPECT_FALSE(compared.first.has_value());
}

TEST(GateM1, WrongTwinFailsAndItsFirstWrongByteIsDescribed) {
  const ToyKernel kernel({Flaw::wrong_byte, false, {}});
  const AgreementReport report = run_m1(without_device(kernel), small_options());
  EXPECT_FALSE(report.holds());
  const ComparedUnits& compared = report.agreements.at(0).compared.value.value();
  EXPECT_EQ(compared.units - compared.agreeing, 4U) << "one unit in each of four workloads";
  EXPECT_EQ(format_share(compared.agreeing, compared.units), "99.6093");
  ASSERT_TRUE(compared.first.has_value());
  EXPECT_EQ(compared.first->where, "unit 5, byte 3");
  EXPECT_EQ(compared.first->origin, "seed 1001");
  EXPECT_EQ(compared.first->expected ^ compared.first->found, 1U);
}

TEST(GateM1, TouchedGuardByteIsCaughtAlthoughEveryUnitAgrees) {
  const ToyKernel kernel({Flaw::touches_guard, false, {}});
  const AgreementReport report = run_m1(without_device(kernel), small_options());
  const ComparedUnits& compared = report.agreements.at(0).compared.value.value();
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(compared.agreeing, compared.units);
  EXPECT_EQ(compared.stray_bytes, 4U);
  EXPECT_EQ(compared.first->where, "guard byte 2112");
}

TEST(GateM1, TwinThatLosesALoneUnitOfAShareIsCaught) {
  const ToyKernel kernel({Flaw::loses_lone_unit, false, {}});
  EXPECT_FALSE(run_m1(without_device(kernel), small_options()).holds());
}

TEST(GateM1, SeedOfAFailureRepeatsItAsTheFirstWorkload) {
  const ToyKernel kernel({Flaw::wrong_some_seeds, false, {}});
  GateOptions options = small_options();
  const AgreementReport report = run_m1(without_device(kernel), options);
  EXPECT_EQ(report.agreements[0].compared->first.value().origin, "seed 1004");
  options.seed = 1004;
  options.minimum_units = 1;
  const AgreementReport repeated = run_m1(without_device(kernel), options);
  EXPECT_EQ(repeated.agreements[0].compared->workloads, 1U);
  const FirstDifference& first = report.agreements[0].compared->first.value();
  EXPECT_EQ(repeated.agreements[0].compared->first.value().byte, first.byte);
  EXPECT_EQ(repeated.agreements[0].compared->first.value().found, first.found);
}

TEST(GateM1, EmptyWorkloadIsAUsageError) {
  const ToyKernel kernel;
  GateOptions options = small_options();
  options.width = 1;
  options.height = 1;
  EXPECT_THROW((void)run_m1(without_device(kernel), options), Error);
}

TEST(GateM3, TimesScalarAndEveryThreadCountInOrdinaryMemory) {
  const ToyKernel kernel;
  const GateOptions options = small_options();
  const CpuThroughputReport report = run_m3(without_device(kernel), options);
  ASSERT_EQ(report.contents.size(), 1U);
  const CpuContentRuns& content = report.contents[0];
  ASSERT_EQ(content.runs.size(), 1U + static_cast<std::size_t>(options.threads));
  EXPECT_EQ(content.runs[0].implementation, CpuImplementation::scalar);
  for (const CpuRun& run : content.runs) {
    EXPECT_EQ(run.memory, CpuMemory::heap);
    EXPECT_EQ(run.elapsed.raw.size(), 3U);
    EXPECT_GT(run.elapsed.min, 0);
    EXPECT_EQ(run.counts.cycles.has_value(), report.counters_refusal.empty());
  }
  EXPECT_NE(content.fastest_neon(1), nullptr);
  EXPECT_EQ(content.fastest_neon(options.threads + 1), nullptr);
  EXPECT_EQ(report.device_memory_refusal, kNoDevice);
  EXPECT_FALSE(content.branches.empty());
}

/// Simulates the counters by a file; fails to open the cycle counter number `refused`.
class CountersOfAFile {
 public:
  explicit CountersOfAFile(int refused) : refused_(refused) {
    std::ofstream file(directory_ / "counter", std::ios::binary);
    // Value of the counter, time enabled, time running.
    const std::array<std::uint64_t, 3> reading{300, 1, 1};
    for (const std::uint64_t word : reading) {
      file.write(reinterpret_cast<const char*>(&word), sizeof(word));
    }
  }
  PerfCounters::OpenEvent opener() {
    return [this](std::uint64_t config) {
      if (config == PERF_COUNT_HW_CPU_CYCLES && ++opened_ == refused_) {
        errno = EMFILE;
        return -1;
      }
      return ::open((directory_ / "counter").c_str(), O_RDONLY | O_CLOEXEC);
    };
  }

 private:
  test::TemporaryDirectory directory_;
  int refused_;
  std::atomic<int> opened_ = 0;
};

TEST(GateM3, CountsAPictureOfAllThreads) {
  const ToyKernel kernel;
  CountersOfAFile file(0);
  const auto report = run_m3(without_device(kernel), small_options(), file.opener());
  EXPECT_EQ(report.counters_refusal, "");
  for (const CpuRun& run : report.contents.at(0).runs) {
    EXPECT_EQ(run.counts.cycles, 300U * static_cast<unsigned>(run.threads));
  }
}

TEST(GateM3, OneRefusalToCountLeavesNoCount) {
  const ToyKernel kernel;
  GateOptions options = small_options();
  options.contents = {Content::random, Content::smooth};
  // Number of counters that are opened per content: three repetitions of scalar code and of NEON on
  // 1 to all threads.
  const int a_content = 3 * (1 + options.threads * (options.threads + 1) / 2);
  for (const int refused : {1, 2, a_content - 1, a_content + 1}) {
    CountersOfAFile file(refused);
    const auto report = run_m3(without_device(kernel), options, file.opener());
    EXPECT_EQ(report.counters_refusal,
              "not permitted here (reason: perf_event_open: Too many open files)")
        << refused;
    for (const CpuContentRuns& content : report.contents) {
      for (const CpuRun& run : content.runs) {
        EXPECT_FALSE(run.counts.cycles.has_value() || run.counts.instructions.has_value());
      }
    }
  }
}

TEST(Workload, SharesCoverEveryUnitOnce) {
  for (const std::size_t parts : {1U, 2U, 3U, 7U}) {
    std::size_t next = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      const UnitRange share = share_of(1000, part, parts);
      EXPECT_EQ(share.first, next);
      next = share.last;
    }
    EXPECT_EQ(next, 1000U);
  }
}

TEST(GateRun, WithoutADeviceNeonIsStillJudged) {
  const ToyKernel kernel({Flaw::none, false, {"word"}});
  const GateReport report = run_gates(setting_without_device(kernel), small_options());
  const KernelReport& toy = report.kernels.at(0);
  EXPECT_TRUE(report.agrees());
  EXPECT_TRUE(toy.m1);
  EXPECT_TRUE(toy.m3);
  EXPECT_EQ(toy.m2.reason, kNoDevice);
  EXPECT_EQ(toy.m4.reason, kNoDevice);
  EXPECT_EQ(report.m5.reason, kNoDevice);
  EXPECT_EQ(toy.m1->agreements.at(1).compared.reason, kNoDevice);
  EXPECT_EQ(toy.verdicts.at(0).verdict.conclusion, Conclusion::incomplete);
}

TEST(GateRun, QpuGateThatWasNamedMustRun) {
  const ToyKernel kernel({Flaw::none, false, {"word"}});
  for (const Gate gate : {Gate::m2, Gate::m4, Gate::m5}) {
    GateOptions options = small_options();
    options.gates = {gate};
    options.gates_named = true;
    try {
      (void)run_gates(setting_without_device(kernel), options);
      FAIL() << to_string(gate) << " counted as run";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      EXPECT_EQ(std::string(error.what()),
                fmt::format("{} cannot run here: {}", to_string(gate), kNoDevice));
    }
  }
}

constexpr const char* kNoQpu = "toy has no QPU variant yet";

TEST(GateRun, WithoutAQpuImplementationNothingIsJudged) {
  const ToyKernel kernel;
  const GateReport report = run_gates(setting_without_device(kernel), small_options());
  const KernelReport& toy = report.kernels.at(0);
  EXPECT_TRUE(toy.m1->holds());
  EXPECT_TRUE(toy.m3);
  EXPECT_EQ(toy.m2.reason, kNoQpu);
  EXPECT_EQ(toy.m4.reason, kNoQpu);
  EXPECT_EQ(report.m5.reason, kNoQpu);
  EXPECT_TRUE(toy.verdicts.empty());
  EXPECT_EQ(to_text(report).find("Verdict"), std::string::npos);
}

TEST(GateRun, QpuGateThatWasNamedNeedsAQpuImplementation) {
  const ToyKernel without;
  for (const Gate gate : {Gate::m2, Gate::m4, Gate::m5}) {
    GateOptions options = small_options();
    options.gates = {gate};
    options.gates_named = true;
    EXPECT_EQ(test::error_text([&] { (void)run_gates(setting_without_device(without), options); }),
              fmt::format("{} cannot run: {}", to_string(gate), kNoQpu));
  }
  GateOptions named = small_options();
  named.variants = {"waves"};
  EXPECT_EQ(test::error_text([&] { (void)run_gates(setting_without_device(without), named); }),
            fmt::format("{}, so no variant 'waves'", kNoQpu));
  // A kernel that has a QPU variant runs, and the kernel without one is skipped.
  const ToyKernel with({Flaw::none, false, {"word"}}, "other");
  GateOptions options = small_options();
  options.gates = {Gate::m1, Gate::m4};
  const GateReport report =
      run_gates({{&without, &with}, {nullptr, nullptr}, no_device(), "/"}, options);
  EXPECT_EQ(report.kernels.at(0).m4.reason, kNoQpu);
  EXPECT_EQ(report.kernels.at(1).m4.reason, kNoDevice);
}

TEST(GateRun, NothingIsTimedOnceM1Failed) {
  const ToyKernel kernel({Flaw::wrong_byte, false, {}});
  const GateReport report = run_gates(setting_without_device(kernel), small_options());
  EXPECT_FALSE(report.agrees());
  EXPECT_EQ(report.kernels[0].m3.reason, "M1 failed");
  EXPECT_FALSE(report.kernels[0].m3);
  EXPECT_EQ(report.kernels[0].verdicts.at(0).verdict.conclusion, Conclusion::wrong);
}

TEST(GateRun, UnknownVariantIsNamedBesideTheKnownOnes) {
  const ToyKernel kernel({Flaw::none, false, {"word", "byte"}});
  GateOptions options = small_options();
  options.variants = {"quad"};
  try {
    (void)run_gates(setting_without_device(kernel), options);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "kernel 'toy' has no variant 'quad'; it has word, byte");
  }
}

TEST(GateRun, BaselinesAreMeasuredOnlyWhenTheyAreAskedFor) {
  const ToyKernel kernel({Flaw::none, false, {"word"}, {"byte"}});
  const auto measured = [&](const std::vector<std::string>& wanted) {
    GateOptions options = small_options();
    options.variants = wanted;
    const GateReport report = run_gates(setting_without_device(kernel), options);
    std::string names;
    for (const VariantState& variant : report.kernels.at(0).variants) names += variant.name + " ";
    return names;
  };
  EXPECT_EQ(measured({}), "word ");
  EXPECT_EQ(measured({"all"}), "word byte ");
  EXPECT_EQ(measured({"byte"}), "byte ");
}

TEST(GateJson, SaysWhatRanWithEverySample) {
  const ToyKernel kernel({Flaw::wrong_byte, false, {"word"}});
  GateReport report = run_gates(setting_without_device(kernel), small_options());
  report.command_line = {"sidecore", "gate", "toy"};
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json.at("schema"), "sidecore-gate");
  EXPECT_EQ(json.at("version"), 1);
  EXPECT_EQ(json.at("seed"), 1001);
  EXPECT_EQ(json.at("command_line").size(), 3U);
  EXPECT_EQ(json.at("agrees"), false);
  EXPECT_TRUE(json.at("device").is_null());
  EXPECT_EQ(json.at("m5").at("not_run"), kNoDevice);
  EXPECT_TRUE(json.at("environment").at("before").contains("cpus"));
  const auto& toy = json.at("kernels").at(0);
  EXPECT_EQ(toy.at("name"), "toy");
  const auto& agreement = toy.at("m1").at("agreements").at(0);
  EXPECT_EQ(agreement.at("agreeing_percent"), "99.6093");
  EXPECT_EQ(agreement.at("first_difference").at("where"), "unit 5, byte 3");
  EXPECT_EQ(toy.at("m2").at("not_run"), "M1 failed");
  EXPECT_EQ(toy.at("verdicts").at(0).at("conclusion"), "wrong");
}

TEST(GateJson, KeepsTheSamplesInTheOrderTaken) {
  const ToyKernel kernel;
  const GateReport report = run_gates(setting_without_device(kernel), small_options());
  const auto json = nlohmann::json::parse(to_json(report));
  const auto& runs = json.at("kernels").at(0).at("m3").at("contents").at(0).at("runs");
  const CpuContentRuns& content = report.kernels[0].m3->contents[0];
  ASSERT_EQ(runs.size(), content.runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].at("elapsed").at("samples").get<std::vector<double>>(),
              content.runs[i].elapsed.raw);
  }
}

TEST(GateText, HeadsEachGateByItsQuestionAndSaysWhyOneDidNotRun) {
  const ToyKernel kernel({Flaw::none, false, {"word"}});
  const std::string text = to_text(run_gates(setting_without_device(kernel), small_options()));
  for (const char* part :
       {"Is it right?", "How fast is the QPU alone?", "How fast is NEON?", "Does it pay?",
        "What does a dispatch cost?", "100.0000", "--seed 1001",
        "the gate did not run: no Vulkan device for this test", "branches: low "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  }
}

}  // namespace
}  // namespace sidecore::gates::test_gates
