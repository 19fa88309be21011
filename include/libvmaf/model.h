/* libvmaf's interface as sidecore implements it: models (docs/libvmaf.md). */
#ifndef LIBVMAF_MODEL_H
#define LIBVMAF_MODEL_H

#include <stdint.h>

#include "feature.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model predicts one score from a picture's features. */
typedef struct VmafModel VmafModel;

enum VmafModelFlags {
  VMAF_MODEL_FLAGS_DEFAULT = 0,
  VMAF_MODEL_FLAG_DISABLE_CLIP = 1,      /* scores may leave the model's range */
  VMAF_MODEL_FLAG_ENABLE_TRANSFORM = 2,  /* applies the transform of the model's file */
  VMAF_MODEL_FLAG_DISABLE_TRANSFORM = 4, /* has no effect on loading, as in libvmaf */
};

typedef struct VmafModelConfig {
  const char* name; /* name of the model's score; null: "vmaf" */
  uint64_t flags;   /* enum VmafModelFlags, combined by | */
} VmafModelConfig;

/* Loads a built-in model; docs/metrics.md lists the versions. Errors: -EINVAL, also if there is no
 * such model or the version is a collection; -ENOMEM. Then *model is null. A null cfg stands for
 * the defaults. */
int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version);

/* Loads a model from one of libvmaf's JSON files. Errors: as vmaf_model_load(). */
int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path);

/* Sets options of one of the model's features; a model without that feature does not change. The
 * dictionary is freed in every case. Errors: -EINVAL, also for a value that the feature does not
 * accept; -ENOMEM. */
int vmaf_model_feature_overload(VmafModel* model, const char* feature_name,
                                VmafFeatureDictionary* opts_dict);

/* Frees a model; null is allowed. */
void vmaf_model_destroy(VmafModel* model);

/* Models that were trained on resampled ratings. Their scores give a confidence interval. */
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelCollectionScoreType {
  VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
  VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP
};

typedef struct VmafModelCollectionScore {
  enum VmafModelCollectionScoreType type;
  struct {
    double bagging_score; /* mean of the models' scores */
    double stddev;        /* standard deviation of the models' scores */
    struct {
      struct {
        double lo, hi;
      } p95; /* interval with 95 % of the models' scores */
    } ci;
  } bootstrap;
} VmafModelCollectionScore;

/* Loads a built-in collection. The first model of a collection was trained on all ratings: *model
 * receives it, and *model_collection the others. Errors: as vmaf_model_load(), also if the version
 * is a single model. */
int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection,
                               VmafModelConfig* cfg, const char* version);

/* Loads a collection from one of libvmaf's JSON files. Errors: as vmaf_model_collection_load(). */
int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path);

/* Sets options in `model` and in all models of the collection, as vmaf_model_feature_overload(). */
int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name,
                                           VmafFeatureDictionary* opts_dict);

/* Frees a collection and its models; null is allowed. */
void vmaf_model_collection_destroy(VmafModelCollection* model_collection);

#ifdef __cplusplus
}
#endif

#endif
