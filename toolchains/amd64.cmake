# x86-64 against another release's libraries, which scripts/sysroot unpacks: this machine's compiler and C library, those
# libraries. Not a cross build: what is made runs here where its libraries do.
if(NOT EXISTS ${SIDECORE_SYSROOT}/.stamp)
  message(FATAL_ERROR "No sysroot at '${SIDECORE_SYSROOT}': run scripts/sysroot --architecture amd64")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SIDECORE_SYSROOT)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)

# Libraries of the libraries want a later C library than the compiler's.
set(_libraries ${SIDECORE_SYSROOT}/usr/lib/x86_64-linux-gnu)
set(_link "-Wl,-rpath-link,${_libraries} -Wl,--allow-shlib-undefined")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${_link}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${_link}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${_link}")

# Programs (glslangValidator, spirv-opt ...) are this machine's; everything that is linked lies in the sysroot.
set(CMAKE_FIND_ROOT_PATH ${SIDECORE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR} "${_libraries}/pkgconfig:${SIDECORE_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SIDECORE_SYSROOT})
