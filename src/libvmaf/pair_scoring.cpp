#include "libvmaf/pair_scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "libvmaf/log.h"
#include "libvmaf/picture_memory.h"
#include "metrics/host_scorer.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"
#include "video/sample_range.h"

namespace sidecore::libvmaf {
namespace {

/// Copies the planes that `to` has. Where chroma planes of odd pictures lack a column or row in
/// libvmaf, `to` keeps zeros. Only ciede reads them, as it does in libvmaf at odd widths.
void copy(const VmafPicture& from, video::Picture& to) {
  const video::PictureFormat& format = to.format();
  for (std::size_t plane = 0; plane < static_cast<std::size_t>(format.pixel.planes()); ++plane) {
    const video::PictureLayout::Plane& layout = to.layout().planes[plane];
    const std::size_t bytes = std::size_t{from.w[plane]} * format.pixel.bytes_per_sample();
    const auto* row = static_cast<const std::byte*>(from.data[plane]);
    std::byte* copied = to.bytes().data() + layout.offset;
    for (unsigned y = 0; y < from.h[plane]; ++y, row += from.stride[plane]) {
      std::memcpy(copied, row, bytes);
      copied += layout.stride;
    }
  }
}

std::size_t history(std::span<const RequestedFeature> features) {
  std::size_t longest = 0;
  for (const RequestedFeature& feature : features) {
    longest = std::max(longest, feature.request.history());
  }
  return longest;
}

std::vector<metrics::FeatureRequest> requests_of(std::span<const RequestedFeature> features) {
  std::vector<metrics::FeatureRequest> requests;
  for (const RequestedFeature& feature : features) requests.push_back(feature.request);
  return requests;
}

}  // namespace

FeatureGroup::FeatureGroup(std::span<const RequestedFeature> features,
                           std::unique_ptr<metrics::PictureScorer> scorer)
    : scorer_(std::move(scorer)) {
  for (const RequestedFeature& feature : features) add_outputs(feature);
}

void FeatureGroup::add_outputs(const RequestedFeature& feature) {
  if (feature.has_psnr_total) {
    total_.emplace(scorer_->reference(0).format(), feature.request.options);
  }
  for (const std::string& output : feature.request.outputs()) {
    const bool is_error = feature.has_psnr_total && output.starts_with("mse_");
    if (is_error) errors_of_total_.push_back(outputs_.size());
    outputs_.push_back({interface_name(feature.request, output),
                        feature.request.feature->finish != nullptr,
                        is_error && feature.hides_errors});
  }
}

void FeatureGroup::prepare(const VmafPicture& reference, const VmafPicture& distorted,
                           unsigned index, bool is_scored, ScoreStore& scores) {
  if (!is_scored && !needs_all_pairs()) return;
  if (failed_) throw environment_error("an earlier pair could not be scored");
  if (in_flight_.size() == scorer_->slots()) collect_oldest(scores);
  const std::size_t slot = pushed_ % scorer_->slots();
  copy(reference, scorer_->reference(slot));
  copy(distorted, scorer_->distorted(slot));
  video::check_sample_range(scorer_->reference(slot), "the reference", index);
  video::check_sample_range(scorer_->distorted(slot), "the distorted picture", index);
}

void FeatureGroup::submit(unsigned index, bool is_scored) {
  if (!is_scored && !needs_all_pairs()) return;
  failed_ = true;  // until the pair is submitted
  in_flight_.push_back({index, is_scored});
  const std::size_t slot = pushed_ % scorer_->slots();
  if (is_scored || total_) {
    scorer_->submit(slot);
  } else {
    scorer_->pass(slot);
  }
  failed_ = false;
  ++pushed_;
}

void FeatureGroup::collect_oldest(ScoreStore& scores) {
  if (failed_) throw environment_error("an earlier pair could not be scored");
  failed_ = true;  // until the scores are stored
  const Pair pair = in_flight_.front();
  const std::span<const double> values =
      scorer_->collect((pushed_ - in_flight_.size()) % scorer_->slots());
  in_flight_.pop_front();
  if (scorer_->is_temporal()) values_[pair.index].assign(values.begin(), values.end());
  if (total_) {
    std::vector<double> errors;
    for (const std::size_t output : errors_of_total_) errors.push_back(values[output]);
    total_->add(errors);
  }
  for (std::size_t i = 0; i < outputs_.size() && pair.is_scored; ++i) {
    if (outputs_[i].is_temporal || outputs_[i].is_hidden) continue;
    if (!scores.add(outputs_[i].name, pair.index, values[i])) {
      log(VMAF_LOG_LEVEL_WARNING, fmt::format("picture {} keeps the score {} that it already has",
                                              pair.index, outputs_[i].name)
                                      .c_str());
    }
  }
  failed_ = false;
}

void FeatureGroup::collect(ScoreStore& scores) {
  while (!in_flight_.empty()) collect_oldest(scores);
}

void FeatureGroup::finish(ScoreStore& scores) {
  if (total_) total_->finish(scores);
  if (!scorer_->is_temporal()) return;
  // As in libvmaf, only the unbroken row of indices from 0 on has scores.
  std::vector<std::vector<double>> columns(outputs_.size());
  unsigned count = 0;
  for (const auto& [index, values] : values_) {
    if (index != count) break;
    for (std::size_t i = 0; i < outputs_.size(); ++i) columns[i].push_back(values[i]);
    ++count;
  }
  scorer_->finish_clip(std::vector<std::span<double>>(columns.begin(), columns.end()));
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].is_temporal) continue;
    for (unsigned index = 0; index < count; ++index) {
      scores.add(outputs_[i].name, index, columns[i][index]);
    }
  }
}

