// The functions of FFmpeg's libraries that sidecore calls, loaded when they are needed.
//
// These libraries are linked with more than a hundred others. The dynamic linker needs tens of
// milliseconds and megabytes for them, but Y4M, IVF and most commands need none of them. So nothing
// is linked with them; a library is opened when one of its functions is called for the first time.
// The headers are those of the build, and so are the version numbers in the libraries' names.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/log.h>
#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
}

#include <atomic>
#include <cstddef>

namespace sidecore::libav {

/// File names of the libraries.
inline constexpr const char* kAvUtil = "libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR);
inline constexpr const char* kAvCodec = "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR);
inline constexpr const char* kAvFormat = "libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR);

/// Opens a library if it is not open yet, and returns the address of a function in it. Throws Error
/// (environment) if either is missing.
[[nodiscard]] void* find_function(const char* library, const char* name);

/// A function of a library; calls can be made by several threads. Throws as find_function() does.
template <class Signature>
class Function;
template <class Result, class... Arguments>
class Function<Result(Arguments...)> {
 public:
  constexpr Function(const char* library, const char* name) : library_(library), name_(name) {}

  Result operator()(Arguments... arguments) const {
    Address address = address_.load(std::memory_order_acquire);
    if (address == nullptr) {
      address = reinterpret_cast<Address>(find_function(library_, name_));
      address_.store(address, std::memory_order_release);
    }
    return address(arguments...);
  }

 private:
  using Address = Result (*)(Arguments...);

  const char* library_;
  const char* name_;
  mutable std::atomic<Address> address_ = nullptr;
};

// In this namespace these names hide the functions that the libraries' headers declare.
// NOLINTBEGIN(bugprone-macro-parentheses): the name that a declaration gives
#define SIDECORE_LIBAV_FUNCTION(library, name)             \
  inline constinit const Function<decltype(::name)> name { \
    library, #name                                         \
  }
// NOLINTEND(bugprone-macro-parentheses)
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_dict_free);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_dict_get);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_dict_set);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_frame_alloc);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_frame_free);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_free);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_freep);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_log_set_callback);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_md5_alloc);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_md5_final);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_md5_init);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_md5_update);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_pix_fmt_desc_get);
SIDECORE_LIBAV_FUNCTION(kAvUtil, av_strerror);
SIDECORE_LIBAV_FUNCTION(kAvCodec, av_packet_alloc);
SIDECORE_LIBAV_FUNCTION(kAvCodec, av_packet_free);
SIDECORE_LIBAV_FUNCTION(kAvCodec, av_packet_get_side_data);
SIDECORE_LIBAV_FUNCTION(kAvCodec, av_packet_unref);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_alloc_context3);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_free_context);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_get_name);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_open2);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_parameters_to_context);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_receive_frame);
SIDECORE_LIBAV_FUNCTION(kAvCodec, avcodec_send_packet);
SIDECORE_LIBAV_FUNCTION(kAvFormat, av_find_best_stream);
SIDECORE_LIBAV_FUNCTION(kAvFormat, av_guess_frame_rate);
SIDECORE_LIBAV_FUNCTION(kAvFormat, av_guess_sample_aspect_ratio);
SIDECORE_LIBAV_FUNCTION(kAvFormat, av_read_frame);
SIDECORE_LIBAV_FUNCTION(kAvFormat, avformat_alloc_context);
SIDECORE_LIBAV_FUNCTION(kAvFormat, avformat_close_input);
SIDECORE_LIBAV_FUNCTION(kAvFormat, avformat_find_stream_info);
SIDECORE_LIBAV_FUNCTION(kAvFormat, avformat_open_input);
SIDECORE_LIBAV_FUNCTION(kAvFormat, avio_alloc_context);
SIDECORE_LIBAV_FUNCTION(kAvFormat, avio_context_free);
#undef SIDECORE_LIBAV_FUNCTION
/// Attributes of the declaration cannot be part of a type.
inline constinit const Function<void*(std::size_t)> av_malloc{kAvUtil, "av_malloc"};

}  // namespace sidecore::libav
