// Statistics of a run for `sidecore decode --stats` and --json.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vp9/decoder.h"
#include "vp9/filter_survey.h"
#include "vp9/plan.h"

namespace sidecore::cli {

/// GPU work of each frame, in decoding order.
struct FrameWork {
  std::vector<std::uint32_t> submissions;
  std::vector<std::uint32_t> fence_waits;
  std::vector<std::uint32_t> dispatches;
};

/// Records a decoder's GPU work per frame, and surveys the edges of a stream.
class DecodeObserver {
 public:
  DecodeObserver() = default;
  ~DecodeObserver() = default;
  DecodeObserver(const DecodeObserver&) = delete;
  DecodeObserver& operator=(const DecodeObserver&) = delete;

  /// Sets options so that the decoder times its stages and, if it has a back end, reports each
  /// frame's GPU work to this object, which must outlive the decoder.
  void watch(vp9::DecoderOptions& options);
  /// Decodes the first `frames` frames of a stream again, and counts which filter branch each line
  /// of an edge takes. It is slower than decoding, so the timed run does not include it.
  void survey(std::span<const std::vector<std::uint8_t>> packets, std::uint64_t frames);

  [[nodiscard]] const vp9::FilterSurvey& survey() const { return survey_; }
  [[nodiscard]] const FrameWork& work() const { return work_; }

 private:
  vp9::FilterSurvey survey_;
  vp9::BackEndStatistics last_;  ///< counters at the end of the last frame
  FrameWork work_;
};

/// Facts about a finished run.
struct DecodeRun {
  std::string stream;
  vp9::Plan plan;
  int threads = 1;
  std::string device;  ///< name of the QPU's device; empty if the plan does not use the QPU
  vp9::DecoderStatistics decoder;
  vp9::BackEndStatistics back_end;
  Nanoseconds output{};  ///< time to convert, digest and write the shown frames
  Nanoseconds total{};   ///< time from the first packet to the finished output
};

[[nodiscard]] std::string to_text(const DecodeRun& run, const DecodeObserver& observer);
/// Returns a JSON document of schema "sidecore-decode", version 3, which docs/decode.md describes.
[[nodiscard]] std::string to_json(const DecodeRun& run, const DecodeObserver& observer);

}  // namespace sidecore::cli
