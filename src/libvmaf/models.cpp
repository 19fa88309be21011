#include "libvmaf/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/text_file.h"
#include "libvmaf/boundary.h"
#include "libvmaf/feature_options.h"

namespace sidecore::libvmaf {
namespace {

std::vector<double> features_at(const metrics::VmafModel& model, const ScoreStore& scores,
                                unsigned index) {
  std::vector<double> features;
  features.reserve(model.inputs.size());
  for (const metrics::VmafInput& input : model.inputs) {
    features.push_back(scores.at(interface_name(input.request, input.output), index));
  }
  return features;
}

/// Returns the percentile of sorted scores, by linear interpolation.
double percentile(std::span<const double> sorted, double percent) {
  const double place = percent * static_cast<double>(sorted.size() - 1) / 100;
  const auto left = static_cast<std::size_t>(std::floor(place));
  const auto right = static_cast<std::size_t>(std::ceil(place));
  if (left == right) return sorted[left];
  return sorted[left] * (static_cast<double>(right) - place) +
         sorted[right] * (place - static_cast<double>(left));
}

/// Returns the mean, deviation and interval of raw scores, brought to the scale of the models'
/// scores, as libvmaf does it: the transform and the clip apply to the mean and to the limits of
/// the interval; the deviation is multiplied by their slope at the mean.
VmafModelCollectionScore bootstrap_score(const metrics::VmafModel& model,
                                         std::vector<double> raw_scores) {
  const auto count = static_cast<double>(raw_scores.size());
  const double mean = std::accumulate(raw_scores.begin(), raw_scores.end(), 0.0) / count;
  double squares = 0;
  for (const double score : raw_scores) squares += std::pow(score - mean, 2);
  constexpr double kStep = 0.01;
  const double slope = (model.limit(mean + kStep) - model.limit(mean - kStep)) / (2 * kStep);
  std::ranges::sort(raw_scores);

  VmafModelCollectionScore score{};
  score.type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
  score.bootstrap.bagging_score = model.limit(mean);
  score.bootstrap.stddev = std::sqrt(squares / count) * slope;
  score.bootstrap.ci.p95.lo = model.limit(percentile(raw_scores, 2.5));
  score.bootstrap.ci.p95.hi = model.limit(percentile(raw_scores, 97.5));
  return score;
}

std::string name_of(const VmafModelConfig* config) {
  return config == nullptr || config->name == nullptr ? "vmaf" : config->name;
}

/// Applies the flags of a configuration to a model.
metrics::VmafModel configured(metrics::VmafModel model, const VmafModelConfig* config) {
  const std::uint64_t flags = config == nullptr ? 0 : config->flags;
  if ((flags & VMAF_MODEL_FLAG_DISABLE_CLIP) != 0) model.clip.reset();
  if ((flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM) != 0 && model.transform) {
    model.transform->enabled = true;
  }
  return model;
}

void load(VmafModel** model, const VmafModelConfig* config, metrics::VmafModel loaded) {
  *model = new VmafModel{name_of(config), configured(std::move(loaded), config)};
}

/// Gives the first model to *model and the others to *collection. Their names have a number of four
/// digits.
void load(VmafModel** model, VmafModelCollection** collection, const VmafModelConfig* config,
          std::vector<metrics::VmafModel> loaded) {
  auto others = std::make_unique<VmafModelCollection>();
  others->name = name_of(config);
  for (std::size_t i = 1; i < loaded.size(); ++i) {
    others->models.push_back(
        {fmt::format("{}_{:04}", others->name, i), configured(std::move(loaded[i]), config)});
  }
  load(model, config, std::move(loaded.front()));
  *collection = others.release();
}

std::string file_text(const char* path) {
  require(path != nullptr, "path is null");
  return read_text_file(path, metrics::kMaxModelBytes);
}

bool is_built_in_collection(const char* version) {
  const std::vector<std::string> versions = metrics::vmaf_collection_versions();
  return std::ranges::find(versions, version) != versions.end();
}

/// Sets options in a copy of the model, so that a wrong value leaves the model as it was.
void overload(VmafModel& model, const char* feature, const VmafFeatureDictionary& options) {
  metrics::VmafModel changed = model.model;
  for (const metrics::VmafInput& input : model.model.inputs) {
    if (input.request.feature->name != feature) continue;
    for (const auto& [name, value] : known_options(*input.request.feature, options)) {
      changed.set_option(feature, name, value);
    }
    break;
  }
  model.model = std::move(changed);
}

}  // namespace

double score_at(const VmafModel& model, ScoreStore& scores, unsigned index) {
  if (const auto stored = scores.find(model.name, index)) return *stored;
  const double score = model.model.predict(features_at(model.model, scores, index));
  scores.add(model.name, index, score);
  return score;
}

VmafModelCollectionScore score_at(const VmafModelCollection& collection, ScoreStore& scores,
                                  unsigned index) {
  std::vector<double> raw_scores;
  for (const VmafModel& model : collection.models) {
    raw_scores.push_back(model.model.raw_score(features_at(model.model, scores, index)));
    scores.add(model.name, index, model.model.limit(raw_scores.back()));
  }
  const VmafModelCollectionScore score =
      bootstrap_score(collection.models.front().model, std::move(raw_scores));
  const CollectionNames names(collection);
  scores.add(names.bagging, index, score.bootstrap.bagging_score);
  scores.add(names.deviation, index, score.bootstrap.stddev);
  scores.add(names.low, index, score.bootstrap.ci.p95.lo);
  scores.add(names.high, index, score.bootstrap.ci.p95.hi);
  return score;
}

CollectionNames::CollectionNames(const VmafModelCollection& collection)
    : bagging(collection.name + "_bagging"),
      deviation(collection.name + "_stddev"),
      low(collection.name + "_ci_p95_lo"),
      high(collection.name + "_ci_p95_hi") {}

}  // namespace sidecore::libvmaf

