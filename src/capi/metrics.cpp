#include "sidecore/metrics.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/own_process.h"
#include "capi/boundary.h"
#include "metrics/feature.h"
#include "metrics/host_scorer.h"
#include "metrics/picture_scorer.h"
#include "metrics/pooling.h"
#include "metrics/score_table.h"
#include "metrics/vmaf_model.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"
#include "video/sample_range.h"

namespace sidecore::capi {
namespace {

video::PictureFormat format_of(const sidecore_scorer_options& options) {
  constexpr video::Chroma kChroma[] = {video::Chroma::c400, video::Chroma::c420,
                                       video::Chroma::c422, video::Chroma::c444};
  require(options.chroma >= SIDECORE_CHROMA_400 && options.chroma <= SIDECORE_CHROMA_444,
          "chroma must be SIDECORE_CHROMA_400, _420, _422 or _444");
  const video::PictureFormat format{
      options.width, options.height, {kChroma[options.chroma], options.bits}};
  video::check_format(format);
  return format;
}

std::vector<metrics::ModelRequest> models_of(const sidecore_scorer_options& options) {
  require(options.models != nullptr || options.model_count == 0,
          "models is null, but model_count is not 0");
  std::vector<metrics::ModelRequest> models;
  models.reserve(options.model_count);
  for (const char* const text : std::span(options.models, options.model_count)) {
    require(text != nullptr, "an element of models is null");
    models.push_back(metrics::parse_model_request(text));
  }
  return models;
}

/// Returns the requested features, then the other features that the models need.
std::vector<metrics::FeatureRequest> requests_of(const sidecore_scorer_options& options,
                                                 std::span<const metrics::ModelRequest> models) {
  require(options.feature_count > 0 || !models.empty(), "name at least one feature or model");
  require(options.features != nullptr || options.feature_count == 0,
          "features is null, but feature_count is not 0");
  std::vector<metrics::FeatureRequest> requests;
  for (const char* const text : std::span(options.features, options.feature_count)) {
    require(text != nullptr, "an element of features is null");
    requests.push_back(metrics::parse_feature_request(text));
  }
  metrics::add_model_features(models, requests);
  return requests;
}

void copy(const sidecore_planes& from, const video::PictureFormat& format, video::Picture& to) {
  for (int index = 0; index < format.pixel.planes(); ++index) {
    const video::PictureLayout::Plane& plane = to.layout().planes[static_cast<std::size_t>(index)];
    const std::size_t bytes =
        static_cast<std::size_t>(format.plane_width(index)) * format.pixel.bytes_per_sample();
    const auto* const data = static_cast<const std::byte*>(from.data[index]);
    require(data != nullptr, "the data pointer of a plane must not be null");
    for (int row = 0; row < format.plane_height(index); ++row) {
      std::memcpy(to.bytes().data() + plane.offset + static_cast<std::size_t>(row) * plane.stride,
                  data + row * from.stride[index], bytes);
    }
  }
}

}  // namespace
}  // namespace sidecore::capi

struct sidecore_scorer {
  explicit sidecore_scorer(const sidecore_scorer_options& options)
      : log{options.log, options.log_cookie},
        format(sidecore::capi::format_of(options)),
        models(sidecore::capi::models_of(options)) {
    const auto requests = sidecore::capi::requests_of(options, models);
    const auto threads = static_cast<std::size_t>(sidecore::capi::threads_of(options.threads));
    for (const auto& request : requests) request.check(format);
    switch (options.processor) {
      case SIDECORE_PROCESSOR_SCALAR:
        scorer = make_host_scorer(format, requests, sidecore::metrics::scalar_kernels, threads);
        break;
      case SIDECORE_PROCESSOR_DEFAULT:
      case SIDECORE_PROCESSOR_NEON:
        scorer = make_host_scorer(format, requests, sidecore::neon::kernels, threads);
        break;
      case SIDECORE_PROCESSOR_QPU:
        device = sidecore::capi::open_device(options.device, options.vulkan, log);
        scorer =
            sidecore::qpu::make_picture_scorer(*device, format, requests, sidecore::neon::kernels);
        break;
      default:
        sidecore::capi::require(
            false, "processor: metrics need scalar, NEON or the QPU, and cannot be divided");
    }
    table = sidecore::metrics::ScoreTable(sidecore::metrics::output_names(requests));
    names = table.names();
    for (const auto& model : models) names.push_back(model.name);
    for (const auto& request : requests) {
      at_once.insert(at_once.end(), request.outputs().size(), request.feature->finish == nullptr);
    }
    at_once.resize(names.size());
  }

  void collect_oldest() {
    table.append(table.pictures(), scorer->collect(table.pictures() % scorer->slots()));
  }
  void collect_until(std::uint64_t pairs_scored) {
    while (table.pictures() < pairs_scored) collect_oldest();
  }
  void push(const sidecore_planes& reference, const sidecore_planes& distorted) {
    sidecore::capi::require(!drained, "the scorer is drained: it accepts no more pairs");
    if (pairs - table.pictures() == scorer->slots()) collect_oldest();
    const std::size_t slot = pairs % scorer->slots();
    fill(reference, "the reference", scorer->reference(slot));
    fill(distorted, "the distorted picture", scorer->distorted(slot));
    scorer->submit(slot);
    ++pairs;
  }
  void fill(const sidecore_planes& planes, const char* name, sidecore::video::Picture& picture) {
    sidecore::capi::copy(planes, format, picture);
    try {
      sidecore::video::check_sample_range(picture, name, pairs);
    } catch (const sidecore::Error& error) {
      throw sidecore::capi::ArgumentError(error.what());
    }
  }

