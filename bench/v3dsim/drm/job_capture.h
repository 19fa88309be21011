// Captured compute jobs: input and result, enough to run a job again on any machine.
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

/// Sequence of 32-bit words, `offset` bytes into a buffer.
struct WordRun {
  std::uint32_t offset = 0;
  std::vector<std::uint32_t> words;
};

/// A buffer that the job could access: the words before the job (words outside all runs are 0), and
/// the words that the job changed, with their new values.
struct CapturedBuffer {
  BufferRange range;
  std::vector<WordRun> before;
  std::vector<WordRun> changed;
};

struct CapturedJob {
  Version version = Version::v71;
  Job job;  ///< configuration of the job; code and uniforms are in the buffers
  std::vector<CapturedBuffer> buffers;
};

/// Copies the buffers before a job runs, and finds the changes afterwards.
class JobCapture {
 public:
  /// Starts the capture; `base` is the host address of GPU address 0.
  JobCapture(const CsdJob& job, Version version, const std::byte* base);
  [[nodiscard]] CapturedJob finish() const;

 private:
  CsdJob job_;
  Version version_;
  const std::byte* base_;
  std::vector<std::vector<std::uint32_t>> before_;
};

/// Buffers of a captured job at their addresses, each in its own host memory.
class CapturedMemory final : public Memory {
 public:
  /// Creates the memory and fills the buffers with their content before the job.
  explicit CapturedMemory(const CapturedJob& job);
  [[nodiscard]] Window window(std::uint32_t address) const override;
  /// Returns the words of buffer `index` of the captured job.
  [[nodiscard]] std::span<const std::uint32_t> words(std::size_t index) const {
    return buffers_[index].second;
  }

 private:
  mutable std::vector<std::pair<BufferRange, std::vector<std::uint32_t>>> buffers_;
};

/// Returns a buffer's words after the captured job.
[[nodiscard]] std::vector<std::uint32_t> words_after(const CapturedBuffer& buffer);

/// Writes format 1: the line "sidecore-v3dsim-jobs-1", then little-endian 32-bit words. The words
/// are the number of jobs, then each job: version (42 or 71), the seven configuration words, 1 if
/// the grid came from a buffer (else 0), and the number of buffers. Each buffer has its address,
/// its size in bytes, and two lists of runs, "before" and "changed". A list has its number of runs;
/// a run has its offset, its number of words, and the words. Throws Error as AtomicFile does.
void write_jobs(std::span<const CapturedJob> jobs, const std::filesystem::path& path);

/// Reads a file that write_jobs() wrote. Throws Error (usage), naming the file, unless it is a
/// complete file of this format.
[[nodiscard]] std::vector<CapturedJob> read_jobs(const std::filesystem::path& path);

}  // namespace sidecore::v3dsim
