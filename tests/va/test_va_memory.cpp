// Tests of the VA-API driver when memory is exhausted. From some allocation of a player's run on,
// all allocations fail. Then each call must report it, and the player must be able to continue, to
// destroy its objects and to start again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <va/va_drm.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "environment_variable.h"
#include "failing_memory.h"
#include "va/player.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::Failing;
using test::kAllSucceeded;
using test::kRefused;
using Variable = test::EnvironmentVariable;

// Exit codes of a test process, in addition to those of tests/failing_memory.h.
constexpr int kLeaked = 3;
constexpr int kWrongAfterwards = 4;

constexpr const char* kStream = "size-16x16";
constexpr std::size_t kFrames = 3;
constexpr int kSize = 16;

struct Frame {
  Bytes data;
  vp9::FrameHeader header;
};

std::vector<Frame> beginning_of_the_stream() {
  vp9::HeaderContext context;
  std::vector<Frame> frames;
  for (const Bytes& data : test::frames_of(kStream)) {
    if (frames.size() == kFrames) break;
    frames.push_back({data, vp9::parse_frame_header(data, context)});
    context.keep(frames.back().header);
  }
  return frames;
}

/// A player that ignores errors and also uses invalid ids. It allocates no memory with C++.
class Client {
 public:
  /// Makes all calls from vaInitialize() to vaTerminate(). Returns kAllSucceeded, kRefused, or
  /// kOtherError plus a status that lack of memory does not explain.
  int live(const std::vector<Frame>& frames) {
    const int node = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    display_ = vaGetDisplayDRM(node);
    const VAMessageCallback silence = [](void* /*nothing*/, const char* /*line*/) {};
    vaSetErrorCallback(display_, silence, nullptr);
    vaSetInfoCallback(display_, silence, nullptr);
    int major = 0;
    int minor = 0;
    const VAStatus opened = vaInitialize(display_, &major, &minor);
    expect(opened);
    if (opened == VA_STATUS_SUCCESS) use(frames);
    expect(vaTerminate(display_));
    ::close(node);
    return outcome_;
  }

 private:
  /// Checks a status. After a call that failed without memory, dependent calls may fail, too.
  void expect(VAStatus status, VAStatus expected = VA_STATUS_SUCCESS) {
    if (status == expected || outcome_ > kRefused) return;
    const bool explained = outcome_ == kRefused || status == VA_STATUS_ERROR_ALLOCATION_FAILED;
    outcome_ = explained ? kRefused : test::kOtherError + status;
  }

  void use(const std::vector<Frame>& frames) {
    std::array<VASurfaceAttrib, 16> attributes{};
    unsigned count = attributes.size();
    VAConfigID config = VA_INVALID_ID;
    expect(vaCreateConfig(display_, VAProfileVP9Profile0, VAEntrypointVLD, nullptr, 0, &config));
    expect(vaQuerySurfaceAttributes(display_, config, attributes.data(), &count));
    expect(vaCreateSurfaces(display_, VA_RT_FORMAT_YUV420, kSize, kSize, surfaces_.data(),
                            static_cast<unsigned>(surfaces_.size()), nullptr, 0));
    expect(vaCreateContext(display_, config, kSize, kSize, VA_PROGRESSIVE, nullptr, 0, &context_));
    for (std::size_t index = 0; index < frames.size(); ++index) {
      decode(frames[index], frames[index].data.size(), surfaces_.at(index));
      read(surfaces_.at(index));
    }
    make_mistakes(frames.back());
    export_surface(surfaces_.front());
    expect(vaDestroyContext(display_, context_));
    expect(vaDestroySurfaces(display_, surfaces_.data(), static_cast<int>(surfaces_.size())));
    expect(vaDestroyConfig(display_, config));
  }

  /// Makes calls with mistakes. The driver rejects each one and logs a line.
  void make_mistakes(const Frame& frame) {
    VASurfaceStatus state{};
    VAContextID none = VA_INVALID_ID;
    expect(vaQuerySurfaceStatus(display_, VA_INVALID_SURFACE, &state),
           VA_STATUS_ERROR_INVALID_SURFACE);
    expect(vaEndPicture(display_, context_), VA_STATUS_ERROR_OPERATION_FAILED);
    expect(
        vaCreateContext(display_, VA_INVALID_ID, kSize, kSize, VA_PROGRESSIVE, nullptr, 0, &none),
        VA_STATUS_ERROR_INVALID_CONFIG);
    decode(frame, 10, surfaces_.back(), VA_STATUS_ERROR_DECODING_ERROR);
  }