  void drain() {
    if (drained) return;
    collect_until(pairs);
    std::vector<std::span<double>> columns;
    columns.reserve(table.names().size());
    for (std::size_t i = 0; i < table.names().size(); ++i) columns.push_back(table.column(i));
    scorer->finish_clip(columns);
    add_model_scores(models, table);
    drained = true;
  }
  /// Returns true if the output's scores of collected pairs are final.
  [[nodiscard]] bool has(std::size_t output) const {
    sidecore::capi::require(output < names.size(), "output is beyond the number of outputs");
    return drained || at_once[output];
  }

  /// Runs `call` as error_code_of() does. After an error that is not the caller's mistake, every
  /// later call returns that error.
  template <class Call>
  int run(const Call& call) {
    if (!process.is_here()) {
      return sidecore::capi::fail(log, SIDECORE_ERROR_ARGUMENT,
                                  "the scorer was opened by another process");
    }
    if (broken != SIDECORE_OK) {
      return sidecore::capi::fail(log, broken, "the scorer failed earlier and can only be closed");
    }
    const int error = sidecore::capi::error_code_of(log, SIDECORE_ERROR_ARGUMENT, call);
    if (error != SIDECORE_ERROR_ARGUMENT && error != SIDECORE_ERROR_AGAIN) broken = error;
    return error;
  }

  sidecore::capi::Log log;
  sidecore::OwnProcess process;
  sidecore::video::PictureFormat format;
  /// Device of the scorer; null unless the QPU scores. It is destroyed after the scorer.
  std::unique_ptr<sidecore::qpu::Device> device;
  std::unique_ptr<sidecore::metrics::PictureScorer> scorer;
  std::vector<sidecore::metrics::ModelRequest> models;
  /// Names of all outputs: those of features, then those of models.
  std::vector<std::string> names;
  std::vector<bool> at_once;            ///< at_once[output]: a pair's score needs no other pair
  sidecore::metrics::ScoreTable table;  ///< scores of all collected pairs
  std::uint64_t pairs = 0;              ///< number of pushed pairs; pair n uses slot n % slots()
  /// True if the scorer is drained: the table then includes the models' columns.
  bool drained = false;
  int broken = SIDECORE_OK;
};

using sidecore::capi::require;

namespace {
int no_scorer() {
  return sidecore::capi::fail({}, SIDECORE_ERROR_ARGUMENT, "the scorer is null");
}
}  // namespace

int sidecore_scorer_open(sidecore_scorer** scorer, const sidecore_scorer_options* options) {
  if (scorer != nullptr) *scorer = nullptr;
  sidecore::capi::Log log;
  return sidecore::capi::error_code_of(log, SIDECORE_ERROR_ARGUMENT, [&] {
    require(scorer != nullptr && options != nullptr, "scorer or options is null");
    const sidecore_scorer_options own = sidecore::capi::copy_options(options);
    log = {own.log, own.log_cookie};
    *scorer = std::make_unique<sidecore_scorer>(own).release();
    return int{SIDECORE_OK};
  });
}

int sidecore_scorer_push(sidecore_scorer* scorer, const sidecore_planes* reference,
                         const sidecore_planes* distorted) {
  if (scorer == nullptr) return no_scorer();
  return scorer->run([&] {
    require(reference != nullptr && distorted != nullptr, "reference or distorted is null");
    scorer->push(sidecore::capi::copy_options(reference), sidecore::capi::copy_options(distorted));
    return int{SIDECORE_OK};
  });
}

int sidecore_scorer_drain(sidecore_scorer* scorer) {
  if (scorer == nullptr) return no_scorer();
  return scorer->run([&] {
    scorer->drain();
    return int{SIDECORE_OK};
  });
}

size_t sidecore_scorer_outputs(const sidecore_scorer* scorer) {
  return scorer == nullptr ? 0 : scorer->names.size();
}

const char* sidecore_scorer_output_name(const sidecore_scorer* scorer, size_t output) {
  return output < sidecore_scorer_outputs(scorer) ? scorer->names[output].c_str() : nullptr;
}

uint64_t sidecore_scorer_pairs(const sidecore_scorer* scorer) {
  return scorer == nullptr ? 0 : scorer->pairs;
}

int sidecore_scorer_score(sidecore_scorer* scorer, uint64_t pair, size_t output, double* score) {
  if (scorer == nullptr) return no_scorer();
  return scorer->run([&] {
    require(score != nullptr, "score is null");
    require(pair < scorer->pairs, "pair is beyond the number of pushed pairs");
    if (!scorer->has(output)) return int{SIDECORE_ERROR_AGAIN};
    scorer->collect_until(pair + 1);
    *score = scorer->table.column(output)[pair];
    return int{SIDECORE_OK};
  });
}

int sidecore_scorer_pooled(sidecore_scorer* scorer, size_t output, int pooling, double* score) {
  if (scorer == nullptr) return no_scorer();
  return scorer->run([&] {
    require(score != nullptr, "score is null");
    require(scorer->pairs > 0, "no pair was pushed, so there is nothing to pool");
    const bool there = scorer->has(output);
    require(pooling >= SIDECORE_POOLING_MIN && pooling <= SIDECORE_POOLING_HARMONIC_MEAN,
            "pooling must be a value of enum sidecore_pooling");
    if (!there) return int{SIDECORE_ERROR_AGAIN};
    scorer->collect_until(scorer->pairs);
    const sidecore::metrics::Pooled pooled = sidecore::metrics::pool(scorer->table.column(output));
    const double values[] = {pooled.min, pooled.max, pooled.mean, pooled.harmonic_mean};
    *score = values[pooling];
    return int{SIDECORE_OK};
  });
}

void sidecore_scorer_close(sidecore_scorer* scorer) {
  if (scorer != nullptr && scorer->process.is_here()) delete scorer;
}
