// Tests jobs: their words, the invocations of a thread, barriers, schedules, races, and statistics.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "v3dsim/supergroup.h"
#include "v3dsim/v3dsim_rig.h"

namespace sidecore::v3dsim::test_v3dsim_job {
namespace {

using namespace rig;

TEST(V3dJob, ReadsTheWordsTheDriverWroteForThreeGroupsOf256) {
  Job job{{0x30000, 0x10000, 0x10000, 0xf100, 0x30, 0x21001, 0x23000}};
  const JobShape shape = read_job(job, pi5());
  EXPECT_EQ(shape.groups, (std::array<std::uint32_t, 3>{3, 1, 1}));
  EXPECT_EQ(shape.workgroup_size, 256U);
  EXPECT_EQ(shape.workgroups_per_supergroup, 1U);
  EXPECT_EQ(shape.batches, 48U);
  EXPECT_EQ(shape.code_address, 0x21000U);
  EXPECT_EQ(shape.uniform_address, 0x23000U);
  EXPECT_TRUE(shape.four_threads);
  EXPECT_FALSE(shape.single_segment);
  EXPECT_EQ(make_job(shape, pi5()).config, job.config);

  job.config[4] = 0x2f;
  job.config[5] |= 4;
  EXPECT_EQ(read_job(job, pi4()).batches, 48U);
  EXPECT_EQ(make_job(shape, pi4()).config, job.config);
  EXPECT_THROW((void)read_job(job, pi5()), Fault)
      << "7.1 counts batches from revision 6 on, not batches - 1";
}

TEST(V3dJob, ThirtyGroupsOfTwentyMake38BatchesPackedAnd60Alone) {
  JobShape shape;
  shape.groups = {30, 1, 1};
  shape.workgroup_size = 20;
  shape.workgroups_per_supergroup = 4;
  EXPECT_EQ(read_job(make_job(shape, pi5()), pi5()).batches, 38U);
  shape.workgroups_per_supergroup = 1;
  EXPECT_EQ(read_job(make_job(shape, pi5()), pi5()).batches, 60U);
}

TEST(V3dJob, ContradictoryWordsAreRefusedNamingBothNumbers) {
  JobShape shape;
  shape.groups = {4, 2, 1};
  shape.workgroup_size = 64;
  shape.workgroups_per_supergroup = 2;
  const Job good = make_job(shape, pi5());
  EXPECT_EQ(read_job(good, pi5()).batches, 32U);
  Job bad = good;
  bad.config[4] += 1;
  const Fault fault = catch_fault([&] { (void)read_job(bad, pi5()); });
  EXPECT_EQ(fault.kind(), FaultKind::bad_job);
  EXPECT_STREQ(fault.what(), "33 batches in the job, but its grid of 8 workgroups needs 32");
  bad = good;
  bad.config[3] += 1 << 12;
  EXPECT_THROW((void)read_job(bad, pi5()), Fault);
  bad = good;
  bad.config[1] = 0;
  EXPECT_THROW((void)read_job(bad, pi5()), Fault);
  bad = good;
  bad.config[0] |= 1;
  EXPECT_THROW((void)read_job(bad, pi5()), Fault);
}

TEST(V3dJob, EveryInvocationAppearsOnceAndPayloadsSayWhere) {
  for (const std::uint32_t size : {1U, 7U, 16U, 20U, 64U, 100U, 256U}) {
    for (const std::uint32_t per_supergroup : {1U, 3U, 16U}) {
      JobShape shape;
      shape.groups = {5, 2, 3};
      shape.workgroup_size = size;
      shape.workgroups_per_supergroup = per_supergroup;
      shape = read_job(make_job(shape, pi5()), pi5());
      const unsigned local_bits = size <= 64 ? 6 : (size <= 128 ? 7 : 8);
      std::set<std::array<std::uint32_t, 4>> seen;
      std::uint64_t batches = 0;
      for (std::uint64_t supergroup = 0; supergroup < shape.supergroups; ++supergroup) {
        for (std::uint32_t batch = 0; batch < shape.batches_in(supergroup); ++batch, ++batches) {
          const Payload payload = make_payload(shape, supergroup, batch, 0);
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if ((payload.active >> lane & 1) == 0) continue;
            const std::uint32_t xy = payload.ids_xy.lane[lane], z = payload.z_and_local.lane[lane];
            const std::array<std::uint32_t, 4> id = {xy & 0xffff, xy >> 16, z & 0xffff,
                                                     z >> (32 - local_bits)};
            EXPECT_TRUE(seen.insert(id).second);
            EXPECT_LT(id[0], 5U);
            EXPECT_LT(id[1], 2U);
            EXPECT_LT(id[2], 3U);
            EXPECT_LT(id[3], size);
            // Workgroup numbers increase fastest in x, then y, then z; slots count within the
            // supergroup.
            const std::uint32_t group = id[0] + 5 * id[1] + 10 * id[2];
            EXPECT_EQ(group / per_supergroup, supergroup);
            EXPECT_EQ((z >> 16) & ((1U << (16 - local_bits)) - 1), group % per_supergroup);
          }
        }
      }
      EXPECT_EQ(seen.size(), std::size_t{30} * size);
      EXPECT_EQ(batches, shape.batches);
    }
  }
}

class JobOnEachVersion : public testing::TestWithParam<Version> {
 protected:
  Machine1M gpu{GetParam()};
  Assembler code{GetParam()};

