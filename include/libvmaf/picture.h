/* libvmaf's interface as sidecore implements it: pictures (docs/libvmaf.md). */
#ifndef LIBVMAF_PICTURE_H
#define LIBVMAF_PICTURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum VmafPixelFormat {
  VMAF_PIX_FMT_UNKNOWN,
  VMAF_PIX_FMT_YUV420P,
  VMAF_PIX_FMT_YUV422P,
  VMAF_PIX_FMT_YUV444P,
  VMAF_PIX_FMT_YUV400P /* luma only: planes 1 and 2 are empty */
};

typedef struct VmafRef VmafRef;

/* A reference to a picture's memory. Samples of 8 bits are bytes; others are 16-bit words in the
 * machine's byte order, with the value in the low bits. */
typedef struct VmafPicture {
  enum VmafPixelFormat pix_fmt;
  unsigned bpc;        /* bits per sample */
  unsigned w[3], h[3]; /* size of Y, Cb and Cr in their own samples; subsampled sizes round down */
  ptrdiff_t stride[3]; /* distance between two rows of a plane, in bytes */
  void* data[3];       /* first row of each plane */
  VmafRef* ref;        /* the memory's reference count; null: there is no memory */
  void* priv;          /* the library's own */
} VmafPicture;

/* Allocates a picture with zeroed planes. w and h: 1 to 16384 luma samples; bpc: 8 to 16. Errors:
 * -EINVAL, -ENOMEM; then the picture has no memory. */
int vmaf_picture_alloc(VmafPicture* pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                       unsigned h);

/* Gives back a reference and clears *pic. The last reference frees the memory, or returns it to the
 * pool of vmaf_preallocate_pictures(). Errors: -EINVAL if pic is null or has no memory. */
int vmaf_picture_unref(VmafPicture* pic);

#ifdef __cplusplus
}
#endif

#endif
