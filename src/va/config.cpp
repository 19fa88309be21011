// Profiles, configs and their attributes, and the log.
#include <va/va_drmcommon.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "va/display.h"

namespace sidecore::va {
namespace {

constexpr std::array<VAProfile, Display::kProfiles> kVp9Profiles{VAProfileVP9Profile0,
                                                                 VAProfileVP9Profile2};

void require_profile(VAProfile profile) {
  require(std::ranges::find(kVp9Profiles, profile) != kVp9Profiles.end(),
          VA_STATUS_ERROR_UNSUPPORTED_PROFILE, "the profile must be VP9 profile 0 or 2");
}

void require_decoding(VAProfile profile, VAEntrypoint entry_point) {
  require_profile(profile);
  require(entry_point == VAEntrypointVLD, VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT,
          "the entry point must be VLD: the driver only decodes");
}

unsigned rt_formats_of(VAProfile profile) {
  return profile == VAProfileVP9Profile2 ? VA_RT_FORMAT_YUV420_10 | VA_RT_FORMAT_YUV420_12
                                         : VA_RT_FORMAT_YUV420;
}

std::array<VAConfigAttrib, Display::kAttributes> attributes_of(unsigned rt_formats) {
  constexpr auto kMax = static_cast<unsigned>(video::kMaxDimension);
  return {{{VAConfigAttribRTFormat, rt_formats},
           {VAConfigAttribMaxPictureWidth, kMax},
           {VAConfigAttribMaxPictureHeight, kMax}}};
}

VASurfaceAttrib integer(VASurfaceAttribType type, unsigned flags, int value) {
  VASurfaceAttrib attribute{};
  attribute.type = type;
  attribute.flags = flags;
  attribute.value.type = VAGenericValueTypeInteger;
  attribute.value.value.i = value;
  return attribute;
}

}  // namespace

void Display::query_profiles(VAProfile* profiles, int* count) {
  require_places(profiles, count);
  std::ranges::copy(kVp9Profiles, profiles);
  *count = kProfiles;
}

void Display::query_entry_points(VAProfile profile, VAEntrypoint* entry_points, int* count) {
  require_places(entry_points, count);
  require_profile(profile);
  entry_points[0] = VAEntrypointVLD;
  *count = kEntryPoints;
}

void Display::get_config_attributes(VAProfile profile, VAEntrypoint entry_point,
                                    VAConfigAttrib* attributes, int count) {
  require_decoding(profile, entry_point);
  const auto known = attributes_of(rt_formats_of(profile));
  for (VAConfigAttrib& asked : list_of(attributes, count)) {
    const auto* const found = std::ranges::find(known, asked.type, &VAConfigAttrib::type);
    asked.value = found == known.end() ? VA_ATTRIB_NOT_SUPPORTED : found->value;
  }
}

void Display::create_config(VAProfile profile, VAEntrypoint entry_point, VAConfigAttrib* attributes,
                            int count, VAConfigID* id) {
  require_places(id);
  require_decoding(profile, entry_point);
  unsigned rt_formats = rt_formats_of(profile);
  for (const VAConfigAttrib& asked : list_of(attributes, count)) {
    if (asked.type != VAConfigAttribRTFormat) continue;
    rt_formats &= asked.value;
    require(
        rt_formats != 0, VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT,
        "the render target format must be 4:2:0 with 8 bits in profile 0, 10 or 12 in profile 2");
  }
  *id = add(configs_, std::make_shared<Config>(Config{profile, rt_formats}));
}

void Display::destroy_config(VAConfigID id) {
  static_cast<void>(take(configs_, id, VA_STATUS_ERROR_INVALID_CONFIG));
}

void Display::query_config_attributes(VAConfigID id, VAProfile* profile, VAEntrypoint* entry_point,
                                      VAConfigAttrib* attributes, int* count) {
  require_places(profile, entry_point, attributes, count);
  const auto config = get(configs_, id, VA_STATUS_ERROR_INVALID_CONFIG);
  *profile = config->profile;
  *entry_point = VAEntrypointVLD;
  std::ranges::copy(attributes_of(config->rt_formats), attributes);
  *count = kAttributes;
}

// Players call this function twice: with a null list to get the number of attributes, then to get
// their values.
void Display::query_surface_attributes(VAConfigID id, VASurfaceAttrib* attributes,
                                       unsigned* count) {
  require_places(count);
  const auto config = get(configs_, id, VA_STATUS_ERROR_INVALID_CONFIG);
  constexpr unsigned kReadOnly = VA_SURFACE_ATTRIB_GETTABLE;
  constexpr unsigned kReadAndWrite = VA_SURFACE_ATTRIB_GETTABLE | VA_SURFACE_ATTRIB_SETTABLE;
  // The memory type says both how surfaces are made and how they can be exported. Players do not
  // distinguish these uses: GStreamer offers dma-bufs if the bit DRM_PRIME_2 is set, whatever the
  // flags. VASurfaceAttribExternalBufferDescriptor is missing, because foreign memory cannot become
  // a surface.
  const int exported = dma_heap() == nullptr ? 0 : VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2;
  const int memory = VA_SURFACE_ATTRIB_MEM_TYPE_VA | exported;
  std::vector known{integer(VASurfaceAttribMinWidth, kReadOnly, 1),
                    integer(VASurfaceAttribMaxWidth, kReadOnly, video::kMaxDimension),
                    integer(VASurfaceAttribMinHeight, kReadOnly, 1),
                    integer(VASurfaceAttribMaxHeight, kReadOnly, video::kMaxDimension),
                    integer(VASurfaceAttribMemoryType, kReadAndWrite, memory)};
  for (const int bits : {8, 10, 12}) {
    if (!config->takes(bits)) continue;
    known.push_back(integer(VASurfaceAttribPixelFormat, kReadAndWrite,
                            static_cast<int>(native_format(bits).fourcc)));
  }
  const unsigned room = *count;
  *count = static_cast<unsigned>(known.size());
  if (attributes == nullptr) return;
  require(room >= known.size(), VA_STATUS_ERROR_MAX_NUM_EXCEEDED,
          "the list has too little room for the surface attributes");
  std::ranges::copy(known, attributes);
}

void Display::query_subpicture_formats(VAImageFormat* /*formats*/, unsigned* /*flags*/,
                                       unsigned* count) {
  require_places(count);
  *count = 0;
}

void Display::query_display_attributes(VADisplayAttribute* /*attributes*/, int* count) {
  require_places(count);
  *count = 0;
}

void Display::tell(const std::string& line) const noexcept {
  log(driver_->info_callback, line);
}

void Display::complain(const std::string& line) const noexcept {
  log(driver_->error_callback, line);
}

void Display::log(void (*callback)(VADriverContextP, const char*),
                  const std::string& line) const noexcept {
  if (callback == nullptr) return;
  std::array<char, 1024> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "sidecore: %s\n", line.c_str()));
  callback(driver_, text.data());
}

}  // namespace sidecore::va
