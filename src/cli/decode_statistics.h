// What `sidecore decode --stats` and --json tell of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vp9/decoder.h"
#include "vp9/filter_survey.h"

namespace sidecore::cli {

/// What filtering each frame took.
struct FrameWork {
  std::vector<std::uint32_t> submissions;
  std::vector<std::uint32_t> fence_waits;
  std::vector<std::uint32_t> dispatches;
};

/// Watches a decoder.
class DecodeObserver {
 public:
  DecodeObserver();
  ~DecodeObserver();
  DecodeObserver(const DecodeObserver&) = delete;
  DecodeObserver& operator=(const DecodeObserver&) = delete;

  /// Has the decoder that is made of these options time its stages and be watched, as long as this
  /// lives.
  void watch(vp9::DecoderOptions& options);

  [[nodiscard]] const vp9::FilterSurvey& survey() const { return survey_; }
  [[nodiscard]] const FrameWork& work() const;
  /// What watching took, of which the decoder's stages are free.
  [[nodiscard]] Nanoseconds overhead() const { return overhead_; }

 private:
  class Ledger;
  vp9::FilterSurvey survey_;
  std::shared_ptr<Ledger> ledger_;
  Nanoseconds overhead_{};
};

/// A run that has ended.
struct DecodeRun {
  std::string stream;
  std::string loop_filter;  ///< as --loop-filter names it
  int threads = 1;
  std::string device;  ///< of the loop filter; empty: none
  vp9::DecoderStatistics decoder;
  vp9::FilterStatistics filter;
  Nanoseconds output{};  ///< converting, digesting and writing the frames that are shown
  Nanoseconds total{};   ///< from the first packet to the finished output, without overhead()
};

[[nodiscard]] std::string to_text(const DecodeRun& run, const DecodeObserver& observer);
/// Schema "sidecore-decode", version 1: docs/vp9.md.
[[nodiscard]] std::string to_json(const DecodeRun& run, const DecodeObserver& observer);

}  // namespace sidecore::cli