void PairScoring::add(const RequestedFeature& feature) {
  const metrics::FeatureRequest& request = feature.request;
  const std::string suffix = request.options.name_suffix();
  const auto writes_the_same = [&](const RequestedFeature& other) {
    return other.request.feature == request.feature &&
           other.request.options.name_suffix() == suffix;
  };
  if (std::ranges::any_of(features_, writes_the_same)) return;
  features_.push_back(feature);
}

void PairScoring::check(const video::PictureFormat& format, unsigned index) const {
  if (format_ && *format_ != format) {
    throw usage_error("picture {} is {}, but the first pictures are {}", index, to_string(format),
                      to_string(*format_));
  }
  if (indices_.contains(index)) throw usage_error("picture {} was read before", index);
  const std::size_t earlier = history(features_);
  if (index >= earlier && indices_.size() < earlier) {
    throw usage_error("picture {} cannot be the first: a feature compares it with the {} before it",
                      index, earlier);
  }
}

void PairScoring::push(const VmafPicture& reference, const VmafPicture& distorted, unsigned index,
                       ScoreStore& scores) {
  const video::PictureFormat format = picture_format(reference);
  if (format != picture_format(distorted)) {
    throw usage_error("the reference is {}, and the distorted picture is {}", to_string(format),
                      to_string(picture_format(distorted)));
  }
  check(format, index);
  const bool is_scored = index % subsample_ == 0;
  try {
    format_ = format;
    if (started_ < features_.size()) start_new_features();
    for (FeatureGroup& group : groups_) {
      group.prepare(reference, distorted, index, is_scored, scores);
    }
    indices_.insert(index);
  } catch (...) {
    if (indices_.empty()) {  // the first pair is refused, and the next one may have another format
      format_.reset();
      groups_.clear();
      started_ = 0;
    }
    throw;
  }
  // No group starts before every group has accepted the pair, so that a refused pair is in no
  // score.
  for (FeatureGroup& group : groups_) group.submit(index, is_scored);
  // Without threads of their own, callers find the scores when the call returns.
  if (threads_ == 0) collect(scores);
}

void PairScoring::start_new_features() {
  std::vector<RequestedFeature> on_cpu;
  std::vector<RequestedFeature> on_device;
  for (std::size_t i = started_; i < features_.size(); ++i) {
    RequestedFeature feature = features_[i];
    metrics::FeatureRequest& request = feature.request;
    // As in libvmaf, psnr of luma-only pictures is that of luma.
    if (request.feature->name == "psnr" && format_->pixel.chroma == video::Chroma::c400) {
      request.options.set("enable_chroma", "false");
    }
    request.check(*format_);
    const bool has_shader = settings_.metrics == players::MetricsProcessor::qpu &&
                            qpu::refusal(request).empty() && opens_device();
    (has_shader ? on_device : on_cpu).push_back(std::move(feature));
  }
  // All groups are made before one is kept, so that a failure changes nothing.
  std::vector<FeatureGroup> made;
  if (!on_cpu.empty()) made.push_back(make_group(on_cpu, false));
  if (!on_device.empty()) made.push_back(make_group(on_device, true));
  groups_.reserve(groups_.size() + made.size());
  std::ranges::move(made, std::back_inserter(groups_));
  started_ = features_.size();
}

FeatureGroup PairScoring::make_group(std::span<const RequestedFeature> features,
                                     bool on_device) const {
  const std::vector<metrics::FeatureRequest> requests = requests_of(features);
  video::PictureFormat format = *format_;
  const auto reads_chroma = [](const metrics::FeatureRequest& request) {
    return request.feature->reads_chroma;
  };
  if (std::ranges::none_of(requests, reads_chroma)) format.pixel.chroma = video::Chroma::c400;
  const bool is_scalar = settings_.metrics == players::MetricsProcessor::scalar;
  return {features,
          on_device ? qpu::make_picture_scorer(*device_, format, requests, neon::kernels)
                    : metrics::make_host_scorer(format, requests,
                                                is_scalar ? metrics::scalar_kernels : neon::kernels,
                                                std::max(threads_, 1U))};
}

bool PairScoring::opens_device() {
  if (device_) return true;
  qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
  options.selector = settings_.device;
  try {
    device_ = qpu::Device::open(options);
  } catch (const Error& error) {
    if (error.out_of_memory()) throw;
    log(VMAF_LOG_LEVEL_WARNING, fmt::format("NEON computes the metrics: {}", error.what()).c_str());
    settings_.metrics = players::MetricsProcessor::neon;
    return false;
  }
  log(VMAF_LOG_LEVEL_INFO, fmt::format("metrics run on {}", device_->info().name).c_str());
  return true;
}

void PairScoring::collect(ScoreStore& scores) {
  for (FeatureGroup& group : groups_) group.collect(scores);
}

void PairScoring::finish(ScoreStore& scores) {
  collect(scores);
  for (FeatureGroup& group : groups_) group.finish(scores);
}

}  // namespace sidecore::libvmaf
