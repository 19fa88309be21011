/* libsidecore: the VP9 decoder. Profiles 0 to 3 (8, 10 and 12 bits) in 4:2:0 and 4:4:4, up to
 * 16384x16384.
 *
 *   open; then for each packet: send, and get_picture until SIDECORE_ERROR_AGAIN; at the end of the
 *   stream drain and get_picture until SIDECORE_ERROR_AGAIN; close. */
#ifndef SIDECORE_DECODER_H
#define SIDECORE_DECODER_H

#include "sidecore.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sidecore_decoder sidecore_decoder;
typedef struct sidecore_picture sidecore_picture;

/* Who does which stage, each an enum sidecore_processor. Parsing is always the CPU's. The pictures
 * are the same whatever the plan. This structure does not grow. */
struct sidecore_plan {
  int prediction; /* of inter blocks */
  int residual;   /* of inter blocks: inverse transforms */
  int intra;      /* prediction of intra blocks, and their residual */
  int loop_filter;
};

/* Reads a plan from text: "scalar", "neon", "qpu" or "divided" for all stages, or for each as in
 * "prediction=neon,residual=neon,intra=qpu,loop_filter=qpu"; NEON for those that are not named.
 * "divided" for all divides what can be, with the rest on the QPU.
 * How the command may say that the loop filter is run (":waves", ":200") is refused.
 * Errors: ARGUMENT for what is no plan, which changes nothing. Any thread. */
int sidecore_plan_parse(const char* text, struct sidecore_plan* plan);

/* A block of memory for a picture: rows and planes lie in it as stated here. The library writes
 * `size`; read no member beyond it. */
struct sidecore_memory_layout {
  size_t size;
  int width; /* in luma samples: of whole superblocks, multiples of 64 */
  int height;
  int chroma;       /* enum sidecore_chroma */
  int bits;         /* of a sample; more than 8 are in 16-bit words */
  size_t bytes;     /* of the block */
  size_t alignment; /* of the block's address, at least */
  size_t offset[3]; /* of each plane, in bytes; plane 0 is at 0 */
  size_t stride[3]; /* from a row to the next, in bytes */
};

/* Where pictures live. Blocks are used again for later pictures: a decoder asks for as many as it
 * keeps at a time (references, those in work, those the caller holds), and for others when the
 * stream's size changes. This structure does not grow. */
struct sidecore_allocator {
  void* cookie;
  /* A block, whose content does not matter; null when there is none, which costs the frame
   * (MEMORY). On the thread that calls sidecore_decoder_send(). */
  void* (*allocate)(void* cookie, const struct sidecore_memory_layout* layout);
  /* The decoder and all pictures are done with the block. On the thread that calls
   * sidecore_decoder_send(), _drain(), _flush() or _close(), or the last sidecore_picture_unref()
   * after _close(). */
  void (*release)(void* cookie, void* data);
};

struct sidecore_decoder_options {
  size_t size;
  struct sidecore_plan plan;
  int threads;   /* that decode, the caller's among them: 1 to 256; 0: one for each CPU */
  int low_delay; /* not 0: all pictures of a packet are there when send returns. Otherwise several
                    threads work on up to 4 frames, and pictures come so much later. */
  int hidden_frames; /* not 0: get_picture gives those too that the stream does not show, when they
                        are decoded, flagged SIDECORE_PICTURE_HIDDEN */
  int64_t max_luma_samples;            /* larger frames are refused (DATA); 0: 16384 * 16384 */
  struct sidecore_allocator allocator; /* null functions: the library's. Not with stages on the QPU,
                                          whose pictures live in the device's memory. */
  const char* device; /* of the QPU's stages: index, type or part of its name; null: the first GPU,
                         or a software device where there is none. Read by open alone. */
  sidecore_log_callback log; /* null: silence */
  void* log_cookie;
  int stage_times; /* not 0: the statistics have the stages' times. It costs two readings of the
                      clock a block. */
  const struct sidecore_vulkan_device* vulkan; /* of the QPU's stages, instead of `device`: the
                                                  caller's own. Null: the library opens one. */
  int last_layer; /* not 0: of the frames of a packet only the last is shown, if it is to be shown
                     at all; of spatial layers that is the largest. Otherwise all that the stream
                     shows. */
};

/* Makes a decoder; `options` may be null. On failure *decoder is null. Errors: ARGUMENT; DEVICE
 * when there is no such device or no thread; MEMORY. */
int sidecore_decoder_open(sidecore_decoder** decoder,
                          const struct sidecore_decoder_options* options);

/* Decodes a packet: a frame or a superframe, whose bytes are not needed afterwards. One of no bytes
 * is a frame that the encoder dropped, and shows nothing. `time_stamp`, in whatever unit, and
 * `cookie` are handed on to the pictures that this packet shows, which may be several or none; the
 * library does not use them.
 *
 * Errors: AGAIN when pictures wait: get them first, and send the packet again. ARGUMENT for null
 * and a size. DATA, MEMORY and DEVICE cost a frame, the rest of its packet, and frames in flight
 * behind it. The packet counts as taken: go on with the next one. Frames that would need what is
 * missing fail, or are decoded as well as may be and flagged SIDECORE_PICTURE_DAMAGED; all is well
 * from the next key frame on. Pictures from before the error can be got.
 *
 * After DEVICE, such as a GPU that was lost, the CPU does all stages, from the next key frame on:
 * it is not said a second time. Pictures from before stay, and keep the device;
 * sidecore_picture_get_vulkan() says ARGUMENT for those behind. */
int sidecore_decoder_send(sidecore_decoder* decoder, const void* data, size_t bytes,
                          int64_t time_stamp, void* cookie);

