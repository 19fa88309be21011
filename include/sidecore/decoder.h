/* libsidecore: the VP9 decoder. Profiles 0 to 3: 8, 10 and 12 bits; 4:2:0, 4:2:2, 4:4:0, 4:4:4 and
 * RGB, up to 16384x16384 samples.
 *
 *   Order of calls: open; for each packet send, then get_picture until SIDECORE_ERROR_AGAIN; at the
 *   end of the stream drain, then get_picture until SIDECORE_ERROR_AGAIN; close. */
#ifndef SIDECORE_DECODER_H
#define SIDECORE_DECODER_H

#include "sidecore.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sidecore_decoder sidecore_decoder;
typedef struct sidecore_picture sidecore_picture;

/* The stage plan: an enum sidecore_processor for each pixel stage. The CPU always does the parsing.
 * Every plan gives the same pictures, bit for bit. Later versions add no members to this structure.
 */
struct sidecore_plan {
  int prediction; /* inter prediction */
  int residual;   /* inverse transforms of inter blocks */
  int intra;      /* prediction of intra blocks, and their residual */
  int loop_filter;
};

/* Reads a stage plan from text: "scalar", "neon", "qpu" or "divided" for all stages, or one
 * processor for each, as in "prediction=neon,residual=neon,intra=qpu,loop_filter=qpu". NEON runs
 * the stages that are not named. "divided" divides prediction and residual, and puts intra and the
 * loop filter on the QPU. The function rejects the suffixes of `sidecore decode --plan` for the
 * loop filter (":waves", ":200").
 * Errors: ARGUMENT if the text is not a valid plan; *plan is then unchanged. Any thread may call
 * it. */
int sidecore_plan_parse(const char* text, struct sidecore_plan* plan);

/* Layout of a memory block for one picture: where its planes and rows are. The library writes
 * `size`; read no member beyond it. */
struct sidecore_memory_layout {
  size_t size;
  int width; /* width in luma samples, a multiple of 64: whole superblocks */
  int height;
  int chroma;       /* enum sidecore_chroma */
  int bits;         /* bits per sample; samples of more than 8 bits are 16-bit words */
  size_t bytes;     /* size of the block */
  size_t alignment; /* the block's address must be a multiple of this, in bytes */
  size_t offset[3]; /* start of each plane in the block, in bytes; plane 0 is at 0 */
  size_t stride[3]; /* distance between two rows of a plane, in bytes */
};

/* The caller's allocator of picture memory. The decoder reuses blocks for later pictures: it keeps
 * as many as it needs at a time (references, frames in work, pictures that the caller holds). It
 * asks for new blocks when the stream's size changes. Later versions add no members. */
struct sidecore_allocator {
  void* cookie;
  /* Returns a block with any content, or null if there is none: the frame then fails with MEMORY.
   * It runs on the thread that calls sidecore_decoder_send(). */
  void* (*allocate)(void* cookie, const struct sidecore_memory_layout* layout);
  /* Takes a block back: the decoder and all pictures no longer use it. It runs on the thread that
   * calls sidecore_decoder_send(), _drain(), _flush() or _close(), or after _close() the last
   * sidecore_picture_unref(). */
  void (*release)(void* cookie, void* data);
};

struct sidecore_decoder_options {
  size_t size;
  struct sidecore_plan plan;
  int threads;       /* number of decoding threads, 1 to 256, including the calling thread; 0: one
                        per CPU that this process may use */
  int low_delay;     /* not 0: send returns when all pictures of its packet are ready. 0: several
                        threads work on up to 4 frames, and pictures come later by as many frames. */
  int hidden_frames; /* not 0: get_picture also returns frames that the stream does not show, when
                        they are decoded, with the flag SIDECORE_PICTURE_HIDDEN */
  int64_t max_luma_samples;            /* larger frames fail with DATA; 0: 16384 * 16384 */
  struct sidecore_allocator allocator; /* null functions: the library's own allocator. Must be null
                                          if the plan uses the QPU: pictures are then in the
                                          device's memory. */
  const char* device; /* the QPU's Vulkan device: index, type ("gpu", "integrated", "cpu") or part
                         of its name; null: SIDECORE_DEVICE, else the best one. Read only by open.
                       */
  sidecore_log_callback log; /* receives messages; null: none */
  void* log_cookie;
  int stage_times; /* not 0: the statistics include each stage's time. This costs two clock readings
                      per block. */
  const struct sidecore_vulkan_device* vulkan; /* the caller's Vulkan device for the QPU's stages;
                                                  excludes `device`. Null: the library opens one. */
  int last_layer; /* not 0: only the last frame of each packet is shown, and only if the stream
                     shows it; with spatial layers that is the largest. 0: all frames that the
                     stream shows. */
};

