#include "libav/api.h"

#include <dlfcn.h>

#include "base/error.h"

namespace sidecore::libav {

// Libraries stay open until the process ends. To open one again only counts its uses.
void* find_function(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  void* const address = handle != nullptr ? dlsym(handle, name) : nullptr;
  if (address == nullptr) {
    throw environment_error("{} is needed and cannot be used: {}", library, dlerror());
  }
  return address;
}

}  // namespace sidecore::libav
