// Contexts of libvmaf's interface.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/cpu_affinity.h"
#include "base/own_process.h"
#include "libvmaf/boundary.h"
#include "libvmaf/feature_options.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/log.h"
#include "libvmaf/models.h"
#include "libvmaf/pair_scoring.h"
#include "libvmaf/picture_memory.h"
#include "libvmaf/score_file.h"
#include "libvmaf/score_store.h"
#include "metrics/pooling.h"
#include "players/settings.h"

using sidecore::Clock;
using sidecore::libvmaf::error_of;
using sidecore::libvmaf::PairScoring;
using sidecore::libvmaf::PicturePool;
using sidecore::libvmaf::require;
using sidecore::libvmaf::ScoreStore;

namespace {

sidecore::players::Settings settings() {
  return sidecore::players::read_settings([](const std::string& line) {
    sidecore::libvmaf::log(VMAF_LOG_LEVEL_WARNING, line.c_str());
  });
}

}  // namespace

struct VmafContext {
  explicit VmafContext(const VmafConfiguration& configuration)
      : subsample(std::max(configuration.n_subsample, 1U)),
        scoring(settings(), std::min<unsigned>(configuration.n_threads, sidecore::kMaxThreads),
                subsample) {}

  void add_features(const VmafModel& model) {
    for (const sidecore::metrics::VmafInput& input : model.model.inputs) {
      scoring.add({input.request});
    }
  }

  /// Returns the store after all pairs are scored.
  ScoreStore& all_scores() {
    scoring.collect(scores);
    if (begin) end = Clock::now();
    return scores;
  }

  [[nodiscard]] double pool(const std::string& name, VmafPoolingMethod method, unsigned low,
                            unsigned high) const {
    const sidecore::metrics::Pooled pooled =
        sidecore::metrics::pool(scores.range(name, low, high, subsample));
    switch (method) {
      case VMAF_POOL_METHOD_MIN:
        return pooled.min;
      case VMAF_POOL_METHOD_MAX:
        return pooled.max;
      case VMAF_POOL_METHOD_MEAN:
        return pooled.mean;
      case VMAF_POOL_METHOD_HARMONIC_MEAN:
        return pooled.harmonic_mean;
      default:
        throw sidecore::usage_error("unknown pooling method: {}", static_cast<int>(method));
    }
  }

  [[nodiscard]] sidecore::libvmaf::ScoreFileFacts facts() const {
    sidecore::libvmaf::ScoreFileFacts facts;
    if (scoring.format()) {
      facts.width = scoring.format()->width;
      facts.height = scoring.format()->height;
    }
    facts.pictures = pictures;
    facts.subsample = subsample;
    if (begin && end) facts.fps = pictures / sidecore::seconds(*end - *begin);
    return facts;
  }

  sidecore::OwnProcess process;
  std::mutex mutex;  ///< held by every function of the interface
  unsigned subsample;
  PairScoring scoring;
  ScoreStore scores;
  std::shared_ptr<PicturePool> pool_of_pictures;
  unsigned pictures = 0;  ///< number of pairs that were read
  bool is_flushed = false;
  std::optional<Clock::time_point> begin;  ///< time at which the first pair arrived
  std::optional<Clock::time_point> end;    ///< time at which the last score was there
};

namespace {

/// Runs `call` on a context that no other thread uses, and returns its error number.
template <class Call>
int with(VmafContext* context, const Call& call) noexcept {
  return error_of([&] {
    require(context != nullptr, "the context is null");
    require(context->process.is_here(), "the context was opened by another process");
    const std::lock_guard lock(context->mutex);
    call(*context);
  });
}

}  // namespace

int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg) {
  return error_of([&] {
    require(vmaf != nullptr, "vmaf is null");
    *vmaf = nullptr;
    sidecore::libvmaf::set_log_level(cfg.log_level);
    *vmaf = new VmafContext(cfg);
  });
}

int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model) {
  return with(vmaf, [&](VmafContext& context) {
    require(model != nullptr, "model is null");
    context.add_features(*model);
  });
}

int vmaf_use_features_from_model_collection(VmafContext* vmaf,
                                            VmafModelCollection* model_collection) {
  return with(vmaf, [&](VmafContext& context) {
    require(model_collection != nullptr, "model_collection is null");
    for (const VmafModel& model : model_collection->models) context.add_features(model);
  });
}

int vmaf_use_feature(VmafContext* vmaf, const char* feature_name,
                     VmafFeatureDictionary* opts_dict) {
  return with(vmaf, [&](VmafContext& context) {
    require(feature_name != nullptr, "feature_name is null");
    // libvmaf's feature null reads the pictures and has no score.
    if (feature_name != std::string_view("null")) {
      context.scoring.add(sidecore::libvmaf::request_of(feature_name, opts_dict));
    }
    delete opts_dict;
  });
}

int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value,
                              unsigned index) {
  return with(vmaf, [&](VmafContext& context) {
    require(feature_name != nullptr, "feature_name is null");
    require(context.scores.add(feature_name, index, value), "the picture has a score of this name");
  });
}

