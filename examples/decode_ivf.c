/* Decodes an IVF file, and writes the planes of its pictures to standard output.
 *   decode_ivf FILE.ivf > pictures.yuv */
#include <sidecore/decoder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t little_endian(const unsigned char* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void write_pictures(sidecore_decoder* decoder) {
  sidecore_picture* picture;
  while (sidecore_decoder_get_picture(decoder, &picture) == SIDECORE_OK) {
    struct sidecore_picture_info info = {sizeof info};
    int plane, row;
    sidecore_picture_get_info(picture, &info);
    for (plane = 0; plane < 3; ++plane) {
      for (row = 0; row < info.plane_height[plane]; ++row) {
        fwrite((const char*)info.data[plane] + row * info.stride[plane], info.bits > 8 ? 2 : 1,
               (size_t)info.plane_width[plane], stdout);
      }
    }
    sidecore_picture_unref(picture);
  }
}

int main(int argc, char** argv) {
  struct sidecore_decoder_options options = {sizeof options};
  sidecore_decoder* decoder;
  unsigned char header[32]; /* of the file; of each packet: bytes (4), time stamp (8) */
  int failed = 0;
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file || fread(header, 1, 32, file) != 32 || memcmp(header, "DKIF", 4) != 0) {
    fprintf(stderr, "usage: decode_ivf FILE.ivf\n");
    return 2;
  }
  if (sidecore_decoder_open(&decoder, &options) != SIDECORE_OK) {
    fprintf(stderr, "%s\n", sidecore_last_error());
    return 1;
  }
  while (fread(header, 1, 12, file) == 12) {
    const uint32_t bytes = little_endian(header);
    const int64_t time_stamp =
        (int64_t)(little_endian(header + 4) | (uint64_t)little_endian(header + 8) << 32);
    void* packet = malloc(bytes);
    if (!packet || fread(packet, 1, bytes, file) != bytes) return 1;
    if (sidecore_decoder_send(decoder, packet, bytes, time_stamp, NULL) != SIDECORE_OK) {
      fprintf(stderr, "%s\n", sidecore_last_error()); /* and go on: it costs this packet alone */
      failed = 1;
    }
    free(packet);
    write_pictures(decoder);
  }
  if (sidecore_decoder_drain(decoder) != SIDECORE_OK) failed = 1;
  write_pictures(decoder);
  sidecore_decoder_close(decoder);
  fclose(file);
  return failed;
}