  /// Adds the next uniform, a base address, to register rf`into`.
  void plus_uniform(unsigned into) {
    code.uniform(28);
    code.add(AddOp::add, to(into), rf(into), rf(28));
  }

  /// Computes c[i] = a[i] + b[i] over workgroups of 64.
  void vector_add() {
    code.invocation_index(10, 6);
    code.add(AddOp::shl, to(10), rf(10), imm(2));
    code.mov(to(12), rf(10));
    code.mov(to(13), rf(10));
    plus_uniform(10);
    plus_uniform(12);
    plus_uniform(13);
    code.mov(to_magic(magic::kTmua), rf(10));
    code.mov(to_magic(magic::kTmua), rf(12));
    code.nop(signal::kThrsw);
    code.nop();
    code.nop();
    code.nop(signal::kLdtmu, to(14));
    code.nop(signal::kLdtmu, to(15));
    code.add(AddOp::add, to(14), rf(14), rf(15));
    code.store(13, 14);
    code.end();
    gpu.load(code, {kData, kData + 0x10000, kData + 0x20000});
    gpu.shape.groups = {61, 1, 1};
    gpu.shape.workgroup_size = 64;
    gpu.shape.four_threads = true;
  }

  /// Each invocation stores its index in shared memory (the workgroup's slot), waits, and reads the
  /// mirrored entry of the workgroup of 64. If `barrier` is false, the race remains.
  void mirror_through_shared(bool barrier) {
    code.add(AddOp::shr, to(20), rf(2), imm(-6));  // rf20 is the local index
    code.add(AddOp::shl, to(21), rf(2), imm(6));   // rf21 has the workgroup's slot in bits 25:16
    code.add(AddOp::shr, to(21), rf(21), imm(-10));
    code.add(AddOp::shl, to(21), rf(21), imm(8));  // rf21 is slot * 256 bytes
    code.add(AddOp::shl, to(22), rf(20), imm(2));
    code.add(AddOp::add, to(22), rf(22), rf(21));
    plus_uniform(22);
    code.invocation_index(10, 6);
    code.store(22, 10);
    code.add(AddOp::tmuwt, kNowhere);
    if (barrier) code.add(AddOp::barrierid, to_magic(magic::kSyncb));
    code.thread_switch();
    code.uniform(25);  // rf25 = 63
    code.add(AddOp::sub, to(23), rf(25), rf(20));
    code.add(AddOp::shl, to(23), rf(23), imm(2));
    code.add(AddOp::add, to(23), rf(23), rf(21));
    plus_uniform(23);
    code.load(24, 23);
    code.add(AddOp::shl, to(10), rf(10), imm(2));
    plus_uniform(10);
    code.store(10, 24);
    code.end();
    gpu.load(code, {kData, 63, kData, kData + 0x40000});
    gpu.shape.groups = {20, 1, 1};
    gpu.shape.workgroup_size = 64;
    gpu.shape.four_threads = true;
  }
  static constexpr std::size_t kMirrored = 0x40000 / 4;

