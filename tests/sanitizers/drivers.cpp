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
  return "leak:libvulkan\n"  // the loader and every driver
         "leak:libVkLayer_\n"
         "leak:libLLVM\n";
}

const char* __tsan_default_suppressions() {
  return "called_from_lib:libvulkan_lvp.so\n"
         "called_from_lib:libLLVM\n"
         "called_from_lib:libVkLayer_khronos_validation.so\n"
         // LLVM announces the code it has compiled under a lock of libgcc's that is then taken, in
         // plain sight, by every throw.
         "mutex:__register_frame_info\n"
         "mutex:_Unwind_Find_FDE\n"
         // FFmpeg's frame threads hand pictures over by atomics that are not instrumented.
         "race:libavcodec.so\n"
         "race:libavutil.so\n";
}

}  // extern "C"
