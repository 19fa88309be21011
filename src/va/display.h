// A display that a player has opened: the functions that the driver's entries call.
#pragma once

#include <va/va.h>
#include <va/va_backend.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/own_process.h"
#include "players/settings.h"
#include "va/dma_buf.h"
#include "va/objects.h"

namespace sidecore::va {

/// Any thread may call any function at any time, except that the calls for one picture
/// (BeginPicture to EndPicture) must follow each other. Functions throw Refusal, and Error for data
/// that cannot be decoded. No function waits while it holds the tables' mutex.
class Display {
 public:
  static constexpr int kProfiles = 2;
  static constexpr int kEntryPoints = 1;
  static constexpr int kAttributes = 3;

  explicit Display(VADriverContextP driver) : driver_(driver) {}

  // config.cpp
  void query_profiles(VAProfile* profiles, int* count);
  void query_entry_points(VAProfile profile, VAEntrypoint* entry_points, int* count);
  void get_config_attributes(VAProfile profile, VAEntrypoint entry_point,
                             VAConfigAttrib* attributes, int count);
  void create_config(VAProfile profile, VAEntrypoint entry_point, VAConfigAttrib* attributes,
                     int count, VAConfigID* id);
  void destroy_config(VAConfigID id);
  void query_config_attributes(VAConfigID id, VAProfile* profile, VAEntrypoint* entry_point,
                               VAConfigAttrib* attributes, int* count);
  void query_surface_attributes(VAConfigID id, VASurfaceAttrib* attributes, unsigned* count);

  // surfaces.cpp
  void create_surfaces(int width, int height, int rt_format, int count, VASurfaceID* ids);
  void create_surfaces_with(unsigned rt_format, unsigned width, unsigned height, VASurfaceID* ids,
                            unsigned count, VASurfaceAttrib* attributes, unsigned attribute_count);
  void destroy_surfaces(VASurfaceID* ids, int count);
  void sync_surface(VASurfaceID id);
  void sync_surface_for(VASurfaceID id, std::uint64_t nanoseconds);
  void query_surface_status(VASurfaceID id, VASurfaceStatus* status);
  void query_surface_error(VASurfaceID id, VAStatus error, void** errors);
  void export_surface(VASurfaceID id, std::uint32_t memory_type, std::uint32_t flags,
                      void* descriptor);

  // decoding.cpp
  void create_context(VAConfigID config, int width, int height, int flags, VASurfaceID* targets,
                      int target_count, VAContextID* id);
  void destroy_context(VAContextID id);
  void begin_picture(VAContextID id, VASurfaceID target);
  void render_picture(VAContextID id, VABufferID* buffers, int count);
  void end_picture(VAContextID id);

  // buffers.cpp
  void create_buffer(VAContextID context, VABufferType type, unsigned bytes, unsigned elements,
                     void* data, VABufferID* id);
  void set_elements(VABufferID id, unsigned elements);
  void map_buffer(VABufferID id, void** data);
  void unmap_buffer(VABufferID id);
  void destroy_buffer(VABufferID id);
  void buffer_info(VABufferID id, VABufferType* type, unsigned* bytes, unsigned* elements);
  void query_image_formats(VAImageFormat* formats, int* count);
  void create_image(VAImageFormat* format, int width, int height, VAImage* image);
  void derive_image(VASurfaceID id, VAImage* image);
  void destroy_image(VAImageID id);
  void get_image(VASurfaceID id, int x, int y, unsigned width, unsigned height, VAImageID image);

  // Functions that report 0, because the driver has no subpictures and no display attributes.
  void query_subpicture_formats(VAImageFormat* formats, unsigned* flags, unsigned* count);
  void query_display_attributes(VADisplayAttribute* attributes, int* count);

  /// Returns false in a child of the process that opened the display. In such a child all functions
  /// of the driver fail.
  [[nodiscard]] bool is_here() const { return process_.is_here(); }

