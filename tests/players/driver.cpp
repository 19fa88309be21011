// The VA-API driver, used by a player that ignores errors as far as it can.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "environment_variable.h"
#include "players/interface.h"
#include "qpu/vp9/back_end.h"
#include "va/player.h"

namespace sidecore::test {
namespace {

std::string status_name(VAStatus status) {
  switch (status) {
    case VA_STATUS_SUCCESS:
      return code("VA_STATUS_SUCCESS");
    case VA_STATUS_ERROR_OPERATION_FAILED:
      return code("VA_STATUS_ERROR_OPERATION_FAILED");
    case VA_STATUS_ERROR_ALLOCATION_FAILED:
      return code("VA_STATUS_ERROR_ALLOCATION_FAILED");
    case VA_STATUS_ERROR_UNSUPPORTED_PROFILE:
      return code("VA_STATUS_ERROR_UNSUPPORTED_PROFILE");
    case VA_STATUS_ERROR_INVALID_PARAMETER:
      return code("VA_STATUS_ERROR_INVALID_PARAMETER");
    case VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED:
      return code("VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED");
    case VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE:
      return code("VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE");
    case VA_STATUS_ERROR_DECODING_ERROR:
      return code("VA_STATUS_ERROR_DECODING_ERROR");
    default:
      return vaErrorStr(status);
  }
}

class Driver final : public Interface {
 public:
  explicit Driver(const Wishes& wishes)
      : plan_("SIDECORE_PLAN", wishes.plan),
        device_("SIDECORE_DEVICE", wishes.device),
        max_pixels_("SIDECORE_MAX_PIXELS", std::to_string(wishes.max_pixels)),
        threads_("SIDECORE_THREADS", std::to_string(wishes.threads)) {
    display_.emplace();
    slots_.fill(VA_INVALID_SURFACE);
  }

  // The result is empty, because the driver has no stream before the first picture.
  [[nodiscard]] std::string refusal() const override { return {}; }
  [[nodiscard]] std::string success() const override { return status_name(VA_STATUS_SUCCESS); }

  std::string give(const Packet& packet, const Bytes* sent) override {
    std::string answer = success();
    for (const Packet::Frame& frame : packet.frames) {
      const std::string of_frame =
          decode(frame.header, sent != nullptr ? *sent : frame.bytes, packet.number);
      if (of_frame != success()) answer = of_frame;
    }
    return answer;
  }

  // Marks the packet as encrypted with VA-API's parameters for encryption.
  std::string give_encrypted(const Packet& packet) override {
    VABufferID id = VA_INVALID_ID;
    const VAStatus status =
        vaCreateBuffer(*display_, context_, VAEncryptionParameterBufferType, 64, 1, nullptr, &id);
    EXPECT_FALSE(packet.bytes.empty());
    decoded();
    return "`vaCreateBuffer()`: " + status_name(status);
  }

  void seek() override { slots_.fill(VA_INVALID_SURFACE); }

  std::string close() override {
    const VAStatus status = vaDestroyContext(*display_, context_);
    display_.reset();  // expects success
    return status_name(status);
  }

  // Searches the log's newest line about a plan for a device.
  [[nodiscard]] bool uses_device() override {
    bool uses = false;
    for (const std::string& line : display_->messages()) {
      if (line.find("sidecore: plan ") != std::string::npos) {
        uses = line.find("QPU stages on") != std::string::npos;
      }
    }
    return uses;
  }
  [[nodiscard]] std::ptrdiff_t count_device_messages() override {
    return std::ranges::count(display_->errors(),
                              std::string("sidecore: ") + qpu::kCpuTakesOverMessage + "\n");
  }
  [[nodiscard]] std::vector<Shown> shown() override { return shown_; }

 private:
  /// Records a call's status. Returns true if the call succeeded.
  bool went(const char* call, VAStatus status) {
    if (status != VA_STATUS_SUCCESS && failure_.empty()) {
      failure_ = code(std::string(call) + "()") + ": " + status_name(status);
    }
    return status == VA_STATUS_SUCCESS;
  }

  std::string decode(const vp9::FrameHeader& header, const Bytes& bytes, std::size_t number) {
    failure_.clear();
    if (!prepare(header)) {
      decoded();
      return failure_;
    }
    const VASurfaceID target = free_surface();
    if (!submit(header, bytes, target)) {
      decoded();
      return failure_;
    }
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if ((header.refresh_slots >> slot & 1) != 0) slots_.at(slot) = target;
    }
    static_cast<void>(went("vaSyncSurface", vaSyncSurface(*display_, target)));
    decoded();
    if (!failure_.empty()) return failure_;
    const bool damaged = is_damaged(target);
    if (header.show_frame) {
      shown_.push_back(
          {.packet = number, .checksum = read(target, header.size), .damaged = damaged});
    }
    const bool told = damaged && !was_damaged_;
    was_damaged_ = damaged;
    return told ? success() + ", `vaQuerySurfaceError()` tells" : success();
  }

