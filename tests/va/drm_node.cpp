// A substitute for libdrm's functions about a display's node, to load a driver on a machine without
// a GPU. Any file counts as a render node of the kernel driver v3d, or with SIDECORE_DRM_NODE=vc4
// as that driver's primary node. It is linked into a test, or preloaded into a player.
#include <cstdlib>
#include <string_view>

namespace {

bool is_vc4() {
  const char* const name = std::getenv("SIDECORE_DRM_NODE");
  return name != nullptr && std::string_view(name) == "vc4";
}

}  // namespace

extern "C" {

/// Structure of libdrm, with the same members.
struct DrmVersion {
  int major, minor, patch;
  int name_length;
  char* name;
  int date_length;
  char* date;
  int description_length;
  char* description;
};

int drmGetNodeTypeFromFd(int /*fd*/) {
  constexpr int kPrimaryNode = 0;
  constexpr int kRenderNode = 2;
  return is_vc4() ? kPrimaryNode : kRenderNode;
}

DrmVersion* drmGetVersion(int /*fd*/) {
  static char v3d[] = "v3d";
  static char vc4[] = "vc4";
  static char nothing[] = "";
  static DrmVersion version{1, 0, 0, 3, nullptr, 0, nothing, 0, nothing};
  version.name = is_vc4() ? vc4 : v3d;
  return &version;
}

void drmFreeVersion(DrmVersion* /*version*/) {}

// libva 2.22 (Debian 13) authenticates with a primary node before it names a driver.
int drmGetMagic(int /*fd*/, unsigned* magic) {
  *magic = 1;
  return 0;
}
int drmAuthMagic(int /*fd*/, unsigned /*magic*/) {
  return 0;
}
}
