/* Scores a Y4M file (8 bits, 4:2:0) against another, with a feature or a model:
 *   score_y4m REFERENCE.y4m DISTORTED.y4m [float_ssim | version=vmaf_v0.6.1 | ...] */
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

/* The next picture's planes, one after another in `samples`; 0 at the end. */
static int read_picture(FILE* file, int w, int h, char* samples, struct sidecore_planes* planes) {
  const int half = (w + 1) / 2;
  const size_t luma = (size_t)w * h, chroma = (size_t)half * ((h + 1) / 2);
  char line[256]; /* FRAME, and what a picture may say of itself */
  *planes = (struct sidecore_planes){
      sizeof *planes, {samples, samples + luma, samples + luma + chroma}, {w, half, half}};
  return fgets(line, sizeof line, file) && fread(samples, luma + 2 * chroma, 1, file) == 1;
}

int main(int argc, char** argv) {
  const char* what = argc == 4 ? argv[3] : "float_ssim";
  struct sidecore_scorer_options options = {
      .size = sizeof options, .chroma = SIDECORE_CHROMA_420, .bits = 8};
  struct sidecore_planes planes[2];
  int width, height;
  FILE* reference = argc >= 3 ? open_y4m(argv[1], &width, &height) : NULL;
  FILE* distorted = argc >= 3 ? open_y4m(argv[2], &options.width, &options.height) : NULL;
  if (!reference || !distorted || width != options.width || height != options.height) {
    fprintf(stderr, "usage: score_y4m REFERENCE.y4m DISTORTED.y4m [FEATURE|MODEL]\n");
    return 2;
  }
  options.features = options.models = &what; /* one of them, as the counts say */
  options.model_count = strncmp(what, "version=", 8) == 0;
  options.feature_count = !options.model_count;
  char* samples = malloc((size_t)(width + 1) * (height + 1) * 3); /* no less than of two pictures */
  char* others = samples + (size_t)(width + 1) * (height + 1) * 3 / 2;
  sidecore_scorer* scorer;
  int error = sidecore_scorer_open(&scorer, &options);
  while (!error && samples && read_picture(reference, width, height, samples, &planes[0]) &&
         read_picture(distorted, width, height, others, &planes[1])) {
    error = sidecore_scorer_push(scorer, &planes[0], &planes[1]);
  }
  if (!error) error = sidecore_scorer_drain(scorer);
  for (size_t i = 0; !error && i < sidecore_scorer_outputs(scorer); ++i) {
    double mean;
    error = sidecore_scorer_pooled(scorer, i, SIDECORE_POOLING_MEAN, &mean);
    if (!error) printf("%s %.6f\n", sidecore_scorer_output_name(scorer, i), mean);
  }
  if (error) fprintf(stderr, "%s\n", sidecore_last_error());
  sidecore_scorer_close(scorer);
  free(samples), fclose(reference), fclose(distorted);
  return error != SIDECORE_OK;
}
