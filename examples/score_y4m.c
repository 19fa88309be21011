/* Scores a Y4M file against another, of 8 bits and 4:2:0:
 *   score_y4m REFERENCE.y4m DISTORTED.y4m [FEATURE, as float_ssim, or MODEL, as
 * version=vmaf_v0.6.1] */
#include <sidecore/metrics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* open_y4m(const char* path, int* width, int* height) {
  char line[256];
  FILE* file = fopen(path, "rb");
  if (!file || !fgets(line, sizeof line, file)) return NULL;
  if (sscanf(line, "YUV4MPEG2 W%d H%d", width, height) != 2) return NULL;
  if (strstr(line, " C4") && (!strstr(line, " C420") || strstr(line, " C420p1"))) return NULL;
  return file;
}

/* The next picture into `samples`, whose planes are set; 0 at the end. */
static int read_picture(FILE* file, int width, int height, char* samples,
                        struct sidecore_planes* planes) {
  const int half_width = (width + 1) / 2;
  const size_t luma = (size_t)width * height, chroma = (size_t)half_width * ((height + 1) / 2);
  char line[256];
  planes->data[0] = samples;
  planes->data[1] = samples + luma;
  planes->data[2] = samples + luma + chroma;
  planes->stride[0] = width;
  planes->stride[1] = planes->stride[2] = half_width;
  return fgets(line, sizeof line, file) && fread(samples, luma + 2 * chroma, 1, file) == 1;
}

int main(int argc, char** argv) {
  const char* what = argc == 4 ? argv[3] : "float_ssim";
  struct sidecore_scorer_options options = {sizeof options};
  struct sidecore_planes planes[2] = {{sizeof planes[0]}, {sizeof planes[0]}};
  int width[2], height[2], side;
  size_t output;
  char* samples[2];
  FILE* files[2] = {NULL, NULL};
  sidecore_scorer* scorer;
  for (side = 0; side < 2 && argc >= 3; ++side) {
    files[side] = open_y4m(argv[1 + side], &width[side], &height[side]);
  }
  if (!files[0] || !files[1] || width[0] != width[1] || height[0] != height[1]) {
    fprintf(stderr, "usage: score_y4m REFERENCE.y4m DISTORTED.y4m [FEATURE|MODEL]\n");
    return 2;
  }
  if (strncmp(what, "version=", 8) == 0) {
    options.models = &what;
    options.model_count = 1;
  } else {
    options.features = &what;
    options.feature_count = 1;
  }
  options.width = width[0];
  options.height = height[0];
  options.chroma = SIDECORE_CHROMA_420;
  options.bits = 8;
  if (sidecore_scorer_open(&scorer, &options) != SIDECORE_OK) {
    fprintf(stderr, "%s\n", sidecore_last_error());
    return 1;
  }
  for (side = 0; side < 2; ++side) samples[side] = malloc((size_t)width[0] * height[0] * 3 + 6);
  while (read_picture(files[0], width[0], height[0], samples[0], &planes[0]) &&
         read_picture(files[1], width[1], height[1], samples[1], &planes[1])) {
    if (sidecore_scorer_push(scorer, &planes[0], &planes[1]) != SIDECORE_OK) {
      fprintf(stderr, "%s\n", sidecore_last_error());
      return 1;
    }
  }
  if (sidecore_scorer_drain(scorer) != SIDECORE_OK) return 1;
  for (output = 0; output < sidecore_scorer_outputs(scorer); ++output) {
    double mean;
    if (sidecore_scorer_pooled(scorer, output, SIDECORE_POOLING_MEAN, &mean) != SIDECORE_OK)
      return 1;
    printf("%s %.6f\n", sidecore_scorer_output_name(scorer, output), mean);
  }
  sidecore_scorer_close(scorer);
  for (side = 0; side < 2; ++side) free(samples[side]), fclose(files[side]);
  return 0;
}
