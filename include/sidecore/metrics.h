/* libsidecore: scores of pictures against a reference, with libvmaf's names of features, models,
 * options and scores, and the same bits whoever computes them (docs/metrics.md lists them).
 *
 *   open; push each pair of a clip's pictures in order; drain; score and pooled; close. */
#ifndef SIDECORE_METRICS_H
#define SIDECORE_METRICS_H

#include "sidecore.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sidecore_scorer sidecore_scorer;

struct sidecore_scorer_options {
  size_t size;
  const char* const*
      features;         /* NAME or NAME=OPTION=VALUE:OPTION=VALUE, as "float_ssim=clip_db=true" */
  size_t feature_count; /* at least 1 unless there is a model */
  int width;            /* of all pictures, in luma samples: 1 to 16384 */
  int height;
  int chroma;                /* enum sidecore_chroma */
  int bits;                  /* 8 to 16 */
  int processor;             /* enum sidecore_processor */
  int threads;               /* of the CPU, 1 to 256; 0: one for each CPU */
  const char* device;        /* of the QPU: as in sidecore_decoder_options */
  sidecore_log_callback log; /* null: silence */
  void* log_cookie;
  const struct sidecore_vulkan_device* vulkan; /* likewise */
  const char* const* models; /* version=VERSION or path=FILE, then :name=NAME and what else --model
                                of the `vmaf` command takes, as "version=vmaf_v1.0.16_3d0h" */
  size_t model_count;
};

/* Makes a scorer. The options are read by this call alone. On failure *scorer is null. Errors:
 * ARGUMENT also for a feature or model that there is not, or that is not defined for such pictures;
 * DEVICE; MEMORY. */
int sidecore_scorer_open(sidecore_scorer** scorer, const struct sidecore_scorer_options* options);

/* The planes of a picture: Y, Cb and Cr, of which SIDECORE_CHROMA_400 has the first alone.
 * Subsampled sizes round up. Samples of 8 bits are bytes, others 16-bit words in the machine's
 * order, the value in the low bits. */
struct sidecore_planes {
  size_t size;
  const void* data[3];
  ptrdiff_t stride[3]; /* from a row to the next, in bytes */
};

/* Starts scoring the next pair of pictures, which are copied. Errors: ARGUMENT, also for samples
 * beyond their bits, then the pair counts as not there, and for a scorer that was drained; DEVICE
 * and MEMORY, then the scorer can only be closed. */
int sidecore_scorer_push(sidecore_scorer* scorer, const struct sidecore_planes* reference,
                         const struct sidecore_planes* distorted);

/* The last pair was pushed: waits for all, and makes the scores that depend on more than their own
 * pair. Again: changes nothing. Errors: DEVICE and MEMORY, then the scorer can only be closed. */
int sidecore_scorer_drain(sidecore_scorer* scorer);

/* How many scores a pair has: one or more for each feature, those that the models add behind those
 * that were asked for, and one for each model; and the name of each, counted from 0, as libvmaf
 * spells it. The name lives as long as the scorer; null where there is none. */
size_t sidecore_scorer_outputs(const sidecore_scorer* scorer);
const char* sidecore_scorer_output_name(const sidecore_scorer* scorer, size_t output);

/* How many pairs were pushed. */
uint64_t sidecore_scorer_pairs(const sidecore_scorer* scorer);

/* A score of a pair, counted from 0 as they were pushed; waits for it. May be infinite or NaN where
 * the metric is. Errors: AGAIN for a model, and for a feature that compares pictures with their
 * neighbours (motion, float_motion), unless the scorer was drained; ARGUMENT for what is out of
 * range; DEVICE. */
int sidecore_scorer_score(sidecore_scorer* scorer, uint64_t pair, size_t output, double* score);

enum sidecore_pooling {
  SIDECORE_POOLING_MIN = 0,
  SIDECORE_POOLING_MAX = 1,
  SIDECORE_POOLING_MEAN = 2,
  SIDECORE_POOLING_HARMONIC_MEAN = 3 /* n / sum(1 / (score + 1)) - 1, as libvmaf has it */
};

/* One number for all pairs that were pushed; waits for them. Errors: AGAIN, as
 * sidecore_scorer_score(); ARGUMENT, also when there is no pair; DEVICE. */
int sidecore_scorer_pooled(sidecore_scorer* scorer, size_t output, int pooling, double* score);

/* Drops what has not been scored. Null is allowed. */
void sidecore_scorer_close(sidecore_scorer* scorer);

#ifdef __cplusplus
}
#endif

#endif