  /// Makes new surfaces and a context if the size or the samples change, like players.
  bool prepare(const vp9::FrameHeader& header) {
    if (size_ == header.size && pixel_ == header.pixel) return true;
    static constexpr std::array kProfiles{VAProfileVP9Profile0, VAProfileVP9Profile1,
                                          VAProfileVP9Profile2, VAProfileVP9Profile3};
    VAConfigID config = VA_INVALID_ID;
    if (!went("vaCreateConfig",
              vaCreateConfig(*display_, kProfiles.at(static_cast<std::size_t>(header.profile)),
                             VAEntrypointVLD, nullptr, 0, &config))) {
      return false;
    }
    VAContextID context = VA_INVALID_ID;
    if (!went("vaCreateContext",
              vaCreateContext(*display_, config, header.size.width, header.size.height,
                              VA_PROGRESSIVE, nullptr, 0, &context))) {
      return false;
    }
    if (context_ != VA_INVALID_ID) vaDestroyContext(*display_, context_);
    context_ = context;
    pool_ = display_->surfaces(12, header.size.width, header.size.height, header.pixel.bits);
    size_ = header.size;
    pixel_ = header.pixel;
    return true;
  }

  [[nodiscard]] VASurfaceID free_surface() const {
    return *std::ranges::find_if(
        pool_, [&](VASurfaceID id) { return std::ranges::find(slots_, id) == slots_.end(); });
  }

  bool submit(const vp9::FrameHeader& header, const Bytes& bytes, VASurfaceID target) {
    VADecPictureParameterBufferVP9 picture{};
    picture.frame_width = static_cast<std::uint16_t>(header.size.width);
    picture.frame_height = static_cast<std::uint16_t>(header.size.height);
    std::ranges::copy(slots_, picture.reference_frames);
    picture.pic_fields.bits.frame_type = header.key_frame ? 0 : 1;
    picture.profile = static_cast<std::uint8_t>(header.profile);
    picture.bit_depth = static_cast<std::uint8_t>(header.pixel.bits);
    VASliceParameterBufferVP9 slice{};
    slice.slice_data_size = static_cast<std::uint32_t>(bytes.size());
    std::array<VABufferID, 3> buffers{VA_INVALID_ID, VA_INVALID_ID, VA_INVALID_ID};
    const bool submitted =
        create(VAPictureParameterBufferType, &picture, sizeof picture, buffers[0]) &&
        create(VASliceParameterBufferType, &slice, sizeof slice, buffers[1]) &&
        create(VASliceDataBufferType, bytes.data(), bytes.size(), buffers[2]) &&
        went("vaBeginPicture", vaBeginPicture(*display_, context_, target)) &&
        went("vaRenderPicture", vaRenderPicture(*display_, context_, buffers.data(), 3)) &&
        went("vaEndPicture", vaEndPicture(*display_, context_));
    for (const VABufferID id : buffers) {
      if (id != VA_INVALID_ID) vaDestroyBuffer(*display_, id);
    }
    return submitted;
  }

  bool create(VABufferType type, const void* data, std::size_t bytes, VABufferID& id) {
    return went("vaCreateBuffer",
                vaCreateBuffer(*display_, context_, type, static_cast<unsigned>(bytes), 1,
                               const_cast<void*>(data), &id));
  }

  [[nodiscard]] bool is_damaged(VASurfaceID surface) const {
    void* errors = nullptr;
    expect_status(vaQuerySurfaceError(*display_, surface, VA_STATUS_ERROR_DECODING_ERROR, &errors));
    return static_cast<VASurfaceDecodeMBErrors*>(errors)->status == 1;
  }

  [[nodiscard]] std::string read(VASurfaceID surface, const vp9::FrameSize& size) const {
    VAImage image{};
    expect_status(vaDeriveImage(*display_, surface, &image));
    void* data = nullptr;
    expect_status(vaMapBuffer(*display_, image.buf, &data));
    const std::string sum = checksum_of(
        planes_of(image, static_cast<const std::uint8_t*>(data), size.width, size.height));
    expect_status(vaDestroyImage(*display_, image.image_id));
    return sum.substr(sum.find(' ') + 1);
  }

  EnvironmentVariable plan_;
  EnvironmentVariable device_;
  EnvironmentVariable max_pixels_;
  EnvironmentVariable threads_;
  std::optional<OpenDisplay> display_;
  VAContextID context_ = VA_INVALID_ID;
  std::vector<VASurfaceID> pool_;
  std::array<VASurfaceID, vp9::kReferenceSlots> slots_{};
  vp9::FrameSize size_;
  video::PixelFormat pixel_{};
  std::string failure_;
  bool was_damaged_ = false;
  std::vector<Shown> shown_;
};

}  // namespace

std::unique_ptr<Interface> open_driver(const Wishes& wishes) {
  return std::make_unique<Driver>(wishes);
}

}  // namespace sidecore::test
