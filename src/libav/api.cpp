#include "libav/api.h"

#include <dlfcn.h>

#include <string>

#include "base/error.h"

namespace sidecore::libav {

// Libraries stay open until the process ends. To open one again only counts its uses.
void* find_function(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  void* const address = handle != nullptr ? dlsym(handle, name) : nullptr;
  if (address == nullptr) {
    std::string package = library;  // Debian names a library's package after its SONAME
    package.erase(package.find(".so."), 4);
    throw environment_error(
        "a library of FFmpeg is needed and cannot be loaded: {}; sudo apt install {}", dlerror(),
        package);
  }
  return address;
}

}  // namespace sidecore::libav
