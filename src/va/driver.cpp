// The driver's one symbol, which libva calls: it fills libva's table of entries.
#include <va/va.h>
#include <va/va_backend.h>

#include <memory>
#include <new>

#include "base/error.h"
#include "va/display.h"

namespace sidecore::va {
namespace {

Display& display_of(VADriverContextP driver) {
  return *static_cast<Display*>(driver->pDriverData);
}

/// Writes a line to the display's log. If memory is short, the line is lost, and the status stays.
void tell(const Display& display, const char* text) noexcept {
  try {
    display.tell(text);
  } catch (...) {
  }
}

/// Returns the VAStatus for the exception that is being handled, and logs its message.
VAStatus status_of_thrown(const Display& display) noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    tell(display, refusal.what());
    return refusal.status();
  } catch (const Error& error) {
    tell(display, error.what());
    if (error.out_of_memory()) return VA_STATUS_ERROR_ALLOCATION_FAILED;
    return error.kind() == ErrorKind::usage ? VA_STATUS_ERROR_DECODING_ERROR
                                            : VA_STATUS_ERROR_OPERATION_FAILED;
  } catch (const std::bad_alloc&) {
    return VA_STATUS_ERROR_ALLOCATION_FAILED;
  } catch (const std::exception& error) {
    tell(display, error.what());
    return VA_STATUS_ERROR_OPERATION_FAILED;
  } catch (...) {
    return VA_STATUS_ERROR_OPERATION_FAILED;
  }
}

/// Makes an entry of libva's table from a function of Display. No exception reaches the player.
template <class Function>
struct EntryOf;
template <class... Arguments>
struct EntryOf<void (Display::*)(Arguments...)> {
  template <void (Display::*function)(Arguments...)>
  static VAStatus call(VADriverContextP driver, Arguments... arguments) noexcept {
    Display& display = display_of(driver);
    // Nothing is logged in a forked child, because there another thread may hold a lock of the log
    // for ever.
    if (!display.is_here()) return VA_STATUS_ERROR_OPERATION_FAILED;
    try {
      (display.*function)(arguments...);
      return VA_STATUS_SUCCESS;
    } catch (...) {
      return status_of_thrown(display);
    }
  }
};
template <auto function>
constexpr auto kEntry = &EntryOf<decltype(function)>::template call<function>;

/// An entry that libva requires and that the driver does not implement.
template <class... Arguments>
VAStatus refuse(VADriverContextP /*driver*/, Arguments... /*arguments*/) noexcept {
  return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus terminate(VADriverContextP driver) noexcept {
  if (display_of(driver).is_here()) delete static_cast<Display*>(driver->pDriverData);
  driver->pDriverData = nullptr;
  return VA_STATUS_SUCCESS;
}

void fill(VADriverVTable& table) {
  table.vaTerminate = terminate;

  table.vaQueryConfigProfiles = kEntry<&Display::query_profiles>;
  table.vaQueryConfigEntrypoints = kEntry<&Display::query_entry_points>;
  table.vaGetConfigAttributes = kEntry<&Display::get_config_attributes>;
  table.vaCreateConfig = kEntry<&Display::create_config>;
  table.vaDestroyConfig = kEntry<&Display::destroy_config>;
  table.vaQueryConfigAttributes = kEntry<&Display::query_config_attributes>;
  table.vaQuerySurfaceAttributes = kEntry<&Display::query_surface_attributes>;

  table.vaCreateSurfaces = kEntry<&Display::create_surfaces>;
  table.vaCreateSurfaces2 = kEntry<&Display::create_surfaces_with>;
  table.vaDestroySurfaces = kEntry<&Display::destroy_surfaces>;
  table.vaSyncSurface = kEntry<&Display::sync_surface>;
  table.vaSyncSurface2 = kEntry<&Display::sync_surface_for>;
  table.vaQuerySurfaceStatus = kEntry<&Display::query_surface_status>;
  table.vaQuerySurfaceError = kEntry<&Display::query_surface_error>;
  table.vaExportSurfaceHandle = kEntry<&Display::export_surface>;

  table.vaCreateContext = kEntry<&Display::create_context>;
  table.vaDestroyContext = kEntry<&Display::destroy_context>;
  table.vaBeginPicture = kEntry<&Display::begin_picture>;
  table.vaRenderPicture = kEntry<&Display::render_picture>;
  table.vaEndPicture = kEntry<&Display::end_picture>;

  table.vaCreateBuffer = kEntry<&Display::create_buffer>;
  table.vaBufferSetNumElements = kEntry<&Display::set_elements>;
  table.vaMapBuffer = kEntry<&Display::map_buffer>;
  table.vaUnmapBuffer = kEntry<&Display::unmap_buffer>;
  table.vaDestroyBuffer = kEntry<&Display::destroy_buffer>;
  table.vaBufferInfo = kEntry<&Display::buffer_info>;

  table.vaQueryImageFormats = kEntry<&Display::query_image_formats>;
  table.vaCreateImage = kEntry<&Display::create_image>;
  table.vaDeriveImage = kEntry<&Display::derive_image>;
  table.vaDestroyImage = kEntry<&Display::destroy_image>;
  table.vaGetImage = kEntry<&Display::get_image>;

  table.vaQuerySubpictureFormats = kEntry<&Display::query_subpicture_formats>;
  table.vaQueryDisplayAttributes = kEntry<&Display::query_display_attributes>;

  // These entries fail, because the driver does not draw to windows, upload images, or blend
  // subpictures.
  table.vaPutSurface = refuse;
  table.vaSetImagePalette = refuse;
  table.vaPutImage = refuse;
  table.vaCreateSubpicture = refuse;
  table.vaDestroySubpicture = refuse;
  table.vaSetSubpictureImage = refuse;
  table.vaSetSubpictureChromakey = refuse;
  table.vaSetSubpictureGlobalAlpha = refuse;
  table.vaAssociateSubpicture = refuse;
  table.vaDeassociateSubpicture = refuse;
  table.vaGetDisplayAttributes = refuse;
  table.vaSetDisplayAttributes = refuse;
  table.vaLockSurface = refuse;
  table.vaUnlockSurface = refuse;
}

}  // namespace
}  // namespace sidecore::va

/// Initialises the driver; all versions 1.x of libva look for this name. It must be cheap, because
/// players load a driver only to see its profiles.
extern "C" __attribute__((visibility("default"))) VAStatus __vaDriverInit_1_0(
    VADriverContextP driver) {
  using sidecore::va::Display;
  driver->pDriverData = new (std::nothrow) Display(driver);
  if (driver->pDriverData == nullptr) return VA_STATUS_ERROR_ALLOCATION_FAILED;
  driver->version_major = 1;
  driver->version_minor = 0;
  driver->max_profiles = Display::kProfiles;
  driver->max_entrypoints = Display::kEntryPoints;
  driver->max_attributes = Display::kAttributes;
  driver->max_image_formats = static_cast<int>(sidecore::va::image_formats().size());
  driver->max_subpic_formats = 1;  // 1, because libva rejects a driver with 0
  driver->max_display_attributes = 0;
  driver->str_vendor = "sidecore " SIDECORE_VERSION;
  sidecore::va::fill(*driver->vtable);
  return VA_STATUS_SUCCESS;
}
