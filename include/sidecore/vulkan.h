/* libsidecore: the QPU's stages on a Vulkan device of the caller's own, so that a player can show
 * what they decoded without a copy through the CPU. */
#ifndef SIDECORE_VULKAN_H
#define SIDECORE_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "decoder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What sidecore_decoder_options and sidecore_scorer_options take. The structure is read by open
 * alone. Instance, device and queue stay until the decoder or scorer is closed and all pictures are
 * let go; the library destroys none of them. Several decoders and scorers may share them. With
 * stages on the QPU open fails (ARGUMENT) for what is no device of the instance's, or a family
 * without VK_QUEUE_COMPUTE_BIT. */
struct sidecore_vulkan_device {
  size_t size;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* of the loader that made the instance; null:
                                                       of libvulkan.so.1 */
  VkInstance instance; /* made with an apiVersion of Vulkan 1.1 or later */
  VkPhysicalDevice physical_device;
  VkDevice device; /* of it; no feature and no extension has to be enabled */
  uint32_t queue_family;
  VkQueue queue; /* of that family */
  /* Called before and after the library gives the queue work, on whichever of its threads does: so
   * that nobody else uses the queue meanwhile. Null: nobody else does. They call no function of the
   * library. */
  void (*lock_queue)(void* cookie);
  void (*unlock_queue)(void* cookie);
  void* cookie;
};

/* Where a picture lies on the device. */
struct sidecore_vulkan_picture {
  size_t size;
  VkBuffer buffer; /* of several pictures. Its uses are VK_BUFFER_USAGE_STORAGE_BUFFER_BIT and
                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT, it belongs to the queue's family */
  VkDeviceSize offset[3]; /* of each plane, multiples of 256; rows are at the strides of
                             sidecore_picture_info */
};

/* Fills *place of a picture whose decoder has stages on the QPU. The samples are complete; commands
 * that read them need a memory barrier from VK_ACCESS_SHADER_WRITE_BIT |
 * VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_WRITE_BIT. Read nothing else of the buffer, write
 * nothing, and unref the picture only when the device has done with it.
 *
 * Errors: ARGUMENT; also where the device's memory does not have the samples: of a decoder without
 * stages on the QPU, and, on GPUs with memory of their own, of a picture whose last stage was the
 * CPU's, in whole or in part. Waits for nothing. */
int sidecore_picture_get_vulkan(const sidecore_picture* picture,
                                struct sidecore_vulkan_picture* place);

#ifdef __cplusplus
}
#endif

#endif