/* The next picture in display order, which is the caller's to unref. Errors: AGAIN when there is
 * none: send a packet, or drain. *picture is null then. */
int sidecore_decoder_get_picture(sidecore_decoder* decoder, sidecore_picture** picture);

/* Finishes all frames in work: at the end of the stream, or of a part of it. Packets may follow
 * that refer to what was before. Errors: as send, without AGAIN. */
int sidecore_decoder_drain(sidecore_decoder* decoder);

/* Drops all frames and pictures that have not been got, and all references: to go on elsewhere in
 * the stream, from a key frame. Errors: ARGUMENT. */
int sidecore_decoder_flush(sidecore_decoder* decoder);

/* What a decoder did since it was opened, but for frames in flight. Times are in nanoseconds, 0
 * unless stage_times asks for them: of what passed within send and drain. With several threads it
 * is divided between the stages as those threads' own time was. */
struct sidecore_decoder_statistics {
  size_t size;
  uint64_t frames;      /* decoded, shown or not */
  uint64_t shown;       /* earlier frames that were shown once more included */
  uint64_t submissions; /* of work to the QPU */
  uint64_t dispatches;  /* in these */
  int64_t parsing;      /* headers, symbols, dequantisation, adaptation */
  int64_t prediction;   /* of inter blocks */
  int64_t residual;     /* inverse transforms, added to the prediction */
  int64_t edges;        /* their derivation from the blocks, for the loop filter */
  int64_t loop_filter;
  int64_t other; /* superframes, pictures' memory, references, the QPU's programs */
  int64_t intra; /* prediction of intra blocks */
  /* Of stages that follow one another on the QPU, whose time nobody can divide between them:
   * writing down what they have to do, and waiting for it. Of a stage that shares no submission
   * with another both are in its own time above. */
  int64_t submission;
  int64_t waiting;
  uint64_t fence_waits; /* for submissions */
  /* The dispatches by stage; their sum is `dispatches`. */
  uint64_t prediction_dispatches;
  uint64_t residual_dispatches; /* of intra blocks too, where these are the QPU's */
  uint64_t intra_dispatches;
  uint64_t loop_filter_dispatches;
};

/* Fills *statistics. Errors: ARGUMENT. */
int sidecore_decoder_get_statistics(const sidecore_decoder* decoder,
                                    struct sidecore_decoder_statistics* statistics);

/* Null is allowed. Pictures that the caller holds stay as they are. */
void sidecore_decoder_close(sidecore_decoder* decoder);

/* color_space of the VP9 specification, section 7.2.2. */
enum sidecore_color_space {
  SIDECORE_COLOR_UNKNOWN = 0,
  SIDECORE_COLOR_BT601 = 1,
  SIDECORE_COLOR_BT709 = 2,
  SIDECORE_COLOR_SMPTE170 = 3,
  SIDECORE_COLOR_SMPTE240 = 4,
  SIDECORE_COLOR_BT2020 = 5,
  SIDECORE_COLOR_RESERVED = 6,
  SIDECORE_COLOR_RGB = 7 /* planes 0 to 2 are green, blue and red, all of the same size */
};

enum sidecore_picture_flag {
  SIDECORE_PICTURE_KEY = 1,      /* a key frame */
  SIDECORE_PICTURE_HIDDEN = 2,   /* the stream does not show it; see hidden_frames */
  SIDECORE_PICTURE_REPEATED = 4, /* an earlier frame that is shown once more, the same samples */
  SIDECORE_PICTURE_DAMAGED = 8   /* an error came before, and no key frame since: may be wrong */
};

struct sidecore_picture_info {
  size_t size;
  int width; /* in luma samples */
  int height;
  int render_width; /* what the stream says it should be shown at */
  int render_height;
  int chroma; /* enum sidecore_chroma */
  int bits; /* 8, 10 or 12. Samples of 8 bits are bytes, others 16-bit words in the machine's order,
               the value in the low bits. */
  int plane_width[3]; /* of Y, Cb and Cr, in samples of their own */
  int plane_height[3];
  const void* data[3]; /* the first row of each plane. data[0] is what the allocator gave. */
  ptrdiff_t stride[3]; /* from a row to the next, in bytes */
  int color_space;     /* enum sidecore_color_space */
  int full_range;      /* 0: the studio's range */
  unsigned flags;      /* of enum sidecore_picture_flag */
  int64_t time_stamp;  /* of the packet that had it shown */
  void* cookie;        /* likewise */
  /* The same as numbers of ITU-T H.273, which containers and players use; 2 where the stream does
   * not say. It names its matrix alone: primaries and transfer are those that belong to it in the
   * recommendation of that name. What a container says counts more. */
  int color_primaries;
  int color_transfer;
  int color_matrix;
  /* A pixel's width and height in lowest terms, if the picture is shown in the proportions of
   * render_width and render_height; 1 and 1 where these are the picture's own. A container that
   * states another aspect counts more. */
  int pixel_aspect_width;
  int pixel_aspect_height;
};

/* Pictures are counted references to samples that do not change. They may be used by any threads,
 * several at a time, and outlive their decoder. */

/* Fills *info, whose pointers are valid as long as the caller holds the picture. Errors: ARGUMENT.
 */
int sidecore_picture_get_info(const sidecore_picture* picture, struct sidecore_picture_info* info);

/* One more reference, to be given back by one more unref. Returns `picture`. */
sidecore_picture* sidecore_picture_ref(sidecore_picture* picture);

/* Gives a reference back. Null is allowed. */
void sidecore_picture_unref(sidecore_picture* picture);

#ifdef __cplusplus
}
#endif

#endif