namespace libvmaf = sidecore::libvmaf;
namespace metrics = sidecore::metrics;
using sidecore::libvmaf::error_of;
using sidecore::libvmaf::require;

int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version) {
  bool is_collection = false;
  const int error = error_of([&] {
    require(model != nullptr && version != nullptr, "model or version is null");
    *model = nullptr;
    is_collection = libvmaf::is_built_in_collection(version);
    if (!is_collection) libvmaf::load(model, cfg, metrics::built_in_vmaf_model(version));
  });
  // A collection gives no message, because programs try to load a single model first.
  return is_collection ? -EINVAL : error;
}

int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path) {
  bool is_collection = false;
  const int error = error_of([&] {
    require(model != nullptr, "model is null");
    *model = nullptr;
    const std::string text = libvmaf::file_text(path);
    is_collection = metrics::is_vmaf_model_collection(text);
    if (!is_collection) libvmaf::load(model, cfg, metrics::parse_vmaf_model(text, path));
  });
  return is_collection ? -EINVAL : error;
}

int vmaf_model_feature_overload(VmafModel* model, const char* feature_name,
                                VmafFeatureDictionary* opts_dict) {
  const std::unique_ptr<VmafFeatureDictionary> options(opts_dict);
  return error_of([&] {
    require(model != nullptr && feature_name != nullptr && options != nullptr,
            "model, feature_name and opts_dict must not be null");
    libvmaf::overload(*model, feature_name, *options);
  });
}

void vmaf_model_destroy(VmafModel* model) {
  delete model;
}

int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection,
                               VmafModelConfig* cfg, const char* version) {
  return error_of([&] {
    require(model != nullptr && model_collection != nullptr && version != nullptr,
            "model, model_collection and version must not be null");
    *model = nullptr;
    *model_collection = nullptr;
    libvmaf::load(model, model_collection, cfg, metrics::built_in_vmaf_model_collection(version));
  });
}

int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path) {
  return error_of([&] {
    require(model != nullptr && model_collection != nullptr,
            "model and model_collection must not be null");
    *model = nullptr;
    *model_collection = nullptr;
    libvmaf::load(model, model_collection, cfg,
                  metrics::parse_vmaf_model_collection(libvmaf::file_text(path), path));
  });
}

int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name,
                                           VmafFeatureDictionary* opts_dict) {
  const std::unique_ptr<VmafFeatureDictionary> options(opts_dict);
  return error_of([&] {
    require(model != nullptr && model_collection != nullptr && *model_collection != nullptr &&
                feature_name != nullptr && options != nullptr,
            "no argument may be null");
    libvmaf::overload(*model, feature_name, *options);
    for (VmafModel& other : (*model_collection)->models) {
      libvmaf::overload(other, feature_name, *options);
    }
  });
}

void vmaf_model_collection_destroy(VmafModelCollection* model_collection) {
  delete model_collection;
}
