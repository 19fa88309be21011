# Settings that the 64-bit ARM toolchains share: Debian's cross compiler, the sysroot of scripts/sysroot, and qemu to run
# the programs. Toolchain files include this file; do not use it directly.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

# The sysroot is the value of -DSIDECORE_SYSROOT, else of the environment variable, else the default folder of
# scripts/sysroot.
if(NOT SIDECORE_SYSROOT)
  if(DEFINED ENV{SIDECORE_SYSROOT})
    set(SIDECORE_SYSROOT $ENV{SIDECORE_SYSROOT})
  else()
    cmake_path(SET SIDECORE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-arm64)
  endif()
endif()
if(NOT EXISTS ${SIDECORE_SYSROOT}/.stamp)
  message(FATAL_ERROR "No ARM sysroot at ${SIDECORE_SYSROOT}: run scripts/sysroot")
endif()
set(CMAKE_SYSROOT ${SIDECORE_SYSROOT})
# try_compile() reads the toolchain file again without the cache, so this variable is passed on to it.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SIDECORE_SYSROOT)

# The compiler is gcc 12 on every release of Debian (scripts/packages, section [cross]).
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# The linker searches dependencies of libraries only in its own directories, so the sysroot's directory is named.
set(_libraries ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(_rpath_link "-Wl,-rpath-link,${_libraries}:${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
# In a sysroot of a later Debian release, libraries need a later C library than the compiler's.
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include/features.h)
  string(APPEND _rpath_link " -Wl,--allow-shlib-undefined")
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT "${_rpath_link}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${_rpath_link}")

# Programs (glslangValidator, spirv-opt ...) are found on this machine, and libraries and headers only in the sysroot.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR} "${_libraries}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})

find_program(QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
if(QEMU_AARCH64)
  # The emulator emulates the board's processor, so that an instruction that the board lacks ends the program. The
  # emulator's default processor has more instructions than any board.
  set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU_AARCH64} -cpu ${SIDECORE_PROCESSOR} -L ${CMAKE_SYSROOT})
endif()
