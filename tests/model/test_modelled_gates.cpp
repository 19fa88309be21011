// Modelled gates: published gains, texts and documents.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error_text.h"
#include "kernels/registry.h"
#include "model/modelled_gates.h"
#include "tools/armsim_published.h"

namespace sidecore::model::test_modelled_gates {
namespace {

using test::error_text;

/// Returns an estimate whose ends are its expected value times `low` and `high`.
Estimate within(double value, double low, double high) {
  return {low * value, value, high * value};
}

TEST(ModelledGates, TheSignsOfThePublishedMixedResultsComeOutRight) {
  for (const bench::published::Gain& mixed : bench::published::kGains) {
    const auto& [what, cpu, qpu, published] = mixed;
    const ModelledRate neon{within(cpu.units_per_second, 1 / kHighFactor, 1 / kLowFactor),
                            within(cpu.bytes_per_unit, 1, 1)};
    const ModelledRate gpu{within(qpu.units_per_second, 1 / 1.6, 1 / 0.8),
                           within(qpu.bytes_per_unit, 1, 1)};
    const Estimate gain = gain_of_qpu(pi5(), neon, gpu);
    EXPECT_EQ(gain.expected > 0, published > 0) << what << ": " << gain.expected;
    EXPECT_LE(gain.low, gain.expected) << what;
    EXPECT_LE(gain.expected, gain.high) << what;
    EXPECT_STREQ(sign_of(within(published, 1, 1)), published > 0 ? "gain" : "loss");
  }
  EXPECT_STREQ(sign_of({-0.1, 0.1, 0.2}), "open");
}

TEST(ModelledGates, CoresAddUpUntilTheMemoryIsFull) {
  const double memory = pi5().memory_bytes_per_second;
  const ModelledRate light{{1e6, 2e6, 4e6}, {1, 1, 1}};
  EXPECT_EQ(rate_on(pi5(), 4, light), (Estimate{4e6, 8e6, 16e6}));
  const ModelledRate heavy{{1e6, 2e6, 4e6}, {memory / 4e6, memory / 2e6, memory / 1e6}};
  EXPECT_EQ(rate_on(pi5(), 4, heavy), (Estimate{1e6, 2e6, 4e6}));
}

TEST(ModelledGates, HaveCyclesForEveryCallOfEveryKernel) {
  std::size_t kernels = 0;
  for (const gates::Kernel& kernel : bench::kernels()) {
    bool calls_any = false;
    for (const gates::Content content : gates::synthetic_contents()) {
      for (const int bits : kernel.bit_depths) {
        gates::WorkloadRequest request;
        request.content = content;
        request.width = 320;
        request.height = 192;
        request.bits = bits;
        const auto workload = kernel.make_workload(request);
        std::vector<std::byte> memory(workload->bytes());
        workload->reset(memory);
        for (const gates::CpuCalls& call : workload->cpu_calls(memory)) {
          calls_any = true;
          EXPECT_TRUE(kernel_cycles(Core::cortex_a76, call.kernel, call.input, call.bits,
                                    Implementation::neon))
              << call.kernel << ", " << call.input << ", " << call.bits;
        }
      }
    }
    kernels += calls_any ? 1 : 0;
  }
  // VP9's loop filters of six kinds and of pictures, its three other stages, cdef, h264_deblocking.
  EXPECT_EQ(kernels, 12U);
}

ModelledReport modelled_report() {
  ModelledNeon neon{{30, 40, 50}, {60, 90, 120}, {1e6, 2e6, 3e6}, {4e6, 7e6, 9e6}};
  ModelledContent known{gates::Content::flat,
                        "seed 1",
                        100,
                        neon,
                        {{"levels", 7, {1e-3, 2e-3}, 5e5, Estimate{-0.2, 0.1, 0.3}}}};
  ModelledContent unknown{
      gates::Content::smooth, "seed 1", 100, {}, {{"levels", 7, {1e-3, 2e-3}, 5e5, {}}}};
  ModelledGates gates{"pi5",
                      4,
                      "7.1",
                      "V3DV",
                      "loop_filter",
                      "edge",
                      {{"clock_hz", {1e9, 1e9}},
                       {"memory_bytes_per_second", {1.2e10, 1.2e10}},
                       {"dispatch_overhead_seconds", {33e-6, 33e-6}},
                       {"submission_seconds", {22.7e-6, 22.7e-6}},
                       {"error_factor", {0.8, 1.6}}},
                      {known, unknown}};
  return {{"sidecore", "gate"}, {gates}};
}

TEST(ModelledGates, EveryLineOfFiguresSaysThatItIsAModel) {
  ModelledGates gates = modelled_report().kernels.front();
  const std::string text = to_text(gates);
  for (const char* const words :
       {"M2, modelled", "M3, modelled", "M4, modelled", "M5, modelled", "gain, % (modelled)",
        "-20 .. +10 .. +30", "open", "No verdict follows from a model"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
  }
  gates.contents.erase(gates.contents.begin());
  EXPECT_NE(to_text(gates).find(
                "M3 and M4: no figures, because the model has no cycles for loop_filter on the "
                "CPU.\n"),
            std::string::npos);
}

TEST(ModelledGates, FilesReadBackAsTheyWereWritten) {
  const std::string text = to_json(modelled_report());
  EXPECT_EQ(to_json(parse_modelled_report(text, "file")), text);
  EXPECT_NE(text.find("\"basis\": \"model, not measured\""), std::string::npos);
  EXPECT_EQ(error_text([] { (void)parse_modelled_report("{}", "other.json"); }),
            "'other.json' is not a result of sidecore gate --model: it lacks \"schema\": "
            "\"sidecore-gate-model\"");
}

}  // namespace
}  // namespace sidecore::model::test_modelled_gates
