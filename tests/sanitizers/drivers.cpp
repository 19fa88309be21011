// Suppressions for every program of a build with a sanitizer. Vulkan drivers, layers and FFmpeg are
// not instrumented, and their leaks and invisible locks are not faults of this project. A
// suppression matches a library by name, so libraries must stay loaded until the report. After
// unloading they would be an "unknown module", and memory that their globals keep (as in lavapipe)
// would count as leaked.
extern "C" {

int dlclose(void* library);
const char* __lsan_default_suppressions();
const char* __tsan_default_suppressions();

int dlclose(void* /*library*/) {
  return 0;
}

const char* __lsan_default_suppressions() {
  return "leak:libvulkan\n"  // covers the loader and, because it loads them, every driver
         "leak:libVkLayer_\n"
         "leak:libLLVM\n";
}

const char* __tsan_default_suppressions() {
  return "called_from_lib:libvulkan_lvp.so\n"
         "called_from_lib:libLLVM\n"
         "called_from_lib:libVkLayer_khronos_validation.so\n"
         // LLVM registers the code it has compiled under a lock of libgcc. The sanitizer ignores
         // what LLVM does, but sees each throw take the same lock.
         "mutex:__register_frame_info\n"
         "mutex:_Unwind_Find_FDE\n"
         // The threads of FFmpeg's decoder exchange pictures with atomics that are not
         // instrumented.
         "race:libavcodec.so\n"
         "race:libavutil.so\n";
}

}  // extern "C"
