// What `sidecore decode --stats` and --json tell of a run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "qpu/vp9/decode_plan.h"
#include "vp9/decoder.h"
#include "vp9/filter_survey.h"

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
  DecodeObserver();
  ~DecodeObserver();
  DecodeObserver(const DecodeObserver&) = delete;
  DecodeObserver& operator=(const DecodeObserver&) = delete;

  /// Has the decoder that is made of these options time its stages, and its filter be watched if it
  /// is no CPU's, as long as this lives.
  void watch(vp9::DecoderOptions& options);
  /// Decodes the first so many frames of a stream once more, to see which way each line of an edge
  /// goes. It takes longer than decoding, which therefore is timed without it.
  void survey(std::span<const std::vector<std::uint8_t>> packets, std::uint64_t frames);

  [[nodiscard]] const vp9::FilterSurvey& survey() const { return survey_; }
  [[nodiscard]] const FrameWork& work() const;

 private:
  class Ledger;
  vp9::FilterSurvey survey_;
  std::shared_ptr<Ledger> ledger_;
};

/// A run that has ended.
struct DecodeRun {
  std::string stream;
  /// Who has each stage, by qpu::PlannedStage: as --plan or --loop-filter names them.
  std::array<std::string, qpu::kPlannedStages.size()> processors;
  int threads = 1;
  std::string device;  ///< of the QPU's stages; empty: none
  vp9::DecoderStatistics decoder;
  vp9::FilterStatistics filter;
  Nanoseconds output{};  ///< converting, digesting and writing the frames that are shown
  Nanoseconds total{};   ///< from the first packet to the finished output
};

[[nodiscard]] std::string to_text(const DecodeRun& run, const DecodeObserver& observer);
/// Schema "sidecore-decode", version 2: docs/vp9.md.
[[nodiscard]] std::string to_json(const DecodeRun& run, const DecodeObserver& observer);

}  // namespace sidecore::cli
