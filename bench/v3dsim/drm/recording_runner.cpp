#include "v3dsim/drm/recording_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <utility>

namespace sidecore::v3dsim {
namespace {

/// Returns the job's memory from its first instruction to the end of the buffer with it; empty if
/// no buffer has it, which the executor reports.
std::span<const std::byte> code_of(const CsdJob& job, const AddressSpace& memory) {
  const std::uint32_t address = code_address(job.words);
  for (const BufferRange& range : job.memory) {
    if (address >= range.address && address - range.address < range.size) {
      return {memory.base() + address, range.size - (address - range.address)};
    }
  }
  return {};
}

}  // namespace

void RecordQueue::add(std::string record) {
  const std::scoped_lock lock(mutex_);
  records_.push_back(std::move(record));
}

std::string RecordQueue::take() {
  const std::scoped_lock lock(mutex_);
  return fmt::format("[{}]", fmt::join(std::exchange(records_, {}), ","));
}

RecordingRunner::RecordingRunner(std::unique_ptr<JobRunner> runner, const ShaderLog& shaders,
                                 RecordQueue& records)
    : runner_(std::move(runner)), shaders_(shaders), records_(records) {}

CsdResult RecordingRunner::run(const CsdJob& job, const AddressSpace& memory) {
  CsdJob described = job;
  described.shader = shaders_.find(code_of(job, memory));
  described.wants_record = records_.wanted();
  CsdResult result = runner_->run(described, memory);
  if (described.wants_record) records_.add(result.record);
  return result;
}

}  // namespace sidecore::v3dsim
