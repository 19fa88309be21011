// Results of the gates as costs of the QPU and of a board's CPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "error_text.h"
#include "gates/gate_results.h"
#include "model/gate_results.h"
#include "model/predictor.h"
#include "model/some_sample.h"

namespace sidecore::model::test_gate_results {
namespace {

using test::gate_report;
using test::m3_report;
using test::machine;

TEST(GateRates, AreTheQpusAloneAndHowBothDisturbOneAnother) {
  const std::vector<gates::GateReport> reports{gate_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  gates::EnvironmentRecord board;
  board.board = "Pi";
  const GateRates rates = gate_rates(reports, names, board);
  EXPECT_EQ(rates.qpu_edges[1][2], 1e6);
  EXPECT_NEAR(rates.submission, 5e-4, kSmall);
  EXPECT_NEAR(rates.dispatch, 1e-5, kSmall);
  EXPECT_NEAR(rates.qpu_slowdown, 1.5, kSmall);
  EXPECT_NEAR(rates.neon_slowdown, 1.25, kSmall);
  const std::vector<FrameWork> work = some_work();
  const QpuCost cost = gates_qpu_cost(work, sample_of({}, 2, false), rates);
  // All edges take the time of 3000 edges at a million per second, of a submission and of eight
  // dispatches.
  EXPECT_NEAR(cost.levels.all_edges.seconds(frames(8, 19200)).expected, 8 * (3e-3 + 5e-4 + 8e-5),
              1e-6);
  // There are six waves; a divided filter gives the QPU luma, which has two thirds of the edges.
  EXPECT_NEAR(cost.waves.shared_edges.seconds(frames(8, 19200)).expected, 8 * (2e-3 + 5e-4 + 6e-5),
              1e-6);
}

TEST(GateRates, RefuseAnotherBoardASimulatorAndMissingGates) {
  std::vector<gates::GateReport> reports{gate_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  gates::EnvironmentRecord board;
  board.board = "laptop";
  const auto refusal = [&] {
    return test::error_text([&] { static_cast<void>(gate_rates(reports, names, board)); });
  };
  EXPECT_NE(refusal().find("'pi.json' was measured on Pi"), std::string::npos) << refusal();
  board.board = "Pi";
  reports[0].device.value.emplace().simulated = true;
  EXPECT_NE(refusal().find("simulator"), std::string::npos) << refusal();
  reports[0].device.value.reset();
  reports[0].kernels.pop_back();
  EXPECT_NE(refusal().find("no M4 of loop_filter_v_16"), std::string::npos) << refusal();
  reports[0] = gate_report("Pi");
  reports[0].m5.value.reset();
  EXPECT_NE(refusal().find("no M5"), std::string::npos) << refusal();
  reports[0] = gate_report("Pi");
  reports[0].throttled = "under-voltage (get_throttled 0x50005)";
  EXPECT_EQ(refusal(),
            "'pi.json' is void because the board throttled: under-voltage (get_throttled 0x50005)");
}

TEST(GateRates, AreOfOneDeviceWhichIsTheOneThatWasOpened) {
  const auto of_device = [](const char* name) {
    gates::GateReport report = gate_report("Pi");
    report.device.value.emplace().name = name;
    return report;
  };
  std::vector<gates::GateReport> reports{of_device("V3D 7.1.7.0"), gate_report("Pi"),
                                         of_device("V3D 7.1.7.0")};
  const std::vector<std::string> names{"one.json", "two.json", "three.json"};
  gates::EnvironmentRecord board;
  board.board = "Pi";
  const GateRates rates = gate_rates(reports, names, board);
  EXPECT_FALSE(rates.cpu_device());
  EXPECT_NO_THROW(check_device(rates, *reports[0].device));
  EXPECT_NO_THROW(check_device(GateRates(), *reports[0].device)) << "the rates name no device";
  qpu::DeviceInfo other;
  other.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  other.type = qpu::DeviceType::cpu;
  EXPECT_EQ(test::error_text([&] { check_device(rates, other); }),
            "'one.json' was measured with V3D 7.1.7.0, but split would run on llvmpipe (LLVM "
            "15.0.6, 256 bits): select the former with --device");
  reports[2].device = {other};
  EXPECT_EQ(test::error_text([&] { static_cast<void>(gate_rates(reports, names, board)); }),
            "'three.json' was measured with llvmpipe (LLVM 15.0.6, 256 bits), 'one.json' with V3D "
            "7.1.7.0: all results must be from one device");
}

TEST(BoardCpu, IsThatOfM3AndStretchesTheTimesOfThisMachine) {
  const std::vector<gates::GateReport> reports{m3_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  const BoardCpu cpu = board_cpu(reports, names, machine("laptop"), "7.1");
  EXPECT_FALSE(cpu.this_machine);
  EXPECT_TRUE(board_cpu(reports, names, machine("Pi"), "7.1").this_machine);
  EXPECT_EQ(cpu.board, "Pi");
  EXPECT_NEAR(cpu.neon_edge(), 1e-6, kSmall);
  EXPECT_NEAR(cpu.device_memory_factor, 2, kSmall);
  Sample sample = sample_of({}, 1, false);
  // The factor follows from 3000 edges per frame at a million per second; this machine takes 2 ms.
  const double factor = cpu_factor(sample, cpu.neon_edges);
  EXPECT_NEAR(factor, 1.5, kSmall);
  scale_seconds(sample, factor);
  const FrameTotals one = frames(1, 1000);
  const Predictor predictor = predictor_of(sample, nullptr, {4, false});
  EXPECT_NEAR(predictor.stage(candidate("neon", 1), ClockRow::loop_filter, one).expected, 3e-3,
              kSmall);
  EXPECT_NEAR(predictor.stage(candidate("neon", 1), ClockRow::prediction, one).expected, 3e-3,
              kSmall);
}

TEST(BoardCpu, RefusesWhatIsNotTheModelledBoards) {
  std::vector<gates::GateReport> reports{m3_report("Pi"), m3_report("Pi")};
  const std::vector<std::string> names{"one.json", "two.json"};
  const auto refusal = [&] {
    return test::error_text(
        [&] { static_cast<void>(board_cpu(reports, names, machine("laptop"), "7.1")); });
  };
  reports[1].before.board = "Pi 4";
  EXPECT_EQ(refusal(),
            "'two.json' was measured on Pi 4, others on Pi: all results must be from one board");
  reports[1] = m3_report("Pi");
  reports[1].device.value.emplace().name = "V3D 4.2.14.0";
  EXPECT_EQ(refusal(),
            "'two.json' was measured on a board with V3D 4.2.14.0, but the model is of a V3D 7.1");
  reports[1].device.value->simulated = true;
  EXPECT_NE(refusal().find("simulator"), std::string::npos) << refusal();
  reports[1] = m3_report("Pi");
  reports[1].throttled = "throttled while windows of M4 ran";
  EXPECT_EQ(refusal(),
            "'two.json' is void because the board throttled: throttled while windows of M4 ran");
  reports.pop_back();
  reports[0].build.neon_is_native = false;
  EXPECT_NE(refusal().find("has no NEON"), std::string::npos) << refusal();
  reports[0] = m3_report("Pi");
  reports[0].kernels[4].m3.value.reset();
  EXPECT_NE(
      refusal().find(
          "there is no M3 of loop_filter_v_8 with one NEON thread; measure it with sidecore gate "
          "loop_filter_v_8 --gates m3 --json FILE"),
      std::string::npos)
      << refusal();
}

}  // namespace
}  // namespace sidecore::model::test_gate_results
