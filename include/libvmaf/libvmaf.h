/* libvmaf's interface as sidecore implements it (docs/libvmaf.md). Programs that were built for
 * libvmaf 3 run on this library without a change.
 *
 *   Order of calls: init; load models; use_feature or use_features_from_model; read_pictures for
 *   each pair of pictures, then once with null pictures; scores; write_output; close.
 *
 * Functions return 0, or a negative errno number:
 *   -EINVAL  an argument is wrong, or a score does not exist (yet)
 *   -ENOMEM  there is not enough memory
 *   -EIO     a device or a file failed
 * Errors are explained on standard error, according to the log level. Several threads may use one
 * context. */
#ifndef LIBVMAF_LIBVMAF_H
#define LIBVMAF_LIBVMAF_H

#include <stdint.h>
#include <stdio.h>

#include "libvmaf/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

enum VmafLogLevel {
  VMAF_LOG_LEVEL_NONE = 0,
  VMAF_LOG_LEVEL_ERROR,
  VMAF_LOG_LEVEL_WARNING,
  VMAF_LOG_LEVEL_INFO,
  VMAF_LOG_LEVEL_DEBUG
};

enum VmafOutputFormat {
  VMAF_OUTPUT_FORMAT_NONE = 0,
  VMAF_OUTPUT_FORMAT_XML,
  VMAF_OUTPUT_FORMAT_JSON,
  VMAF_OUTPUT_FORMAT_CSV,
  VMAF_OUTPUT_FORMAT_SUB /* subtitles: one line per picture */
};

enum VmafPoolingMethod {
  VMAF_POOL_METHOD_UNKNOWN = 0,
  VMAF_POOL_METHOD_MIN,
  VMAF_POOL_METHOD_MAX,
  VMAF_POOL_METHOD_MEAN,
  VMAF_POOL_METHOD_HARMONIC_MEAN, /* n / sum(1 / (score + 1)) - 1 */
  VMAF_POOL_METHOD_NB
};

typedef struct VmafConfiguration {
  enum VmafLogLevel log_level; /* of the whole process: the last vmaf_init() sets it */
  unsigned n_threads;          /* threads that score pictures, at most 256; 0: one, and
                                  vmaf_read_pictures() waits for it */
  unsigned n_subsample;        /* n: only pictures 0, n, 2n, ... have scores; 0 and 1: all */
  uint64_t cpumask;            /* ignored; SIDECORE_METRICS chooses the processor */
  uint64_t gpumask;            /* ignored */
} VmafConfiguration;

typedef struct VmafContext VmafContext;

/* Opens a context. */
int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg);

/* Registers the features that a model needs. The model can be destroyed afterwards. Features that
 * are registered already are computed only once. */
int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model);
int vmaf_use_features_from_model_collection(VmafContext* vmaf,
                                            VmafModelCollection* model_collection);

/* Registers a feature. opts_dict may be null. If the call succeeds, the context takes the
 * dictionary; if it fails, the caller frees it. Errors: -EINVAL, also if there is no such feature
 * or a value is out of range; -ENOMEM. */
int vmaf_use_feature(VmafContext* vmaf, const char* feature_name, VmafFeatureDictionary* opts_dict);

/* Adds a score that the caller computed. Errors: -EINVAL, also if the picture has a score of that
 * name; -ENOMEM. */
int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value,
                              unsigned index);

/* Scores a pair of pictures of equal format. The call takes both references if it succeeds; if it
 * fails, the caller keeps them. Indices may have gaps and any order; features that compare
 * neighbouring pictures have scores only for an unbroken row of indices from 0 on. With ref and
 * dist null the clip ends: the remaining scores are computed, and no more pictures are accepted.
 * Errors: -EINVAL, also if the formats differ, a feature is not defined for the format, a sample
 * exceeds its bits, or the index was read before; -ENOMEM; -EIO. */
int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index);

/* Gives the model's score of a picture, and stores it under the model's name. */
int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index);

/* Gives the collection's score of a picture, and stores it under the collection's name with
 * _bagging, _stddev, _ci_p95_lo and _ci_p95_hi appended, and the score of each model. */
int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index);

/* Gives a feature's score of a picture. Names are libvmaf's: "VMAF_integer_feature_adm2_score", or
 * "integer_adm2_egl_1" if options differ from their defaults. */
int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score,
                                unsigned index);

/* Give one score for the pictures index_low to index_high; each of them, except those that
 * n_subsample leaves out, must have a score. */
int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, enum VmafPoolingMethod pool_method,
                      double* score, unsigned index_low, unsigned index_high);
int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       enum VmafPoolingMethod pool_method,
                                       VmafModelCollectionScore* score, unsigned index_low,
                                       unsigned index_high);
int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name,
                              enum VmafPoolingMethod pool_method, double* score, unsigned index_low,
                              unsigned index_high);

typedef struct VmafPictureConfiguration {
  struct {
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
  } pic_params; /* as in vmaf_picture_alloc() */
  unsigned pic_cnt;
} VmafPictureConfiguration;

/* Allocates a pool of pictures. Pictures of an earlier pool stay valid. */
int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg);

/* Takes a picture from the pool; its samples are those of its last use. If none is free, the call
 * waits until another thread gives one back. vmaf_picture_unref() returns it to the pool, also
 * after vmaf_close(). Errors: -EINVAL if there is no pool. */
int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic);

/* Closes a context, and drops pairs that are not scored yet. Errors: -EINVAL if it is null. */
int vmaf_close(VmafContext* vmaf);

/* Writes all scores to a file, in the layout of the `vmaf` command's files. The file is complete or
 * absent. Errors: -EINVAL, also if the file cannot be created; -ENOMEM; -EIO. */
int vmaf_write_output(VmafContext* vmaf, const char* output_path, enum VmafOutputFormat fmt);

/* Returns the version of the interface, and sidecore's: "3.2.0 (sidecore 0.1.0)". */
const char* vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif
