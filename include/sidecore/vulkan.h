/* libsidecore on a Vulkan device that the caller owns. The QPU's stages run on it, so that a player
 * can show the decoded pictures without a copy through the CPU. */
#ifndef SIDECORE_VULKAN_H
#define SIDECORE_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "decoder.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The caller's Vulkan device for sidecore_decoder_options and sidecore_scorer_options. Only open
 * reads the structure. Instance, device and queue must exist until the decoder or scorer is closed
 * and all its pictures are released; the library destroys none of them. Several decoders and
 * scorers may share them. If the QPU is used, open fails with ARGUMENT for a physical device that
 * is not the instance's, or a queue family without VK_QUEUE_COMPUTE_BIT. */
struct sidecore_vulkan_device {
  size_t size;
  PFN_vkGetInstanceProcAddr get_instance_proc_addr; /* function of the loader that made the
                                                       instance; null: that of libvulkan.so.1 */
  VkInstance instance; /* made with an apiVersion of Vulkan 1.1 or later */
  VkPhysicalDevice physical_device;
  VkDevice device; /* made from physical_device; the library needs no feature or extension */
  uint32_t queue_family;
  VkQueue queue; /* queue of the family queue_family */
  /* The library calls these before and after it gives the queue work, on any of its threads. They
   * must keep other users from the queue meanwhile, and must not call the library. Null: only the
   * library uses the queue. Set both or neither. */
  void (*lock_queue)(void* cookie);
  void (*unlock_queue)(void* cookie);
  void* cookie;
};

/* Location of a picture in device memory. */
struct sidecore_vulkan_picture {
  size_t size;
  VkBuffer buffer; /* buffer that may hold several pictures. It has the usages STORAGE_BUFFER and
                      TRANSFER_SRC, and belongs to the family of the caller's queue. */
  VkDeviceSize offset[3]; /* start of each plane in bytes, a multiple of 256; the strides are in
                             sidecore_picture_info */
};

/* Fills *place for a picture whose decoder uses the QPU. The samples are complete; commands that
 * read them need a memory barrier from VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
 * VK_ACCESS_HOST_WRITE_BIT. The caller must not read other parts of the buffer or write to it, and
 * must unref the picture only after the device has finished reading it.
 *
 * Errors: ARGUMENT, also if device memory does not hold the samples. That is the case for a decoder
 * without stages on the QPU. On GPUs with their own memory, it is also the case for a picture whose
 * last stage ran on the CPU, in whole or in part. The function does not wait. */
int sidecore_picture_get_vulkan(const sidecore_picture* picture,
                                struct sidecore_vulkan_picture* place);

#ifdef __cplusplus
}
#endif

#endif
