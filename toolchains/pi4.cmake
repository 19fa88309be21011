# Toolchain for the Raspberry Pi 4: four Cortex-A72, ARMv8.0-A without the cryptographic instructions.
set(SIDECORE_PROCESSOR cortex-a72)
include(${CMAKE_CURRENT_LIST_DIR}/debian_arm64.cmake)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a72")