/* Makes a decoder; `options` may be null. On failure *decoder is null. Errors: ARGUMENT; DEVICE
 * if there is no such device or a thread cannot start; MEMORY. */
int sidecore_decoder_open(sidecore_decoder** decoder,
                          const struct sidecore_decoder_options* options);

/* Decodes one packet: a frame or a superframe. The library needs `data` only during the call. A
 * packet of 0 bytes stands for a frame that the encoder dropped, and shows nothing. The pictures
 * that the packet shows (none, one or several) carry `time_stamp`, in any unit, and `cookie`; the
 * library does not use either.
 *
 * Errors: AGAIN if pictures wait: get them first, then send the packet again. ARGUMENT if `data` is
 * null and `bytes` is not 0. After DATA, MEMORY or DEVICE a frame, the rest of its packet, and the
 * later frames in flight are lost. The packet is consumed: continue with the next one. Frames that
 * refer to lost frames fail, or are decoded approximately and flagged SIDECORE_PICTURE_DAMAGED.
 * Everything is right again from the next key frame. get_picture still returns earlier pictures.
 *
 * After DEVICE, for example a lost GPU, the CPU runs all stages from the next key frame. The
 * decoder reports DEVICE only once. Earlier pictures stay valid and keep the device;
 * sidecore_picture_get_vulkan() returns ARGUMENT for later pictures. */
int sidecore_decoder_send(sidecore_decoder* decoder, const void* data, size_t bytes,
                          int64_t time_stamp, void* cookie);

/* Gives the next picture in display order; the caller must unref it. Errors, with *picture null:
 * AGAIN if there is no picture yet: send a packet, or drain; ARGUMENT. */
int sidecore_decoder_get_picture(sidecore_decoder* decoder, sidecore_picture** picture);

/* Finishes all frames in work, at the end of the stream or of a part of it. Later packets may still
 * refer to earlier frames. Errors: those of send, except AGAIN. */
int sidecore_decoder_drain(sidecore_decoder* decoder);

/* Drops all frames in work, all pictures that get_picture has not returned, and all references.
 * Call it before a seek; decoding then restarts at a key frame. Errors: ARGUMENT. */
int sidecore_decoder_flush(sidecore_decoder* decoder);

/* Counters and times since the decoder was opened, without the frames in flight. Times are in
 * nanoseconds of wall clock spent in send and drain, and 0 unless `stage_times` was set. With
 * several threads, that time is divided between the stages in proportion to the threads' own time.
 */
struct sidecore_decoder_statistics {
  size_t size;
  uint64_t frames;      /* number of decoded frames, shown or hidden */
  uint64_t shown;       /* number of shown pictures, including frames that are shown again */
  uint64_t submissions; /* number of queue submissions to the QPU */
  uint64_t dispatches;  /* number of dispatches in all submissions */
  int64_t parsing;      /* time of headers, symbols, dequantisation and adaptation */
  int64_t prediction;   /* time of inter prediction */
  int64_t residual; /* time of inverse transforms and of adding their results to the prediction */
  int64_t edges;    /* time of edge derivation: the loop filter's edges from the blocks */
  int64_t loop_filter;
  int64_t other; /* time of superframes, pictures' memory, references and the QPU's programs */
  int64_t intra; /* time of the prediction of intra blocks */
  /* Time of stages that share a submission to the QPU and have no separate times: preparing it, and
   * waiting for it. If a stage has its own submission, its time above includes both. */
  int64_t submission;
  int64_t waiting;
  uint64_t fence_waits; /* number of waits for a submission's fence */
  /* Number of dispatches of each stage; their sum is `dispatches`. */
  uint64_t prediction_dispatches;
  uint64_t residual_dispatches; /* includes intra blocks if the QPU runs the intra stage */
  uint64_t intra_dispatches;
  uint64_t loop_filter_dispatches;
};

