// What `sidecore decode --stats` and --json tell of a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vp9/decoder.h"
#include "vp9/filter_survey.h"
#include "vp9/plan.h"

namespace sidecore::cli {

/// What each frame took of a GPU.
struct FrameWork {
  std::vector<std::uint32_t> submissions;
  std::vector<std::uint32_t> fence_waits;
  std::vector<std::uint32_t> dispatches;
};

/// Watches a decoder, and looks at a stream's edges.
class DecodeObserver {
 public:
  DecodeObserver() = default;
  ~DecodeObserver() = default;
  DecodeObserver(const DecodeObserver&) = delete;
  DecodeObserver& operator=(const DecodeObserver&) = delete;

  /// Has the decoder that is made of these options time its stages, and be watched if it has a back
  /// end, as long as this lives.
  void watch(vp9::DecoderOptions& options);
  /// Decodes the first so many frames of a stream once more, to see which way each line of an edge
  /// goes. It takes longer than decoding, which therefore is timed without it.
  void survey(std::span<const std::vector<std::uint8_t>> packets, std::uint64_t frames);

  [[nodiscard]] const vp9::FilterSurvey& survey() const { return survey_; }
  [[nodiscard]] const FrameWork& work() const { return work_; }

 private:
  vp9::FilterSurvey survey_;
  vp9::BackEndStatistics last_;  ///< up to the last frame
  FrameWork work_;
};

/// A run that has ended.
struct DecodeRun {
  std::string stream;
  vp9::Plan plan;
  int threads = 1;
  std::string device;  ///< of the QPU's stages; empty: none
  vp9::DecoderStatistics decoder;
  vp9::BackEndStatistics back_end;
  Nanoseconds output{};  ///< converting, digesting and writing the frames that are shown
  Nanoseconds total{};   ///< from the first packet to the finished output
};

[[nodiscard]] std::string to_text(const DecodeRun& run, const DecodeObserver& observer);
/// Schema "sidecore-decode", version 3: docs/decode.md.
[[nodiscard]] std::string to_json(const DecodeRun& run, const DecodeObserver& observer);

}  // namespace sidecore::cli
