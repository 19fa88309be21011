// The C library as one of the interfaces under test.
#include "capi/decoding.h"
#include "players/interface.h"
#include "qpu/vp9/back_end.h"

namespace sidecore::test {
namespace {

std::string error_name(int error) {
  switch (error) {
    case SIDECORE_OK:
      return code("SIDECORE_OK");
    case SIDECORE_ERROR_AGAIN:
      return code("SIDECORE_ERROR_AGAIN");
    case SIDECORE_ERROR_ARGUMENT:
      return code("SIDECORE_ERROR_ARGUMENT");
    case SIDECORE_ERROR_DATA:
      return code("SIDECORE_ERROR_DATA");
    case SIDECORE_ERROR_MEMORY:
      return code("SIDECORE_ERROR_MEMORY");
    case SIDECORE_ERROR_DEVICE:
      return code("SIDECORE_ERROR_DEVICE");
    default:
      return code("SIDECORE_ERROR_INTERNAL");
  }
}

class Library final : public Interface {
 public:
  explicit Library(const Wishes& wishes) {
    sidecore_decoder_options options = capi_test::options_of(wishes.threads);
    EXPECT_EQ(sidecore_plan_parse(wishes.plan.c_str(), &options.plan), SIDECORE_OK);
    options.device = wishes.device.empty() ? nullptr : wishes.device.c_str();
    options.max_luma_samples = wishes.max_pixels;
    options.log_cookie = &told_of_the_device_;
    options.log = [](void* told, int /*level*/, const char* line) {
      if (std::string(line) == qpu::kCpuTakesOverMessage) ++*static_cast<std::ptrdiff_t*>(told);
    };
    sidecore_decoder* decoder = nullptr;
    const int error = sidecore_decoder_open(&decoder, &options);
    decoder_.reset(decoder);
    if (error != SIDECORE_OK) refusal_ = error_name(error);
  }

  [[nodiscard]] std::string refusal() const override { return refusal_; }
  [[nodiscard]] std::string success() const override { return error_name(SIDECORE_OK); }

  std::string give(const Packet& packet, const Bytes* sent) override {
    const Bytes& bytes = sent != nullptr ? *sent : packet.bytes;
    submissions_before_ = submissions();
    const int error = sidecore_decoder_send(decoder_.get(), bytes.data(), bytes.size(),
                                            static_cast<std::int64_t>(packet.number), nullptr);
    decoded();
    std::vector<capi_test::Picture> pictures;
    capi_test::take(decoder_, pictures);
    for (const capi_test::Picture& picture : pictures) {
      const sidecore_picture_info info = capi_test::info_of(picture);
      shown_.push_back({.packet = static_cast<std::size_t>(info.time_stamp),
                        .checksum = capi_test::checksum(picture),
                        .damaged = (info.flags & SIDECORE_PICTURE_DAMAGED) != 0});
    }
    return error_name(error);
  }

  // The library does not see the container, so an encrypted packet looks damaged.
  std::string give_encrypted(const Packet& packet) override {
    Bytes encrypted = packet.bytes;
    for (std::uint8_t& byte : encrypted) byte ^= 0xa5U;
    return give(packet, &encrypted);
  }

  void seek() override { EXPECT_EQ(sidecore_decoder_flush(decoder_.get()), SIDECORE_OK); }
  std::string close() override {
    decoder_ = nullptr;  // sidecore_decoder_close() returns no answer
    return "–";
  }
  [[nodiscard]] bool uses_device() override { return submissions() > submissions_before_; }
  [[nodiscard]] std::ptrdiff_t count_device_messages() override { return told_of_the_device_; }
  [[nodiscard]] std::vector<Shown> shown() override { return shown_; }

 private:
  [[nodiscard]] std::uint64_t submissions() const {
    sidecore_decoder_statistics counted{};
    counted.size = sizeof counted;
    // This call is rejected after fork().
    sidecore_decoder_get_statistics(decoder_.get(), &counted);
    return counted.submissions;
  }

  std::ptrdiff_t told_of_the_device_ = 0;
  capi_test::Decoder decoder_;
  std::string refusal_;
  std::uint64_t submissions_before_ = 0;
  std::vector<Shown> shown_;
};

}  // namespace

std::unique_ptr<Interface> open_library(const Wishes& wishes) {
  return std::make_unique<Library>(wishes);
}

}  // namespace sidecore::test
