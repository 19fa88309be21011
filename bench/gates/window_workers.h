// Workers of an M4 time window: NEON threads and the QPU, each on its own copies of the samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "gates/heap_block.h"
#include "gates/kernel.h"
#include "qpu/buffer.h"
#include "qpu/device.h"

namespace sidecore::gates {

/// Passes of one worker and the time that they took. A worker finishes the pass that is running
/// when the time window ends.
struct WorkerResult {
  std::uint64_t passes = 0;
  Nanoseconds elapsed{0};

  [[nodiscard]] double passes_per_second() const;
};

/// A workload and its samples in ordinary memory.
struct HeapPicture {
  std::shared_ptr<const Workload> workload;
  HeapBlock memory;

  explicit HeapPicture(std::shared_ptr<const Workload> work)
      : workload(std::move(work)), memory(workload->bytes()) {}
  void restore() { workload->reset(memory.bytes()); }
};

/// Runs passes with NEON until `window` has passed. One pass processes all units of each picture.
[[nodiscard]] WorkerResult work_on_neon(const std::vector<HeapPicture*>& pictures,
                                        Nanoseconds window);

/// Runs passes on the QPU. Keeps two submissions in flight, each on its own copy of the samples in
/// device memory.
class QpuWorker {
 public:
  static constexpr std::size_t kInFlight = 2;

  QpuWorker(qpu::Device& device, std::shared_ptr<const Workload> workload,
            const std::string& variant);

  void restore();
  [[nodiscard]] WorkerResult work(Nanoseconds window);
  [[nodiscard]] std::vector<BranchRate> branch_rates() const;

 private:
  struct Slot {
    std::shared_ptr<qpu::Buffer> memory;
    std::unique_ptr<qpu::CommandList> list;
  };
  qpu::Device& device_;
  std::shared_ptr<const Workload> workload_;
  std::array<Slot, kInFlight> slots_;
};

}  // namespace sidecore::gates
