# Toolchain for any 64-bit ARM board: ARMv8.0-A without optional instructions.
set(SIDECORE_PROCESSOR cortex-a72)
include(${CMAKE_CURRENT_LIST_DIR}/debian_arm64.cmake)
set(CMAKE_CXX_FLAGS_INIT "-march=armv8-a")