int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index) {
  return with(vmaf, [&](VmafContext& context) {
    require(!context.is_flushed, "the context is flushed: it accepts no more pictures");
    require((ref == nullptr) == (dist == nullptr), "only one of ref and dist is null");
    if (ref == nullptr) {
      require(context.pictures > 0 || context.scoring.is_empty(), "there are no pictures to score");
      context.scoring.finish(context.scores);
      if (context.begin) context.end = Clock::now();
      context.is_flushed = true;
      return;
    }
    if (!context.begin) context.begin = Clock::now();
    context.scoring.push(*ref, *dist, index, context.scores);
    ++context.pictures;
    vmaf_picture_unref(ref);
    if (dist != ref) vmaf_picture_unref(dist);  // a picture may be compared with itself
  });
}

int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index) {
  return with(vmaf, [&](VmafContext& context) {
    require(model != nullptr && score != nullptr, "model or score is null");
    *score = sidecore::libvmaf::score_at(*model, context.all_scores(), index);
  });
}

int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index) {
  return with(vmaf, [&](VmafContext& context) {
    require(model_collection != nullptr && score != nullptr, "model_collection or score is null");
    *score = sidecore::libvmaf::score_at(*model_collection, context.all_scores(), index);
  });
}

int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score,
                                unsigned index) {
  bool is_missing = false;
  const int error = with(vmaf, [&](VmafContext& context) {
    require(feature_name != nullptr && score != nullptr, "feature_name or score is null");
    const std::optional<double> found = context.all_scores().find(feature_name, index);
    is_missing = !found;
    if (found) *score = *found;
  });
  // A missing score gives no message, because programs may ask until it is there.
  return is_missing ? -EINVAL : error;
}

int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, VmafPoolingMethod pool_method,
                      double* score, unsigned index_low, unsigned index_high) {
  return with(vmaf, [&](VmafContext& context) {
    require(model != nullptr && score != nullptr, "model or score is null");
    ScoreStore& scores = context.all_scores();
    sidecore::libvmaf::for_each_index(
        index_low, index_high, context.subsample,
        [&](unsigned index) { sidecore::libvmaf::score_at(*model, scores, index); });
    *score = context.pool(model->name, pool_method, index_low, index_high);
  });
}

int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       VmafPoolingMethod pool_method,
                                       VmafModelCollectionScore* score, unsigned index_low,
                                       unsigned index_high) {
  return with(vmaf, [&](VmafContext& context) {
    require(model_collection != nullptr && score != nullptr, "model_collection or score is null");
    ScoreStore& scores = context.all_scores();
    sidecore::libvmaf::for_each_index(
        index_low, index_high, context.subsample,
        [&](unsigned index) { sidecore::libvmaf::score_at(*model_collection, scores, index); });
    const auto pool = [&](const std::string& name) {
      return context.pool(name, pool_method, index_low, index_high);
    };
    const sidecore::libvmaf::CollectionNames names(*model_collection);
    VmafModelCollectionScore pooled{};
    pooled.type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    pooled.bootstrap.bagging_score = pool(names.bagging);
    pooled.bootstrap.stddev = pool(names.deviation);
    pooled.bootstrap.ci.p95.lo = pool(names.low);
    pooled.bootstrap.ci.p95.hi = pool(names.high);
    *score = pooled;
  });
}

int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name,
                              VmafPoolingMethod pool_method, double* score, unsigned index_low,
                              unsigned index_high) {
  return with(vmaf, [&](VmafContext& context) {
    require(feature_name != nullptr && score != nullptr, "feature_name or score is null");
    context.all_scores();
    *score = context.pool(feature_name, pool_method, index_low, index_high);
  });
}

int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg) {
  return with(vmaf, [&](VmafContext& context) {
    const auto& [width, height, bits, pixel_format] = cfg.pic_params;
    require(cfg.pic_cnt > 0, "pic_cnt is 0");
    context.pool_of_pictures = std::make_shared<PicturePool>(
        pixel_format, sidecore::libvmaf::picture_format(pixel_format, bits, width, height),
        cfg.pic_cnt);
  });
}

int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  std::shared_ptr<PicturePool> pool;
  const int error = with(vmaf, [&](VmafContext& context) {
    require(pic != nullptr, "pic is null");
    require(context.pool_of_pictures != nullptr, "no pictures are preallocated");
    pool = context.pool_of_pictures;
  });
  // Other threads may use the context while this one waits for a picture.
  return error != 0 ? error : error_of([&] { *pic = pool->fetch(); });
}

int vmaf_close(VmafContext* vmaf) {
  return error_of([&] {
    require(vmaf != nullptr, "the context is null");
    // A child that fork() made has no threads to end, so that it keeps the copy.
    if (vmaf->process.is_here()) delete vmaf;
  });
}

int vmaf_write_output(VmafContext* vmaf, const char* output_path, VmafOutputFormat fmt) {
  return with(vmaf, [&](VmafContext& context) {
    require(output_path != nullptr, "output_path is null");
    const std::string text =
        sidecore::libvmaf::format_scores(fmt, context.all_scores(), context.facts());
    // libvmaf has no name for standard output.
    const std::string path = output_path;
    sidecore::AtomicFile file(path == "-" ? "./-" : path);
    file.write(text);
    file.commit();
  });
}

const char* vmaf_version(void) {
  return "3.2.0 (sidecore " SIDECORE_VERSION ")";
}
