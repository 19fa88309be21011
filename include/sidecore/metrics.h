/* libsidecore: scores of pictures against a reference. Features, models, options and scores have
 * libvmaf's names (docs/metrics.md lists them). Every processor gives the same bits.
 *
 *   Order of calls: open; push each pair of a clip's pictures in order; drain; score and pooled;
 *   close. */
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
      features; /* texts NAME or NAME=OPTION=VALUE:OPTION=VALUE: "float_ssim=clip_db=true" */
  size_t feature_count; /* number of features: at least 1, or 0 if there is a model */
  int width;            /* width of all pictures in luma samples, 1 to 16384 */
  int height;
  int chroma;                /* enum sidecore_chroma, except SIDECORE_CHROMA_440 */
  int bits;                  /* bits per sample, 8 to 16 */
  int processor;             /* enum sidecore_processor, except SIDECORE_PROCESSOR_DIVIDED */
  int threads;               /* CPU threads that score, 1 to 256; 0: one per CPU that this process
                                may use */
  const char* device;        /* the QPU's Vulkan device, as in sidecore_decoder_options */
  sidecore_log_callback log; /* receives messages; null: none */
  void* log_cookie;
  const struct sidecore_vulkan_device* vulkan; /* the caller's device instead of `device` */
  const char* const* models; /* version=VERSION or path=FILE, then :name=NAME and the other settings
                                of the `vmaf` command's --model; "version=vmaf_v1.0.16_3d0h" */
  size_t model_count;
};

/* Makes a scorer. Only this call reads the options. On failure *scorer is null. Errors: ARGUMENT,
 * also if a feature or model does not exist or is not defined for such pictures; DEVICE; MEMORY. */
int sidecore_scorer_open(sidecore_scorer** scorer, const struct sidecore_scorer_options* options);

/* The planes of a picture: Y, Cb and Cr; only Y for SIDECORE_CHROMA_400. Subsampled sizes round up.
 * Samples of 8 bits are bytes; others are 16-bit words in the machine's byte order, with the value
 * in the low bits. */
struct sidecore_planes {
  size_t size;
  const void* data[3]; /* first row of each plane */
  ptrdiff_t stride[3]; /* distance between two rows of a plane, in bytes */
};

/* Copies the next pair of pictures and starts to score it. Errors: ARGUMENT, also if the scorer was
 * drained, or if a sample exceeds its bits; such a pair is not counted. After DEVICE or MEMORY the
 * caller can only close the scorer. */
int sidecore_scorer_push(sidecore_scorer* scorer, const struct sidecore_planes* reference,
                         const struct sidecore_planes* distorted);

/* Ends the clip: waits for all pairs, then computes the scores that depend on several pairs. A
 * second call changes nothing. Errors: ARGUMENT. After DEVICE or MEMORY the caller can only close
 * the scorer. */
int sidecore_scorer_drain(sidecore_scorer* scorer);

/* Returns the number of outputs: the scores that each pair has. Their order is the requested
 * features, with one or more outputs each; then features that the models add; then one output per
 * model. Returns 0 for null. */
size_t sidecore_scorer_outputs(const sidecore_scorer* scorer);
/* Returns libvmaf's name of an output, counted from 0; null if there is no such output. The name is
 * valid as long as the scorer. */
const char* sidecore_scorer_output_name(const sidecore_scorer* scorer, size_t output);

/* Returns the number of pairs that were pushed. */
uint64_t sidecore_scorer_pairs(const sidecore_scorer* scorer);

/* Waits for a score of one pair, and gives it. Pairs and outputs are counted from 0, pairs in the
 * order of push. The score may be infinite or NaN if the metric is. Errors: AGAIN before drain, for
 * a model and for a feature that compares neighbouring pictures (motion, float_motion); ARGUMENT
 * if `pair` or `output` is out of range; DEVICE; MEMORY. */
int sidecore_scorer_score(sidecore_scorer* scorer, uint64_t pair, size_t output, double* score);

enum sidecore_pooling {
  SIDECORE_POOLING_MIN = 0,
  SIDECORE_POOLING_MAX = 1,
  SIDECORE_POOLING_MEAN = 2,
  SIDECORE_POOLING_HARMONIC_MEAN = 3 /* n / sum(1 / (score + 1)) - 1, as in libvmaf */
};

/* Waits for all pairs that were pushed, and gives one score for them. `pooling` is an enum
 * sidecore_pooling. Errors: AGAIN, in the cases of sidecore_scorer_score(); ARGUMENT, also if there
 * is no pair; DEVICE; MEMORY. */
int sidecore_scorer_pooled(sidecore_scorer* scorer, size_t output, int pooling, double* score);

/* Closes a scorer, and drops pairs that are not scored yet. Null is allowed. */
void sidecore_scorer_close(sidecore_scorer* scorer);

#ifdef __cplusplus
}
#endif

#endif