  std::vector<std::uint32_t> bytes_after(const Options& options) {
    std::fill(gpu.data().begin() + 0x20000 / 4, gpu.data().end(), 0U);
    statistics = gpu.run(options);
    return {gpu.data().begin(), gpu.data().end()};
  }
  Statistics statistics;
};

TEST_P(JobOnEachVersion, AddsTwoVectorsWhateverTheScheduleAndThePoison) {
  vector_add();
  for (std::uint32_t i = 0; i < 0x8000; ++i) gpu.data(i) = i * 2654435761U;
  const std::vector<std::uint32_t> expected = bytes_after({});
  for (std::uint32_t i = 0; i < 61 * 64; ++i) {
    ASSERT_EQ(expected[0x8000 + i], gpu.data(i) + gpu.data(0x4000 + i));
  }
  EXPECT_EQ(expected[0x8000 + 61 * 64], 0U);
  EXPECT_EQ(statistics.threads, 61U * 4);
  EXPECT_EQ(statistics.waits, statistics.threads);
  EXPECT_EQ(statistics.tmu.lines_per_request[1], statistics.threads * 3) << "64 bytes, aligned";
  EXPECT_EQ(statistics.tmu.unique_lines, 61U * 4 * 3);
  const std::string counted = to_json(statistics);
  for (const bool poison : {false, true}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      for (const auto& [order, threads] :
           {std::pair{Order::in_order, 1U}, {Order::in_order, 3U}, {Order::random, 1U}}) {
        Options options;
        options.order = order;
        options.seed = seed;
        options.host_threads = threads;
        options.poison = poison;
        ASSERT_EQ(bytes_after(options), expected) << "seed " << seed;
        EXPECT_EQ(to_json(statistics), counted) << "counters do not depend on the schedule";
      }
    }
  }
}

TEST_P(JobOnEachVersion, EveryVariantOfTheInnerLoopIsTheSameMachine) {
  EXPECT_NE(run_function("baseline"), nullptr);
  EXPECT_NE(run_function(), nullptr);
  EXPECT_EQ(run_function("mmx"), nullptr);
}

TEST_P(JobOnEachVersion, ABarrierHoldsTheWholeSupergroup) {
  mirror_through_shared(true);
  for (const std::uint32_t per_supergroup : {1U, 3U, 4U}) {
    gpu.shape.workgroups_per_supergroup = per_supergroup;
    for (const auto& [order, seed, threads] : {std::tuple{Order::in_order, 1U, 1U},
                                               {Order::in_order, 1U, 2U},
                                               {Order::random, 5U, 1U},
                                               {Order::random, 6U, 1U},
                                               {Order::random, 7U, 1U}}) {
      Options options;
      options.order = order;
      options.seed = seed;
      options.host_threads = threads;
      options.poison = seed > 5;
      const auto bytes = bytes_after(options);
      for (std::uint32_t i = 0; i < 20 * 64; ++i) {
        ASSERT_EQ(bytes[kMirrored + i], i / 64 * 64 + 63 - i % 64);
      }
      EXPECT_EQ(statistics.barriers, statistics.threads);
    }
  }
}

TEST_P(JobOnEachVersion, AMissingBarrierIsARaceThatTheCheckerFinds) {
  Options options;
  options.check_races = true;
  mirror_through_shared(true);
  EXPECT_NO_THROW(gpu.run(options));
  gpu.shape.workgroups_per_supergroup = 3;
  EXPECT_NO_THROW(gpu.run(options)) << "slots of shared memory are reused in turn";
  code = Assembler(GetParam());
  gpu.shape.workgroups_per_supergroup = 1;
  mirror_through_shared(false);
  const Fault fault = catch_fault([&] { gpu.run(options); });
  EXPECT_EQ(fault.kind(), FaultKind::race);
  EXPECT_NE(std::string(fault.what()).find("no barrier is between them"), std::string::npos);
}