/* Fills *statistics up to its `size`. Errors: ARGUMENT. */
int sidecore_decoder_get_statistics(const sidecore_decoder* decoder,
                                    struct sidecore_decoder_statistics* statistics);

/* Closes a decoder; null is allowed. Pictures that the caller holds stay valid. */
void sidecore_decoder_close(sidecore_decoder* decoder);

/* Values of color_space in the VP9 specification, section 7.2.2. */
enum sidecore_color_space {
  SIDECORE_COLOR_UNKNOWN = 0,
  SIDECORE_COLOR_BT601 = 1,
  SIDECORE_COLOR_BT709 = 2,
  SIDECORE_COLOR_SMPTE170 = 3,
  SIDECORE_COLOR_SMPTE240 = 4,
  SIDECORE_COLOR_BT2020 = 5,
  SIDECORE_COLOR_RESERVED = 6,
  SIDECORE_COLOR_RGB = 7 /* planes 0 to 2 are green, blue and red, all of one size */
};

enum sidecore_picture_flag {
  SIDECORE_PICTURE_KEY = 1,      /* the picture is a key frame */
  SIDECORE_PICTURE_HIDDEN = 2,   /* the stream does not show this frame; see `hidden_frames` */
  SIDECORE_PICTURE_REPEATED = 4, /* the stream shows an earlier frame again, with equal samples */
  SIDECORE_PICTURE_DAMAGED = 8 /* samples may be wrong: no key frame has followed the last error */
};

struct sidecore_picture_info {
  size_t size;
  int width; /* width in luma samples */
  int height;
  int render_width; /* size in pixels at which the stream asks to show the picture */
  int render_height;
  int chroma; /* enum sidecore_chroma */
  int bits;   /* bits per sample: 8, 10 or 12. Samples of 8 bits are bytes; others are 16-bit words
                 in the machine's byte order, with the value in the low bits. */
  int plane_width[3]; /* widths of Y, Cb and Cr, each in samples of its plane */
  int plane_height[3];
  const void* data[3]; /* first row of each plane; data[0] is the allocator's block */
  ptrdiff_t stride[3]; /* distance between two rows of a plane, in bytes */
  int color_space;     /* enum sidecore_color_space */
  int full_range;      /* 1: full range; 0: studio range */
  unsigned flags;      /* combination of enum sidecore_picture_flag */
  int64_t time_stamp;  /* time stamp of the packet that shows the picture */
  void* cookie;        /* cookie of the packet that shows the picture */
  /* Colours as numbers of ITU-T H.273, which containers and players use; 2 if the stream does not
   * say. A VP9 stream states only the matrix. Primaries and transfer are those that the same
   * recommendation defines with it. If the container states colours, use those instead. */
  int color_primaries;
  int color_transfer;
  int color_matrix;
  /* Width and height of a pixel in lowest terms, which follow from render_width and render_height;
   * 1 and 1 if these equal the picture's size. If the container states another aspect, use that
   * instead. */
  int pixel_aspect_width;
  int pixel_aspect_height;
};

/* A picture is a counted reference to samples that do not change. Several threads may use it at
 * once, and it may outlive its decoder. */

/* Fills *info up to its `size`. Its pointers are valid as long as the caller holds the picture.
 * Errors: ARGUMENT. */
int sidecore_picture_get_info(const sidecore_picture* picture, struct sidecore_picture_info* info);

/* Adds a reference, which needs one more unref. Returns `picture`. Null is allowed. */
sidecore_picture* sidecore_picture_ref(sidecore_picture* picture);

/* Releases a reference. Null is allowed. */
void sidecore_picture_unref(sidecore_picture* picture);

#ifdef __cplusplus
}
#endif

#endif
