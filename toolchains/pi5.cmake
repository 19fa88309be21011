# Toolchain for the Raspberry Pi 5: four Cortex-A76, ARMv8.2-A.
set(SIDECORE_PROCESSOR cortex-a76)
include(${CMAKE_CURRENT_LIST_DIR}/debian_arm64.cmake)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a76")
