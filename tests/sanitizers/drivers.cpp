// Linked into every program of a build with a sanitizer. Vulkan drivers and layers are not
// instrumented: what they leak, and the locks that the thread sanitizer cannot see in them, are not
// this project's. A suppression matches a library by name, so libraries have to stay loaded until
// the report; unloaded with the last Vulkan instance, they would be an "unknown module", and what
// they keep in their own globals for the life of the process (lavapipe does) would count as leaked.
extern "C" {

int dlclose(void* library);
const char* __lsan_default_suppressions();
const char* __tsan_default_suppressions();

int dlclose(void* /*library*/) {
  return 0;
}

const char* __lsan_default_suppressions() {
  return "leak:libvulkan_\n"
         "leak:libVkLayer_\n"
         "leak:libLLVM\n";
}

const char* __tsan_default_suppressions() {
  return "called_from_lib:libvulkan_lvp.so\n"
         "called_from_lib:libLLVM\n"
         "called_from_lib:libVkLayer_khronos_validation.so\n";
}

}  // extern "C"
