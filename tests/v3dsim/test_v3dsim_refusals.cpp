// Tests jobs that no driver writes, on the fake device with its real executor. The device rejects
// each job with one line on stderr and an I/O error, which the driver reports as
// VK_ERROR_DEVICE_LOST.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "v3dsim/drm/executor_runner.h"
#include "v3dsim/v3dsim_device_fixture.h"

namespace sidecore::v3dsim::test_v3dsim_refusals {
namespace {

class V3dAcceptance2 : public testing::TestWithParam<Version> {
 protected:
  V3dAcceptance2() {
    settings_.version = GetParam();
    device_ = std::make_unique<Device>(settings_, std::make_unique<AddressSpace>(),
                                       std::make_unique<ExecutorRunner>(settings_));
    uapi::CreateBo bo{4096, 0, 0, 0};
    EXPECT_EQ(call(Request::create_bo, bo), 0);
    code_ = bo.offset;
    const std::uint32_t batches = settings_.machine().job_holds_batches_minus_one() ? 0 : 1;
    const std::uint32_t words[] = {1U << 16, 1U << 16, 1U << 16, 16 | 1 << 8,
                                   batches,  code_,    code_};
    std::copy(std::begin(words), std::end(words), std::begin(csd_.cfg));
  }

  template <class T>
  int call(Request request, T& argument) {
    return device_->ioctl(request_of(request), &argument);
  }
  void write_code(std::uint64_t word) {
    std::memcpy(device_->memory().base() + code_, &word, sizeof word);
  }
  /// Expects one line with `text`, an I/O error, and the same error from a wait.
  void expect_refused(const char* text) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(Request::submit_csd, csd_), -EIO);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said.find("v3dsim: refused: "), 0U) << said;
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    uapi::SyncobjCreate sync{0, 0};
    ASSERT_EQ(call(Request::syncobj_create, sync), 0);
    uapi::SyncobjWait wait{address_of(&sync.handle),    INT64_MAX, 1,
                           uapi::kSyncobjWaitForSubmit, 0,         0};
    EXPECT_EQ(call(Request::syncobj_wait, wait), -EIO);
  }

  Settings settings_;
  std::unique_ptr<Device> device_;
  std::uint32_t code_ = 0;
  uapi::SubmitCsd csd_{};
};

TEST_P(V3dAcceptance2, RefusesAWordThatIsNoInstruction) {
  write_code(0x0100000000000000);  // a mul opcode of 0 with a signal other than a branch's
  expect_refused("0100000000000000");
}

TEST_P(V3dAcceptance2, RefusesAnInstructionOfTheGraphicsPipeline) {
  write_code(GetParam() == Version::v42 ? 0x3e003186bb800000 : 0x3a003186bb03f000);  // ldtlb
  expect_refused("graphics or texture signal");
}

TEST_P(V3dAcceptance2, RefusesABatchCountThatDoesNotFollowFromTheGrid) {
  csd_.cfg[4] += 3;
  expect_refused("batches in the job, but its grid of 1 workgroups needs 1");
}

TEST_P(V3dAcceptance2, RefusesCodeOutsideEveryBuffer) {
  csd_.cfg[5] = 0x7fff0000;
  expect_refused("outside");
}

TEST_P(V3dAcceptance2, KnowsNoOtherRequests) {
  testing::internal::CaptureStderr();
  std::uint64_t nothing[16] = {};
  EXPECT_EQ(call(static_cast<Request>(0x5f), nothing), -ENOTTY);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "v3dsim: refused: the kernel interface has no request 0x5f here\n");
}

INSTANTIATE_TEST_SUITE_P(V3d, V3dAcceptance2, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_refusals
