#include "sidecore/metrics.h"

#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capi/boundary.h"
#include "metrics/feature.h"
#include "metrics/host_scorer.h"
#include "metrics/picture_scorer.h"
#include "metrics/pooling.h"
#include "metrics/score_table.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/picture_scorer.h"
#include "video/sample_range.h"

namespace sidecore::capi {
namespace {

video::PictureFormat format_of(const sidecore_scorer_options& options) {
  constexpr video::Chroma kChroma[] = {video::Chroma::c400, video::Chroma::c420,
                                       video::Chroma::c422, video::Chroma::c444};
  require(options.chroma >= SIDECORE_CHROMA_400 && options.chroma <= SIDECORE_CHROMA_444,
          "there is no such chroma");
  const video::PictureFormat format{
      options.width, options.height, {kChroma[options.chroma], options.bits}};
  video::check_format(format);
  return format;
}

std::vector<metrics::FeatureRequest> requests_of(const sidecore_scorer_options& options) {
  require(options.features != nullptr && options.feature_count > 0, "there is no feature");
  std::vector<metrics::FeatureRequest> requests;
  for (const char* const text : std::span(options.features, options.feature_count)) {
    require(text != nullptr, "a feature is null");
    requests.push_back(metrics::parse_feature_request(text));
  }
  return requests;
}

void copy(const sidecore_planes& from, const video::PictureFormat& format, video::Picture& to) {
  for (int index = 0; index < format.pixel.planes(); ++index) {
    const video::PictureLayout::Plane& plane = to.layout().planes[static_cast<std::size_t>(index)];
    const std::size_t bytes =
        static_cast<std::size_t>(format.plane_width(index)) * format.pixel.bytes_per_sample();
    const auto* const data = static_cast<const std::byte*>(from.data[index]);
    require(data != nullptr, "a plane is null");
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
      : log{options.log, options.log_cookie}, format(sidecore::capi::format_of(options)) {
    const auto requests = sidecore::capi::requests_of(options);
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
        sidecore::capi::require(false, "there is no such processor");
    }
    table = sidecore::metrics::ScoreTable(sidecore::metrics::output_names(requests));
  }

  void collect_oldest() {
    table.append(table.pictures(), scorer->collect(table.pictures() % scorer->slots()));
  }
  void collect_until(std::uint64_t pairs_scored) {
    while (table.pictures() < pairs_scored) collect_oldest();
  }
  void push(const sidecore_planes& reference, const sidecore_planes& distorted) {
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

  /// As guarded(); a failure that is not the caller's is the last thing that happens.
  template <class Call>
  int run(const Call& call) {
    if (broken != SIDECORE_OK) {
      return sidecore::capi::fail(log, broken, "the scorer has failed before");
    }
    const int error = sidecore::capi::guarded(log, SIDECORE_ERROR_ARGUMENT, [&] {
      call();
      return int{SIDECORE_OK};
    });
    if (error != SIDECORE_ERROR_ARGUMENT) broken = error;
    return error;
  }

  sidecore::capi::Log log;
  sidecore::video::PictureFormat format;
  std::unique_ptr<sidecore::qpu::Device> device;  ///< null unless the QPU's; the scorer goes first
  std::unique_ptr<sidecore::metrics::PictureScorer> scorer;
  sidecore::metrics::ScoreTable table;  ///< of the pairs that were collected, from the first on
  std::uint64_t pairs = 0;              ///< in slots one after another, going round
  int broken = SIDECORE_OK;
};

using sidecore::capi::require;

int sidecore_scorer_open(sidecore_scorer** scorer, const sidecore_scorer_options* options) {
  if (scorer != nullptr) *scorer = nullptr;
  sidecore::capi::Log log;
  return sidecore::capi::guarded(log, SIDECORE_ERROR_ARGUMENT, [&] {
    require(scorer != nullptr && options != nullptr, "a pointer is null");
    const sidecore_scorer_options own = sidecore::capi::taken(options);
    log = {own.log, own.log_cookie};
    *scorer = std::make_unique<sidecore_scorer>(own).release();
    return int{SIDECORE_OK};
  });
}

int sidecore_scorer_push(sidecore_scorer* scorer, const sidecore_planes* reference,
                         const sidecore_planes* distorted) {
  if (scorer == nullptr || reference == nullptr || distorted == nullptr) {
    return sidecore::capi::fail({}, SIDECORE_ERROR_ARGUMENT, "a pointer is null");
  }
  return scorer->run(
      [&] { scorer->push(sidecore::capi::taken(reference), sidecore::capi::taken(distorted)); });
}

size_t sidecore_scorer_outputs(const sidecore_scorer* scorer) {
  return scorer == nullptr ? 0 : scorer->table.names().size();
}

const char* sidecore_scorer_output_name(const sidecore_scorer* scorer, size_t output) {
  return output < sidecore_scorer_outputs(scorer) ? scorer->table.names()[output].c_str() : nullptr;
}

uint64_t sidecore_scorer_pairs(const sidecore_scorer* scorer) {
  return scorer == nullptr ? 0 : scorer->pairs;
}

int sidecore_scorer_score(sidecore_scorer* scorer, uint64_t pair, size_t output, double* score) {
  if (scorer == nullptr || score == nullptr) {
    return sidecore::capi::fail({}, SIDECORE_ERROR_ARGUMENT, "a pointer is null");
  }
  return scorer->run([&] {
    require(pair < scorer->pairs, "there is no such pair");
    require(output < scorer->table.names().size(), "there is no such output");
    scorer->collect_until(pair + 1);
    *score = scorer->table.column(output)[pair];
  });
}

int sidecore_scorer_pooled(sidecore_scorer* scorer, size_t output, int pooling, double* score) {
  if (scorer == nullptr || score == nullptr) {
    return sidecore::capi::fail({}, SIDECORE_ERROR_ARGUMENT, "a pointer is null");
  }
  return scorer->run([&] {
    require(scorer->pairs > 0, "there is no pair");
    require(output < scorer->table.names().size(), "there is no such output");
    require(pooling >= SIDECORE_POOLING_MIN && pooling <= SIDECORE_POOLING_HARMONIC_MEAN,
            "there is no such pooling");
    scorer->collect_until(scorer->pairs);
    const sidecore::metrics::Pooled pooled = sidecore::metrics::pool(scorer->table.column(output));
    const double values[] = {pooled.min, pooled.max, pooled.mean, pooled.harmonic_mean};
    *score = values[pooling];
  });
}

void sidecore_scorer_close(sidecore_scorer* scorer) {
  delete scorer;
}
