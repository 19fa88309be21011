# Finds FFmpeg's libavformat, libavcodec and libavutil through their pkg-config files.
find_package(PkgConfig REQUIRED)
pkg_check_modules(Libav IMPORTED_TARGET libavformat libavcodec libavutil)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libav REQUIRED_VARS Libav_LINK_LIBRARIES)
