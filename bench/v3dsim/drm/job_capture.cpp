#include "v3dsim/drm/job_capture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "base/atomic_file.h"
#include "base/error.h"

namespace sidecore::v3dsim {
namespace {

static_assert(std::endian::native == std::endian::little,
              "captured words are in the host's byte order, which must be little-endian");

constexpr std::string_view kMagic = "sidecore-v3dsim-jobs-1\n";
/// Longest gap that stays inside a run. A separate run would need more words than a gap of this
/// length.
constexpr std::size_t kShortGap = 4;

std::vector<std::uint32_t> words_of(const std::byte* base, const BufferRange& range) {
  std::vector<std::uint32_t> words(range.size / 4);
  std::memcpy(words.data(), base + range.address, words.size() * 4);
  return words;
}

/// Returns the words for which wanted(index) is true, as runs.
template <class Wanted>
std::vector<WordRun> runs_of(std::span<const std::uint32_t> words, Wanted wanted) {
  std::vector<WordRun> runs;
  std::size_t end = 0;  // index after the last word kept
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (!wanted(at)) continue;
    if (runs.empty() || at - end > kShortGap) {
      runs.push_back({static_cast<std::uint32_t>(at * 4), {}});
      end = at;
    }
    for (; end <= at; ++end) runs.back().words.push_back(words[end]);
  }
  return runs;
}

void lay(std::span<const WordRun> runs, std::vector<std::uint32_t>& words) {
  for (const WordRun& run : runs) {
    std::ranges::copy(run.words, words.begin() + static_cast<std::ptrdiff_t>(run.offset / 4));
  }
}

void append(std::vector<std::uint32_t>& out, std::span<const WordRun> runs) {
  out.push_back(static_cast<std::uint32_t>(runs.size()));
  for (const WordRun& run : runs) {
    out.push_back(run.offset);
    out.push_back(static_cast<std::uint32_t>(run.words.size()));
    out.insert(out.end(), run.words.begin(), run.words.end());
  }
}

class CaptureReader {
 public:
  CaptureReader(std::vector<std::uint32_t> words, std::string name)
      : words_(std::move(words)), name_(std::move(name)) {}

  std::uint32_t word() {
    if (at_ == words_.size()) throw usage_error("{} is cut short", name_);
    return words_[at_++];
  }
  std::vector<WordRun> runs(std::uint32_t buffer_bytes) {
    std::vector<WordRun> runs(count());
    for (WordRun& run : runs) {
      run.offset = word();
      run.words.resize(count());
      if (run.offset % 4 != 0 || run.offset + std::uint64_t{run.words.size()} * 4 > buffer_bytes) {
        throw usage_error("{} holds words outside their buffer", name_);
      }
      for (std::uint32_t& value : run.words) value = word();
    }
    return runs;
  }
  /// Reads the number of items that follow, each of at least one word.
  std::uint32_t count() {
    const std::uint32_t value = word();
    if (value > words_.size() - at_) throw usage_error("{} is cut short", name_);
    return value;
  }
  CapturedJob job() {
    CapturedJob out;
    const std::uint32_t version = word();
    if (version != 42 && version != 71) throw usage_error("{}: no V3D {}", name_, version);
    out.version = version == 42 ? Version::v42 : Version::v71;
    for (std::uint32_t& value : out.job.config) value = word();
    out.job.indirect = word() != 0;
    out.buffers.resize(count());
    for (CapturedBuffer& buffer : out.buffers) {
      buffer.range = {word(), word()};
      if ((buffer.range.address | buffer.range.size) % 4 != 0 || buffer.range.size == 0) {
        throw usage_error("{} holds a buffer that is not made of words", name_);
      }
      buffer.before = runs(buffer.range.size);
      buffer.changed = runs(buffer.range.size);
    }
    return out;
  }
  [[nodiscard]] bool at_end() const { return at_ == words_.size(); }

 private:
  std::vector<std::uint32_t> words_;
  std::string name_;
  std::size_t at_ = 0;
};

}  // namespace

JobCapture::JobCapture(const CsdJob& job, Version version, const std::byte* base)
    : job_(job), version_(version), base_(base) {
  before_.reserve(job.memory.size());
  for (const BufferRange& range : job.memory) before_.push_back(words_of(base, range));
}

CapturedJob JobCapture::finish() const {
  CapturedJob out{version_, job_.words, {}};
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const std::vector<std::uint32_t>& before = before_[i];
    const std::vector<std::uint32_t> after = words_of(base_, job_.memory[i]);
    out.buffers.push_back(
        {job_.memory[i], runs_of(before, [&](std::size_t at) { return before[at] != 0; }),
         runs_of(after, [&](std::size_t at) { return before[at] != after[at]; })});
  }
  return out;
}

CapturedMemory::CapturedMemory(const CapturedJob& job) {
  for (const CapturedBuffer& buffer : job.buffers) {
    buffers_.emplace_back(buffer.range, std::vector<std::uint32_t>(buffer.range.size / 4));
    lay(buffer.before, buffers_.back().second);
  }
}

Window CapturedMemory::window(std::uint32_t address) const {
  for (auto& [range, words] : buffers_) {
    if (address >= range.address && address - range.address < range.size) {
      return {range.address, range.size, reinterpret_cast<std::byte*>(words.data())};
    }
  }
  return {};
}

std::vector<std::uint32_t> words_after(const CapturedBuffer& buffer) {
  std::vector<std::uint32_t> words(buffer.range.size / 4);
  lay(buffer.before, words);
  lay(buffer.changed, words);
  return words;
}

void write_jobs(std::span<const CapturedJob> jobs, const std::filesystem::path& path) {
  std::vector<std::uint32_t> out{static_cast<std::uint32_t>(jobs.size())};
  for (const CapturedJob& job : jobs) {
    out.push_back(job.version == Version::v42 ? 42 : 71);
    out.insert(out.end(), job.job.config.begin(), job.job.config.end());
    out.push_back(job.job.indirect ? 1 : 0);
    out.push_back(static_cast<std::uint32_t>(job.buffers.size()));
    for (const CapturedBuffer& buffer : job.buffers) {
      out.push_back(buffer.range.address);
      out.push_back(buffer.range.size);
      append(out, buffer.before);
      append(out, buffer.changed);
    }
  }
  AtomicFile file(path);
  file.write(kMagic);
  file.write(std::as_bytes(std::span(out)));
  file.commit();
}

std::vector<CapturedJob> read_jobs(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || !text.starts_with(kMagic)) {
    throw usage_error("{} does not hold captured jobs of format 1", path.string());
  }
  std::vector<std::uint32_t> words((text.size() - kMagic.size()) / 4);
  const auto body = std::as_bytes(std::span(text)).subspan(kMagic.size(), words.size() * 4);
  std::ranges::copy(body, std::as_writable_bytes(std::span(words)).begin());
  CaptureReader reader(std::move(words), path.string());
  std::vector<CapturedJob> jobs(reader.count());
  for (CapturedJob& job : jobs) job = reader.job();
  if (!reader.at_end() || (text.size() - kMagic.size()) % 4 != 0) {
    throw usage_error("{} has data after its last job", path.string());
  }
  return jobs;
}

}  // namespace sidecore::v3dsim
