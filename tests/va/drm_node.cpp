// A stand-in for libdrm's view of a display's node: any file is a render node of the kernel driver
// v3d, so that a driver can be loaded on a machine without a GPU. Linked into a test, or preloaded
// into a player.

extern "C" {

/// As libdrm declares it.
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
  constexpr int kRenderNode = 2;
  return kRenderNode;
}

DrmVersion* drmGetVersion(int /*fd*/) {
  static char name[] = "v3d";
  static char nothing[] = "";
  static DrmVersion version{1, 0, 0, 3, name, 0, nothing, 0, nothing};
  return &version;
}

void drmFreeVersion(DrmVersion* /*version*/) {}
}
