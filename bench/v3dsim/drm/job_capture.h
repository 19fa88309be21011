// What a compute job was given and what it left: enough to run it again anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "v3dsim/drm/job_runner.h"
#include "v3dsim/memory.h"
#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

/// A run of 32-bit words from `offset` bytes into a buffer.
struct WordRun {
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> words;
};

/// A buffer that the job could reach: what it held (words of no run are 0), and the words that the
/// job changed, with their new values.
struct CapturedBuffer {
  BufferRange range;
  std::vector<WordRun> before;
  std::vector<WordRun> changed;
};

struct CapturedJob {
  Version version = Version::v71;
  Job job;  ///< its configuration; code and uniforms lie in the buffers
  std::vector<CapturedBuffer> buffers;
};

/// Copies the buffers before a job runs, and finds what it changed afterwards.
class JobCapture {
 public:
  /// `base` is where GPU address 0 would be.
  JobCapture(const CsdJob& job, Version version, const std::byte* base);
  [[nodiscard]] CapturedJob finish() const;

 private:
  CsdJob job_;
  Version version_;
  const std::byte* base_;
  std::vector<std::vector<std::uint32_t>> before_;
};

/// The buffers of a captured job, at their addresses, each in host memory of its own.
class CapturedMemory final : public Memory {
 public:
  /// As they were before the job.
  explicit CapturedMemory(const CapturedJob& job);
  [[nodiscard]] Window window(std::uint32_t address) const override;
  /// The words of buffer `index` of the captured job.
  [[nodiscard]] std::span<const std::uint32_t> words(std::size_t index) const {
    return buffers_[index].second;
  }

 private:
  mutable std::vector<std::pair<BufferRange, std::vector<std::uint32_t>>> buffers_;
};

/// The words of buffer `index` after the job, as captured.
[[nodiscard]] std::vector<std::uint32_t> words_after(const CapturedBuffer& buffer);

/// Format 1: the line "sidecore-v3dsim-jobs-1", then little-endian 32-bit words: the number of
/// jobs; per job the version (42 or 71), the seven configuration words, 1 where the grid came from
/// a buffer, the number of buffers; per buffer its address, its bytes, and two lists of runs,
/// before and changed: the number of runs, and for each its offset, its number of words, and the
/// words. Throws Error as AtomicFile does.
void write_jobs(std::span<const CapturedJob> jobs, const std::filesystem::path& path);

/// Throws Error (usage), naming the file, when it is not a whole file of this format.
[[nodiscard]] std::vector<CapturedJob> read_jobs(const std::filesystem::path& path);

}  // namespace sidecore::v3dsim
