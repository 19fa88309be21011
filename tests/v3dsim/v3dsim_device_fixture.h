// Fixture with a fake V3D device, used without the hooks, and a runner that only records its jobs.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "v3dsim/drm/device.h"
#include "v3dsim/fault.h"

namespace sidecore::v3dsim {

using uapi::Request;

inline unsigned long request_of(Request number) {
  return 0xc0000000UL | uapi::kDrmType << 8 | static_cast<unsigned long>(number);
}

template <class T>
std::uint64_t address_of(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Records the jobs; throws a Fault if `refuse` is set.
class RecordingTestRunner final : public JobRunner {
 public:
  CsdResult run(const CsdJob& job, const AddressSpace&) override {
    if (refuse)
      throw Fault(FaultKind::out_of_bounds, "store outside every buffer", refused_address);
    jobs.push_back(job);
    return {Nanoseconds{5000}, "", "", counters};
  }
  CounterValues counters{};  ///< counter values returned for every job
  std::vector<CsdJob> jobs;
  bool refuse = false;
  std::optional<std::uint32_t> refused_address;
};

class V3dDevice : public testing::Test {
 protected:
  explicit V3dDevice(const Settings& settings = {}) {
    auto runner = std::make_unique<RecordingTestRunner>();
    runner_ = runner.get();
    device_ =
        std::make_unique<Device>(settings, std::make_unique<AddressSpace>(), std::move(runner));
  }

  template <class T>
  int call(Request request, T& argument) {
    return device_->ioctl(request_of(request), &argument);
  }

  uapi::CreateBo create(std::uint32_t size) {
    uapi::CreateBo bo{size, 0, 0, 0};
    EXPECT_EQ(call(Request::create_bo, bo), 0);
    return bo;
  }

  std::uint32_t create_sync(bool signaled) {
    uapi::SyncobjCreate sync{0, signaled ? uapi::kSyncobjCreateSignaled : 0};
    EXPECT_EQ(call(Request::syncobj_create, sync), 0);
    return sync.handle;
  }

  int wait(std::uint32_t handle, std::int64_t deadline_ns, std::uint32_t flags) {
    uapi::SyncobjWait wait{address_of(&handle), deadline_ns, 1, flags, 0, 0};
    return call(Request::syncobj_wait, wait);
  }

  std::byte* at(std::uint32_t address) { return device_->memory().base() + address; }

  RecordingTestRunner* runner_;
  std::unique_ptr<Device> device_;
};

}  // namespace sidecore::v3dsim
