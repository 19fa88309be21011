// What a client has opened: the functions behind the driver's entries.
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

/// All functions may be called by any threads at any time, but for the calls of one picture
/// (BeginPicture to EndPicture), which follow each other. They throw Refusal, and Error for data
/// that cannot be decoded. Nothing waits while it holds the tables' mutex.
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

  // No subpictures and no display attributes.
  void query_subpicture_formats(VAImageFormat* formats, unsigned* flags, unsigned* count);
  void query_display_attributes(VADisplayAttribute* attributes, int* count);

  /// Returns false in a child of the process that opened the display: nothing works there.
  [[nodiscard]] bool is_here() const { return process_.is_here(); }

  // Lines of the client's log.
  void tell(const std::string& line) const noexcept;
  void complain(const std::string& line) const noexcept;

 private:
  void log(void (*callback)(VADriverContextP, const char*), const std::string& line) const noexcept;
  template <class Object>
  VAGenericID add(Table<Object>& table, std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    return table.add(std::move(object), next_id_);
  }
  /// Throws Refusal when there is none.
  template <class Object>
  std::shared_ptr<Object> get(const Table<Object>& table, VAGenericID id, VAStatus status) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Object> object = table.find(id);
    require(object != nullptr, status, "there is no such id");
    return object;
  }
  /// As get(); the object may end with what is returned.
  template <class Object>
  std::shared_ptr<Object> take(Table<Object>& table, VAGenericID id, VAStatus status) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Object> object = table.remove(id);
    require(object != nullptr, status, "there is no such id");
    return object;
  }
  [[nodiscard]] std::shared_ptr<Surface> surface(VASurfaceID id);
  [[nodiscard]] std::shared_ptr<Context> context(VAContextID id);
  [[nodiscard]] std::shared_ptr<Buffer> buffer(VABufferID id);
  void add_surfaces(int width, int height, int bits, std::span<VASurfaceID> ids);
  void add_image(const ImageFormat& format, int width, int height, std::shared_ptr<Surface> surface,
                 VAImage& image);
  // These throw Refusal when the plan cannot be followed.
  /// Opens a first stream, before there is a picture for it; once.
  void prepare_stream();
  /// For a context whose first picture goes on with none.
  [[nodiscard]] std::shared_ptr<Stream> begin_stream();
  [[nodiscard]] std::shared_ptr<Stream> new_stream();
  /// Read by the first who asks.
  [[nodiscard]] const Settings& settings();
  /// Opened by the first who asks; null where surfaces cannot be exported.
  [[nodiscard]] const DmaHeap* dma_heap();
  void submit(Context& context);
  /// Bits of a sample of the context's next picture.
  [[nodiscard]] int picture_bits(Context& context) const;
  /// Rises from picture to picture, whether they are submitted or lost.
  [[nodiscard]] std::uint64_t next_number();

  VADriverContextP driver_;
  OwnProcess process_;
  std::mutex mutex_;  ///< of what follows
  VAGenericID next_id_ = 1;
  Table<Config> configs_;
  Table<Surface> surfaces_;
  Table<Context> contexts_;
  Table<Buffer> buffers_;
  Table<Image> images_;
  std::uint64_t pictures_ = 0;  ///< submitted or lost
  /// Of the last image that went: players make one for every picture, and fresh memory costs as
  /// much as the copy into it.
  std::vector<std::byte> spare_bytes_;

  // These do not change once they are there.
  std::mutex looking_;  ///< while they are not
  std::optional<Settings> settings_;
  std::unique_ptr<DmaHeap> dma_heap_;
  std::optional<std::string> no_dma_heap_;  ///< why; none before it was asked for

  std::mutex preparing_;              ///< of what follows; held while Vulkan opens a device
  bool followed_ = false;             ///< the plan has been, by some stream
  std::shared_ptr<Stream> prepared_;  ///< for the next that begins; may be null
};

}  // namespace sidecore::va