  /// Writes a line to libva's log of information.
  void tell(const std::string& line) const noexcept;
  /// Writes a line to libva's log of errors.
  void complain(const std::string& line) const noexcept;

 private:
  void log(void (*callback)(VADriverContextP, const char*), const std::string& line) const noexcept;
  template <class Object>
  VAGenericID add(Table<Object>& table, std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    return table.add(std::move(object), next_id_);
  }
  /// Returns the object with this id. Throws Refusal if there is none.
  template <class Object>
  std::shared_ptr<Object> get(const Table<Object>& table, VAGenericID id, VAStatus status) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Object> object = table.find(id);
    require(object != nullptr, status,
            "the id is unknown: no object has it, or the object was destroyed");
    return object;
  }
  /// Removes the object with this id from its table and returns it. Throws Refusal if there is
  /// none.
  template <class Object>
  std::shared_ptr<Object> take(Table<Object>& table, VAGenericID id, VAStatus status) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Object> object = table.remove(id);
    require(object != nullptr, status,
            "the id is unknown: no object has it, or the object was destroyed");
    return object;
  }
  [[nodiscard]] std::shared_ptr<Surface> surface(VASurfaceID id);
  [[nodiscard]] std::shared_ptr<Context> context(VAContextID id);
  [[nodiscard]] std::shared_ptr<Buffer> buffer(VABufferID id);
  void add_surfaces(int width, int height, int bits, std::span<VASurfaceID> ids);
  void add_image(const ImageFormat& format, int width, int height, std::shared_ptr<Surface> surface,
                 VAImage& image);
  /// Opens a first stream before there is a picture for it; later calls do nothing. Throws Refusal
  /// if the settings' plan cannot be opened.
  void prepare_stream();
  /// Returns the prepared stream or a new stream, for a context whose first picture does not
  /// continue an existing stream. Throws Refusal if the settings' plan cannot be opened.
  [[nodiscard]] std::shared_ptr<Stream> begin_stream();
  /// Opens a stream. Throws Refusal if the settings' plan cannot be opened.
  [[nodiscard]] std::shared_ptr<Stream> new_stream();
  /// Returns the settings; the first call reads them.
  [[nodiscard]] const Settings& settings();
  /// Returns the heap for exported surfaces; the first call opens it. Null if there is none.
  [[nodiscard]] const DmaHeap* dma_heap();
  void submit(Context& context);
  /// Returns the bits per sample of the context's next picture.
  [[nodiscard]] int picture_bits(Context& context) const;
  /// Returns the next number in the order of pictures. Each picture takes one number, whether it is
  /// submitted or lost.
  [[nodiscard]] std::uint64_t next_number();

  VADriverContextP driver_;
  OwnProcess process_;
  std::mutex mutex_;  ///< guards the members up to spare_bytes_
  VAGenericID next_id_ = 1;
  Table<Config> configs_;
  Table<Surface> surfaces_;
  Table<Context> contexts_;
  Table<Buffer> buffers_;
  Table<Image> images_;
  std::uint64_t pictures_ = 0;  ///< number of pictures, submitted or lost
  /// Memory of the last destroyed image, kept for the next one. Players make an image for every
  /// picture, and fresh memory costs as much time as the copy into it.
  std::vector<std::byte> spare_bytes_;

  std::mutex settings_mutex_;  ///< guards the next three members, each of which is set only once
  std::optional<Settings> settings_;
  std::unique_ptr<DmaHeap> dma_heap_;
  std::optional<std::string>
      /// Reason why there is no heap; set once the heap has been searched for.
      missing_heap_reason_;

  std::mutex preparing_;      ///< guards the next two members; held while Vulkan opens a device
  bool plan_opened_ = false;  ///< true if a stream was opened with the settings' plan
  std::shared_ptr<Stream> prepared_;  ///< stream for the next context that needs one; may be null
};

}  // namespace sidecore::va