  void decode(const Frame& frame, std::size_t bytes, VASurfaceID target,
              VAStatus expected = VA_STATUS_SUCCESS) {
    VADecPictureParameterBufferVP9 picture{};
    picture.frame_width = kSize;
    picture.frame_height = kSize;
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      picture.reference_frames[slot] = slots_.at(slot);
    }
    picture.pic_fields.bits.frame_type = frame.header.key_frame ? 0 : 1;
    picture.bit_depth = 8;
    VASliceParameterBufferVP9 slice{};
    slice.slice_data_size = static_cast<std::uint32_t>(bytes);
    expect(vaBeginPicture(display_, context_, target));
    render(VAPictureParameterBufferType, &picture, sizeof picture);
    render(VASliceParameterBufferType, &slice, sizeof slice);
    render(VASliceDataBufferType, frame.data.data(), bytes);
    expect(vaEndPicture(display_, context_), expected);
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if ((frame.header.refresh_slots >> slot & 1) != 0) slots_.at(slot) = target;
    }
  }

  void render(VABufferType type, const void* data, std::size_t bytes) {
    VABufferID id = VA_INVALID_ID;
    expect(vaCreateBuffer(display_, context_, type, static_cast<unsigned>(bytes), 1,
                          const_cast<void*>(data), &id));
    expect(vaRenderPicture(display_, context_, &id, 1));
    expect(vaDestroyBuffer(display_, id));
  }

  void read(VASurfaceID surface) {
    expect(vaSyncSurface(display_, surface));
    VAImageFormat format{};
    format.fourcc = VA_FOURCC_NV12;
    VAImage image{};
    expect(vaCreateImage(display_, &format, kSize, kSize, &image));
    expect(vaGetImage(display_, surface, 0, 0, kSize, kSize, image.image_id));
    look_at(image);
    image = {};
    expect(vaDeriveImage(display_, surface, &image));
    look_at(image);
    void* errors = nullptr;
    expect(vaQuerySurfaceError(display_, surface, VA_STATUS_ERROR_DECODING_ERROR, &errors));
  }

  void look_at(const VAImage& image) {
    void* data = nullptr;
    expect(vaMapBuffer(display_, image.buf, &data));
    expect(vaUnmapBuffer(display_, image.buf));
    expect(vaDestroyImage(display_, image.image_id));
  }

  void export_surface(VASurfaceID surface) {
    VADRMPRIMESurfaceDescriptor descriptor{};
    descriptor.objects[0].fd = -1;
    expect(vaExportSurfaceHandle(display_, surface, VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2,
                                 VA_EXPORT_SURFACE_READ_ONLY | VA_EXPORT_SURFACE_SEPARATE_LAYERS,
                                 &descriptor));
    ::close(descriptor.objects[0].fd);
  }

  VADisplay display_ = nullptr;
  VAContextID context_ = VA_INVALID_ID;
  std::array<VASurfaceID, kFrames> surfaces_{VA_INVALID_SURFACE, VA_INVALID_SURFACE,
                                             VA_INVALID_SURFACE};
  std::array<VASurfaceID, 8> slots_{VA_INVALID_SURFACE, VA_INVALID_SURFACE, VA_INVALID_SURFACE,
                                    VA_INVALID_SURFACE, VA_INVALID_SURFACE, VA_INVALID_SURFACE,
                                    VA_INVALID_SURFACE, VA_INVALID_SURFACE};
  int outcome_ = kAllSucceeded;
};

class VaMemory : public ::testing::Test {
 protected:
  const Variable drivers_{"LIBVA_DRIVERS_PATH", SIDECORE_VA_DRIVERS};
  const Variable heap_{"SIDECORE_DMA_HEAP", "/dev/null"};  // selects the substitute heap
  const std::vector<Frame> frames_ = beginning_of_the_stream();
  const std::vector<std::string> expected_ = test::checksums_of(kStream);

  /// Runs a player whose allocations fail at some point, then another player with enough memory.
  int live_twice() {
    const std::size_t before = test::live_allocations();
    const int outcome = Client().live(frames_);
    const std::size_t behind = test::live_allocations();
    test::end_failures();
    if (behind > before) return kLeaked;
    test::OpenDisplay display;
    {
      test::Player player(display);
      for (const Frame& frame : frames_) static_cast<void>(player.decode(frame.data));
      for (std::size_t index = 0; index < frames_.size(); ++index) {
        if (player.checksums().at(index) != expected_.at(index)) return kWrongAfterwards;
      }
    }
    if (HasFailure()) return kWrongAfterwards;
    return outcome;
  }

  void expect_no_end(const char* threads, Failing failing) {
    const Variable of_stream("SIDECORE_THREADS", threads);
    test::expect_process_survives([this] { return live_twice(); }, failing);
  }
};

TEST_F(VaMemory, AClientOutlivesItsEnd) {
  expect_no_end("1", Failing::from_then_on);
}

TEST_F(VaMemory, AClientWithSeveralThreadsOutlivesItsEnd) {
  expect_no_end("3", Failing::from_then_on);
}

TEST_F(VaMemory, OneAllocationThatFailsIsTold) {
  expect_no_end("1", Failing::once);
}

}  // namespace
}  // namespace sidecore
