// Linked into every program of a build with the address sanitizer. The Vulkan loader unloads the
// drivers with the last instance; what a driver keeps for the life of the process in its own globals
// (lavapipe does) then counts as leaked, from an "unknown module" that no suppression can name. So
// libraries stay loaded, and the leaks of our own code are reported like any other.
extern "C" int dlclose(void* /*library*/) noexcept { return 0; }