TEST_P(JobOnEachVersion, ThreadsThatTakeOverScratchMemoryDoNotRace) {
  // The address is word TIDX * 16 + lane in the first round, as for the driver's spills, and one
  // common word of the workgroup in the second.
  for (const bool one_word : {false, true}) {
    code = Assembler(GetParam());
    code.add(AddOp::tidx, to(14));
    code.add(AddOp::shl, to(14), rf(14), imm(6));
    code.add(AddOp::eidx, to(15));
    code.add(AddOp::shl, to(15), rf(15), imm(2));
    code.add(AddOp::add, to(10), rf(14), rf(15));
    if (one_word) code.mov(to(10), imm(0));
    plus_uniform(10);
    code.store(10, 14);
    code.end();
    gpu.load(code, {kData});
    gpu.shape.groups = {3, 1, 1};
    gpu.shape.workgroup_size = 250;
    gpu.shape.workgroups_per_supergroup = 3;
    Options options;
    options.check_races = true;
    options.lanes_are_ordered = true;
    if (one_word) {
      EXPECT_EQ(catch_fault([&] { gpu.run(options); }).kind(), FaultKind::race);
    } else {
      EXPECT_NO_THROW(gpu.run(options));
    }
  }
}

TEST_P(JobOnEachVersion, ABarrierThatSomeLanesSkipIsAFault) {
  // Lanes below `lanes` skip the barrier. That is rejected for some lanes of a thread, but not for
  // all.
  for (const int lanes : {0, 8, 15}) {
    code = Assembler(GetParam());
    code.add(AddOp::eidx, to(12));
    code.add(AddOp::sub, kNowhere, rf(12), imm(lanes), {.flags = FlagUse::push_c});
    const std::size_t at = code.here();
    code.branch(BranchCondition::all_a, LaneFilter::all_lanes, at + 4 + 4);
    code.add(AddOp::barrierid, to_magic(magic::kSyncb));
    code.thread_switch();
    code.end();
    gpu.load(code, {});
    gpu.shape.workgroup_size = 15;
    if (lanes == 8) {
      const Fault fault = catch_fault([&] { gpu.run(); });
      EXPECT_EQ(fault.kind(), FaultKind::barrier);
      EXPECT_NE(std::string(fault.what()).find("a barrier in divergent flow"), std::string::npos);
    } else {
      EXPECT_NO_THROW(gpu.run()) << lanes;
    }
  }
}

TEST_P(JobOnEachVersion, ALoopThatSomeLanesLeftHoldsNoBarrierButOnesAfterItAre) {
  // Each lane repeats the loop as often as its number says; the barrier is inside or after the
  // loop.
  for (const bool within : {false, true}) {
    code = Assembler(GetParam());
    code.add(AddOp::eidx, to(12));
    const std::size_t loop = code.here();
    if (within) {
      code.add(AddOp::barrierid, to_magic(magic::kSyncb));
      code.thread_switch();
    }
    code.add(AddOp::sub, to(12), rf(12), imm(1), {.flags = FlagUse::push_n});
    code.branch(BranchCondition::any_not_a, LaneFilter::all_lanes, loop);
    code.add(AddOp::barrierid, to_magic(magic::kSyncb));
    code.thread_switch();
    code.end();
    gpu.load(code, {});
    gpu.shape.workgroup_size = 16;
    if (within) {
      EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::barrier);
    } else {
      EXPECT_NO_THROW(gpu.run());
    }
  }
}

TEST_P(JobOnEachVersion, ThreadsAtDifferentBarriersAreAFault) {
  // The first two of four threads reach one barrier, the other two reach another barrier.
  code.add(AddOp::shr, to(20), rf(2), imm(-1));
  code.add(AddOp::sub, kNowhere, rf(20), imm(1), {.flags = FlagUse::push_z});
  const std::size_t at = code.here();
  code.branch(BranchCondition::all_a, LaneFilter::active_lanes, at + 4 + 10);
  code.add(AddOp::barrierid, to_magic(magic::kSyncb));
  code.thread_switch();
  code.end();
  code.add(AddOp::barrierid, to_magic(magic::kSyncb));
  code.thread_switch();
  code.end();
  gpu.load(code, {});
  gpu.shape.workgroup_size = 64;
  const Fault fault = catch_fault([&] { gpu.run(); });
  EXPECT_EQ(fault.kind(), FaultKind::barrier);
  EXPECT_NE(std::string(fault.what()).find("others at the one at"), std::string::npos);
}

