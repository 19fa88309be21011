// sidecore called as `vmaf`: libvmaf's command, by libvmaf's interface. Scores, files and what is
// printed are therefore those of that command.
#include "cli/vmaf.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/clip_options.h"
#include "cli/vmaf_words.h"
#include "libvmaf/libvmaf.h"

namespace sidecore::cli {
namespace {

struct Destroy {
  void operator()(VmafContext* context) const { vmaf_close(context); }
  void operator()(VmafModel* model) const { vmaf_model_destroy(model); }
  void operator()(VmafModelCollection* collection) const {
    vmaf_model_collection_destroy(collection);
  }
};

struct Model {
  std::string source;  ///< version or path
  std::unique_ptr<VmafModel, Destroy> model;
  std::unique_ptr<VmafModelCollection, Destroy> collection;  ///< null for a single model
};

/// Throws Error if a call of the interface, which logs the reason, failed.
void check(int error, const std::string& task) {
  if (error != 0) throw usage_error("{} failed", task);
}

/// Returns options that the called function owns from then on.
VmafFeatureDictionary* dictionary_of(const VmafWordOptions& options) {
  VmafFeatureDictionary* dictionary = nullptr;
  for (const auto& [name, value] : options) {
    check(vmaf_feature_dictionary_set(&dictionary, name.c_str(), value.c_str()), "an option");
  }
  return dictionary;
}

Model load_model(const VmafModelWords& words) {
  VmafModelConfig configuration{words.name.c_str(), words.flags};
  VmafModel* model = nullptr;
  VmafModelCollection* collection = nullptr;
  const bool is_built_in = !words.version.empty();
  const char* const source = words.source().c_str();
  const int error = is_built_in ? vmaf_model_load(&model, &configuration, source)
                                : vmaf_model_load_from_path(&model, &configuration, source);
  if (error != 0) {
    check(is_built_in
              ? vmaf_model_collection_load(&model, &collection, &configuration, source)
              : vmaf_model_collection_load_from_path(&model, &collection, &configuration, source),
          fmt::format("loading the model {}", words.source()));
  }
  Model loaded{words.source(), {}, {}};
  loaded.model.reset(model);
  loaded.collection.reset(collection);
  for (const auto& [feature, options] : words.overloads) {
    check(collection == nullptr
              ? vmaf_model_feature_overload(model, feature.c_str(), dictionary_of(options))
              : vmaf_model_collection_feature_overload(model, &collection, feature.c_str(),
                                                       dictionary_of(options)),
          fmt::format("setting options of {}", feature));
  }
  return loaded;
}

std::vector<Model> use_models(VmafContext* context, const VmafWords& words) {
  std::vector<Model> models;
  for (const VmafModelWords& model : words.models) {
    models.push_back(load_model(model));
    const Model& loaded = models.back();
    check(loaded.collection
              ? vmaf_use_features_from_model_collection(context, loaded.collection.get())
              : vmaf_use_features_from_model(context, loaded.model.get()),
          fmt::format("using the features of the model {}", loaded.source));
  }
  return models;
}

VmafPixelFormat pixel_format(video::Chroma chroma) {
  switch (chroma) {
    case video::Chroma::c420:
      return VMAF_PIX_FMT_YUV420P;
    case video::Chroma::c422:
      return VMAF_PIX_FMT_YUV422P;
    case video::Chroma::c444:
      return VMAF_PIX_FMT_YUV444P;
    case video::Chroma::c400:
      return VMAF_PIX_FMT_YUV400P;
    case video::Chroma::c440:
      break;  // libvmaf has no such format
  }
  return VMAF_PIX_FMT_UNKNOWN;
}

/// Returns a copy of the picture, without what chroma planes of odd sizes lack in libvmaf.
VmafPicture copy_of(const video::Picture& from) {
  const video::PictureFormat& format = from.format();
  VmafPicture to{};
  check(vmaf_picture_alloc(
            &to, pixel_format(format.pixel.chroma), static_cast<unsigned>(format.pixel.bits),
            static_cast<unsigned>(format.width), static_cast<unsigned>(format.height)),
        "allocating a picture");
  for (std::size_t plane = 0; plane < static_cast<std::size_t>(format.pixel.planes()); ++plane) {
    const video::PictureLayout::Plane& layout = from.layout().planes[plane];
    const std::byte* row = from.bytes().data() + layout.offset;
    auto* copied = static_cast<std::byte*>(to.data[plane]);
    for (unsigned y = 0; y < to.h[plane]; ++y, row += layout.stride, copied += to.stride[plane]) {
      std::memcpy(copied, row, to.w[plane] * format.pixel.bytes_per_sample());
    }
  }
  return to;
}

void skip(video::PictureSource& source, std::uint64_t pictures, video::Picture& scratch) {
  for (std::uint64_t i = 0; i < pictures && source.read(scratch); ++i) {
  }
}

/// Reads all pairs and returns their number.
unsigned read_pairs(VmafContext* context, const VmafWords& words, const Clips& clips) {
  video::Picture reference(clips.reference->format());
  video::Picture distorted(clips.distorted->format());
  skip(*clips.reference, words.clips.skip_reference, reference);
  skip(*clips.distorted, words.clips.skip_distorted, distorted);
  const std::uint64_t limit = words.clips.frame_count.value_or(0);
  std::optional<Progress> progress;
  if (!words.quiet) progress.emplace("frames", std::nullopt);
  unsigned pairs = 0;
  for (; limit == 0 || pairs < limit; ++pairs) {
    const bool has_reference = clips.reference->read(reference);
    const bool has_distorted = clips.distorted->read(distorted);
    if (has_reference != has_distorted) {
      const auto& [shorter, longer] = has_distorted
                                          ? std::pair(words.clips.reference, words.clips.distorted)
                                          : std::pair(words.clips.distorted, words.clips.reference);
      print_remark(
          fmt::format("\n\"{}\" ended before \"{}\".\n", printable(shorter), printable(longer)));
    }
    if (!has_reference || !has_distorted) break;
    VmafPicture first = copy_of(reference);
    VmafPicture second = copy_of(distorted);
    check(vmaf_read_pictures(context, &first, &second, pairs), "scoring a picture");
    if (progress) progress->update(pairs + 1);
  }
  check(vmaf_read_pictures(context, nullptr, nullptr, 0), "the end of the clips");
  return pairs;
}

/// Predicts the scores of all pictures, which also puts them into the file.
void predict(VmafContext* context, const Model& model, unsigned last, bool is_printed) {
  double score = 0;
  check(vmaf_score_pooled(context, model.model.get(), VMAF_POOL_METHOD_MEAN, &score, 0, last),
        fmt::format("pooling the scores of {}", model.source));
  if (is_printed) print_remark(fmt::format("{}: {:f}\n", model.source, score));
}

void predict_collection(VmafContext* context, const Model& model, unsigned last, bool is_printed) {
  VmafModelCollectionScore score{};
  check(vmaf_score_pooled_model_collection(context, model.collection.get(), VMAF_POOL_METHOD_MEAN,
                                           &score, 0, last),
        fmt::format("pooling the scores of {}", model.source));
  if (!is_printed) return;
  const auto& [bagging, deviation, interval] = score.bootstrap;
  print_remark(fmt::format("{}: {:f}, ci.p95: [{:f}, {:f}], stddev: {:f}\n", model.source, bagging,
                           interval.p95.lo, interval.p95.hi, deviation));
}

void score(const VmafWords& words) {
  const Clips clips = open_clips(words.clips);
  VmafContext* opened = nullptr;
  check(vmaf_init(&opened, {VMAF_LOG_LEVEL_INFO, words.threads, words.subsample, 0, 0}),
        "opening a context");
  const std::unique_ptr<VmafContext, Destroy> context(opened);
  const std::vector<Model> models = use_models(context.get(), words);
  for (const auto& [name, options] : words.features) {
    check(vmaf_use_feature(context.get(), name.c_str(), dictionary_of(options)),
          fmt::format("using the feature {}", name));
  }
  const unsigned pairs = read_pairs(context.get(), words, clips);
  // libvmaf's command prints to terminals alone.
  const bool is_printed = ::isatty(STDERR_FILENO) != 0 && (!words.quiet || words.output.empty());
  if (!words.no_prediction) {
    for (const Model& model : models) predict(context.get(), model, pairs - 1, is_printed);
    for (const Model& model : models) {
      if (model.collection) predict_collection(context.get(), model, pairs - 1, is_printed);
    }
  }
  if (!words.output.empty()) {
    check(vmaf_write_output(context.get(), words.output.c_str(), words.format),
          fmt::format("writing {}", words.output));
  }
}

}  // namespace

int run_vmaf(int argc, char** argv) {
  constexpr int kWrongUsage = 1;
  constexpr int kFailed = 255;
  int status = kWrongUsage;
  try {
    const VmafWords words = parse_vmaf_words(argc, argv);
    status = kFailed;
    if (words.asks_version) {
      print_remark(fmt::format("{}\n", vmaf_version()));
    } else {
      if (::isatty(STDERR_FILENO) != 0 && !words.quiet) {
        print_remark(fmt::format("VMAF version {}\n", vmaf_version()));
      }
      score(words);
    }
    return 0;
  } catch (const std::exception& error) {
    print_remark(fmt::format("vmaf: {}\n", printable(error.what())));
    return status;
  }
}

}  // namespace sidecore::cli
