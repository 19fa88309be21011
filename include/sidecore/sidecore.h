/* libsidecore: version, errors and messages. docs/library.md shows how the parts are used.
 *
 * Rules of the whole library:
 *  - Functions that can fail return 0 (SIDECORE_OK) or a negative enum sidecore_error.
 *  - Most structures begin with `size`. Set it to sizeof the structure, set all other members to
 *    zero, then set those that you need. Zero is the default of each member. Later versions add
 *    members at the end, and programs built earlier keep working.
 *  - Only one thread at a time may use an object, but it may be a different thread each time.
 *    Different objects are independent. A function's comment says where more is allowed. A callback
 *    must not call functions of the object that calls it.
 *  - fork() copies objects without their threads and their device. In the child, functions of a
 *    decoder or scorer that can fail return SIDECORE_ERROR_ARGUMENT. Closing an object or
 *    releasing a picture does nothing there, and calls no allocator. The parent's objects keep
 *    working, and the child may open its own.
 */
#ifndef SIDECORE_SIDECORE_H
#define SIDECORE_SIDECORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIDECORE_VERSION_MAJOR 0
#define SIDECORE_VERSION_MINOR 1
#define SIDECORE_VERSION_PATCH 0

/* Returns the version of the library that runs, for example "0.1.0". */
const char* sidecore_version(void);

enum sidecore_error {
  SIDECORE_OK = 0,
  SIDECORE_ERROR_AGAIN = -1,    /* another call must come first; the function's comment names it */
  SIDECORE_ERROR_ARGUMENT = -2, /* the caller's mistake; nothing was changed */
  SIDECORE_ERROR_DATA = -3,     /* the packet is damaged or not supported */
  SIDECORE_ERROR_MEMORY = -4,   /* no memory is left, or the caller's allocator returned null */
  SIDECORE_ERROR_DEVICE = -5,   /* a driver, GPU or thread is missing or failed */
  SIDECORE_ERROR_INTERNAL = -6  /* the library has a defect */
};

/* Returns the meaning of an error code in a few words; every number has a text. The text is valid
 * as long as the program runs. */
const char* sidecore_error_text(int error);

/* Returns one line that says in detail why the calling thread's last failed call failed.
 * SIDECORE_ERROR_AGAIN does not count as a failure here. The text is empty before the first
 * failure, and valid until this thread's next failure. */
const char* sidecore_last_error(void);

enum sidecore_log_level {
  SIDECORE_LOG_ERROR = 0, /* the text of sidecore_last_error(), when the error happens */
  SIDECORE_LOG_INFO = 1   /* facts about what was opened, such as the GPU's name */
};

/* Receives one line without a newline; `message` is valid only during the call. It runs on the
 * thread that called the library. `level` is an enum sidecore_log_level. */
typedef void (*sidecore_log_callback)(void* cookie, int level, const char* message);

/* The processor that runs a stage of the decoder, or computes the metrics. */
enum sidecore_processor {
  SIDECORE_PROCESSOR_DEFAULT = 0, /* NEON */
  SIDECORE_PROCESSOR_SCALAR = 1,  /* plain C++, which defines the results */
  SIDECORE_PROCESSOR_NEON = 2,    /* NEON code, translated for CPUs that are not ARM */
  SIDECORE_PROCESSOR_QPU = 3,     /* the GPU, through Vulkan */
  /* QPU and NEON at the same time. In prediction and residual the QPU takes the last rows of
   * superblocks and NEON takes the others; their rates decide how many. The loop
   * filter can be divided if no other stage uses the QPU: then the QPU filters luma's large
   * dependency levels, and NEON filters the rest, including chroma. Intra prediction and metrics do
   * not accept this value. */
  SIDECORE_PROCESSOR_DIVIDED = 4
};

/* A Vulkan device that the caller owns; vulkan.h defines the structure. */
struct sidecore_vulkan_device;

enum sidecore_chroma {
  SIDECORE_CHROMA_400 = 0, /* luma only */
  SIDECORE_CHROMA_420 = 1, /* half as wide and half as high as luma */
  SIDECORE_CHROMA_422 = 2, /* half as wide as luma */
  SIDECORE_CHROMA_444 = 3, /* the same size as luma */
  SIDECORE_CHROMA_440 = 4  /* half as high as luma; decoders produce it, metrics reject it */
};

#ifdef __cplusplus
}
#endif

#endif