TEST_P(JobOnEachVersion, TwoWorkgroupsWritingOneWordRaceUnlessBothAreAtomic) {
  Options options;
  options.check_races = true;
  gpu.shape.groups = {2, 1, 1};
  gpu.shape.workgroup_size = 1;
  for (const bool atomic : {false, true}) {
    code = Assembler(GetParam());
    code.uniform(10);
    code.mov(to_magic(magic::kTmud), imm(1));
    code.mov(to_magic(magic::kTmuau), rf(10));
    if (atomic) {
      code.nop(signal::kThrsw);
      code.nop();
      code.nop();
      code.nop(signal::kLdtmu, kNowhere);
    }
    code.end();
    gpu.load(code, {kData, atomic ? 0xffffff87 : 0xffffffff});
    gpu.data(0) = 0;
    if (atomic) {
      EXPECT_NO_THROW(gpu.run(options));
      EXPECT_EQ(gpu.data(0), 2U);
    } else {
      EXPECT_EQ(catch_fault([&] { gpu.run(options); }).kind(), FaultKind::race);
    }
  }
}

TEST_P(JobOnEachVersion, LanesOfOneThreadRaceUnlessTakenAsOrderedAndTheirStoresAreDone) {
  // Lane i writes word i, then reads word 15 - i, without a barrier.
  for (const bool waits : {false, true}) {
    code = Assembler(GetParam());
    code.uniform(10);
    code.uniform(11);
    code.add(AddOp::eidx, to(12));
    code.add(AddOp::shl, to(12), rf(12), imm(2));
    code.add(AddOp::add, to(10), rf(10), rf(12));
    code.add(AddOp::sub, to(11), rf(11), rf(12));
    code.store(10, 12);
    if (waits) {
      code.thread_switch();
      code.add(AddOp::tmuwt, kNowhere);
    }
    code.load(13, 11);
    code.end();
    gpu.load(code, {kData, kData + 60});
    Options options;
    options.check_races = true;
    EXPECT_EQ(catch_fault([&] { gpu.run(options); }).kind(), FaultKind::race);
    options.lanes_are_ordered = true;
    if (waits) {
      EXPECT_NO_THROW(gpu.run(options));
    } else {
      EXPECT_EQ(catch_fault([&] { gpu.run(options); }).kind(), FaultKind::race);
    }
  }
}

TEST_P(JobOnEachVersion, ABarrierThatSomeThreadsSkipIsAFault) {
  // Threads whose first lane has a local index below 32 branch past the barrier.
  // The local index divided by 32, which is in the top bits of payload 1.
  code.add(AddOp::shr, to(20), rf(2), imm(-1));
  code.add(AddOp::sub, kNowhere, rf(20), imm(1), {.flags = FlagUse::push_z});
  const std::size_t at = code.here();
  code.branch(BranchCondition::all_not_a, LaneFilter::active_lanes, at + 4 + 4);
  code.add(AddOp::barrierid, to_magic(magic::kSyncb));
  code.thread_switch();
  code.end();
  gpu.load(code, {});
  gpu.shape.workgroup_size = 64;
  const Fault fault = catch_fault([&] { gpu.run(); });
  EXPECT_EQ(fault.kind(), FaultKind::barrier);
  EXPECT_NE(std::string(fault.what()).find("2 of its threads wait at a barrier that 2 ended"),
            std::string::npos)
      << fault.what();
}

TEST_P(JobOnEachVersion, ABarrierAmongMoreThreadsThanTheMachineHoldsIsAFault) {
  code.add(AddOp::barrierid, to_magic(magic::kSyncb));
  code.thread_switch();
  code.end();
  gpu.load(code, {});
  gpu.shape.groups = {16, 1, 1};
  gpu.shape.workgroups_per_supergroup = 16;
  gpu.shape.workgroup_size = 255;
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::barrier);
}

