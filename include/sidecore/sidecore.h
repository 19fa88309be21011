/* libsidecore: version, errors and messages. docs/library.md shows how the parts are used.
 *
 * Rules of the whole library:
 *  - Functions that can fail return 0 (SIDECORE_OK) or a negative enum sidecore_error.
 *  - Structures that callers fill or have filled begin with `size`: set it to sizeof the structure
 *    and all other members to zero, then those that matter. Zero is the default of each. Later
 *    versions add members at the end; programs built before keep working.
 *  - An object is used by one thread at a time, whichever it is; different objects do not know of
 *    each other. Where more is allowed it is said there. No function may be called from a callback
 *    of the object that calls it.
 *  - fork() copies objects without their threads and their device. In the child, functions of a
 *    decoder or scorer that can fail return SIDECORE_ERROR_ARGUMENT. Closing one and letting a
 *    picture go does nothing there, and calls no allocator. The parent's objects go on, and the
 *    child may open its own.
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

/* The version of the library that runs, as in "0.1.0". */
const char* sidecore_version(void);

enum sidecore_error {
  SIDECORE_OK = 0,
  SIDECORE_ERROR_AGAIN = -1,    /* not now: the function says what has to be done first */
  SIDECORE_ERROR_ARGUMENT = -2, /* the caller's mistake; nothing was changed */
  SIDECORE_ERROR_DATA = -3,     /* what was to be decoded is damaged or not supported */
  SIDECORE_ERROR_MEMORY = -4,   /* there is none left, or the caller's allocator had none */
  SIDECORE_ERROR_DEVICE = -5,   /* this machine lacks something, or broke: driver, GPU, threads */
  SIDECORE_ERROR_INTERNAL = -6  /* a mistake in the library */
};

/* What a code means, in a few words; a text for every number. Lives as long as the program. */
const char* sidecore_error_text(int error);

/* What went wrong in detail, in one line: of the calling thread's last call that failed with
 * another error than SIDECORE_ERROR_AGAIN. Empty before. Valid until this thread's next failure. */
const char* sidecore_last_error(void);

enum sidecore_log_level {
  SIDECORE_LOG_ERROR = 0, /* what sidecore_last_error() says, as it happens */
  SIDECORE_LOG_INFO = 1   /* what was opened, such as the GPU's name */
};

/* Gets messages of one line without a newline, valid during the call, on the thread that called the
 * library. */
typedef void (*sidecore_log_callback)(void* cookie, int level, const char* message);

/* Who computes something. */
enum sidecore_processor {
  SIDECORE_PROCESSOR_DEFAULT = 0, /* NEON */
  SIDECORE_PROCESSOR_SCALAR = 1,  /* plain C++, the definition of the results */
  SIDECORE_PROCESSOR_NEON = 2,    /* off ARM the same code, translated for that CPU */
  SIDECORE_PROCESSOR_QPU = 3,     /* the GPU, through Vulkan */
  /* Both at the same time. Of prediction and residual the QPU takes the last rows of superblocks
   * and NEON the others, by their rates. Of the loop filter, where the QPU has nothing else, it
   * takes luma's large levels, and NEON chroma and the rest. Not for intra. */
  SIDECORE_PROCESSOR_DIVIDED = 4
};

/* A Vulkan device of the caller's own: vulkan.h. */
struct sidecore_vulkan_device;

enum sidecore_chroma {
  SIDECORE_CHROMA_400 = 0, /* luma alone */
  SIDECORE_CHROMA_420 = 1,
  SIDECORE_CHROMA_422 = 2, /* half as wide as luma */
  SIDECORE_CHROMA_444 = 3,
  SIDECORE_CHROMA_440 = 4 /* half as high as luma; decoders give it, metrics do not take it */
};

#ifdef __cplusplus
}
#endif

#endif
