/* Scores four pairs of generated pictures through libvmaf's interface, and prints the model's
 * pooled score. It prints nothing, and returns 1, if a call fails. */
#include <libvmaf/libvmaf.h>
#include <stdint.h>
#include <stdio.h>

enum { kWidth = 96, kHeight = 64, kPictures = 4 };

/* Fills the luma of a picture with a moving texture; `step` coarsens it. */
static void fill(VmafPicture* picture, unsigned index, unsigned step) {
  unsigned x, y;
  for (y = 0; y < picture->h[0]; ++y) {
    uint8_t* const row = (uint8_t*)picture->data[0] + (ptrdiff_t)y * picture->stride[0];
    for (x = 0; x < picture->w[0]; ++x) {
      const unsigned moved = x + 2 * index;
      row[x] = (uint8_t)((moved * 3 + y * 2 + (moved * y) % 31) % 200 / step * step);
    }
  }
}

static int read_pair(VmafContext* vmaf, unsigned index) {
  VmafPicture reference, distorted;
  if (vmaf_fetch_preallocated_picture(vmaf, &reference) != 0) return 1;
  if (vmaf_picture_alloc(&distorted, VMAF_PIX_FMT_YUV420P, 8, kWidth, kHeight) != 0) return 1;
  fill(&reference, index, 1);
  fill(&distorted, index, 9);
  return vmaf_read_pictures(vmaf, &reference, &distorted, index);
}

static int score(VmafContext* vmaf, VmafModel* model, double* result) {
  const VmafPictureConfiguration pictures = {{kWidth, kHeight, 8, VMAF_PIX_FMT_YUV420P}, 8};
  VmafFeatureDictionary* options = NULL;
  unsigned index;
  if (vmaf_preallocate_pictures(vmaf, pictures) != 0) return 1;
  if (vmaf_use_features_from_model(vmaf, model) != 0) return 1;
  if (vmaf_feature_dictionary_set(&options, "enable_lcs", "true") != 0) return 1;
  if (vmaf_use_feature(vmaf, "float_ssim", options) != 0) return 1;
  for (index = 0; index < kPictures; ++index) {
    if (read_pair(vmaf, index) != 0) return 1;
  }
  if (vmaf_read_pictures(vmaf, NULL, NULL, 0) != 0) return 1;
  return vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, result, 0, kPictures - 1);
}

int main(void) {
  const VmafConfiguration configuration = {VMAF_LOG_LEVEL_ERROR, 2, 1, 0, 0};
  VmafModelConfig named = {"mine", VMAF_MODEL_FLAG_DISABLE_CLIP};
  VmafContext* vmaf = NULL;
  VmafModel* model = NULL;
  double result = 0;
  int failed = vmaf_init(&vmaf, configuration) != 0 ||
               vmaf_model_load(&model, &named, "vmaf_v0.6.1") != 0 ||
               score(vmaf, model, &result) != 0;
  if (!failed) printf("%s %.6f\n", "mine", result);
  vmaf_model_destroy(model);
  if (vmaf != NULL && vmaf_close(vmaf) != 0) failed = 1;
  return failed;
}