TEST_P(JobOnEachVersion, ThreadNumbersAreUniqueAmongLiveThreads) {
  // Each thread stores its number, waits for the other threads, and stores the number again
  // elsewhere.
  code.invocation_index(10, 6);
  code.add(AddOp::shl, to(10), rf(10), imm(2));
  plus_uniform(10);
  code.add(AddOp::tidx, to(14));
  code.store(10, 14);
  code.add(AddOp::barrierid, to_magic(magic::kSyncb));
  code.thread_switch();
  code.end();
  gpu.load(code, {kData});
  gpu.shape.groups = {12, 1, 1};
  gpu.shape.workgroup_size = 64;
  gpu.shape.workgroups_per_supergroup = 4;
  const std::uint32_t slots = gpu.machine.qpus * 2;
  for (const unsigned threads : {1U, 2U}) {
    Options options;
    options.host_threads = threads;
    gpu.run(options);
    for (std::uint32_t supergroup = 0; supergroup < 3; ++supergroup) {
      std::set<std::uint32_t> numbers;
      for (std::uint32_t batch = 0; batch < 16; ++batch) {
        numbers.insert(gpu.data(supergroup * 256 + batch * 16));
      }
      EXPECT_EQ(numbers.size(), 16U);
      EXPECT_LT(*numbers.rbegin(), slots);
    }
  }
}

TEST_P(JobOnEachVersion, AnIndirectJobUsesSlotZeroOnly) {
  code.invocation_index(10, 6);
  code.add(AddOp::shl, to(10), rf(10), imm(2));
  plus_uniform(10);
  code.add(AddOp::shl, to(21), rf(2), imm(6));
  code.add(AddOp::shr, to(21), rf(21), imm(-10));
  code.store(10, 21);
  code.end();
  gpu.load(code, {kData});
  gpu.shape.groups = {5, 1, 1};
  gpu.shape.workgroup_size = 64;
  Options options;
  options.host_threads = 2;
  gpu.run(options);
  EXPECT_EQ(gpu.data(4 * 64), 4U) << "a direct job gives each workgroup its own slot";
  Job job = make_job(gpu.shape, gpu.machine);
  job.indirect = true;
  Executor executor(gpu.machine, options);
  executor.run(job, gpu.memory);
  for (std::uint32_t i = 0; i < 5 * 64; ++i) EXPECT_EQ(gpu.data(i), 0U);
}

TEST_P(JobOnEachVersion, TheFirstFaultBySupergroupIsReportedWhoeverFindsIt) {
  vector_add();
  const RestrictedMemory::Range listed[] = {{kUniforms, 0x1000}, {kCode, 0x8000}, {kData, 0x20000}};
  const RestrictedMemory restricted(gpu.memory, listed);
  Options options;
  options.host_threads = 2;
  Executor executor(gpu.machine, options);
  const Fault fault =
      catch_fault([&] { executor.run(make_job(gpu.shape, gpu.machine), restricted); });
  EXPECT_EQ(fault.kind(), FaultKind::out_of_bounds);
  EXPECT_NE(std::string(fault.what()).find("supergroup"), std::string::npos);
}

TEST_P(JobOnEachVersion, StatisticsBecomeAJsonRecord) {
  vector_add();
  const auto json = nlohmann::json::parse(to_json(gpu.run()));
  EXPECT_EQ(json["schema"], "sidecore-v3dsim-statistics-1");
  EXPECT_EQ(json["v3d"], version_name(GetParam()));
  EXPECT_EQ(json["grid"], nlohmann::json({61, 1, 1}));
  EXPECT_EQ(json["threads"], 244);
  EXPECT_EQ(json["tmu"]["requests"]["load"]["word"], 488);
  EXPECT_EQ(json["tmu"]["lines_per_request"].size(), kMaxLines + 1);
}

INSTANTIATE_TEST_SUITE_P(V3d, JobOnEachVersion, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_job
