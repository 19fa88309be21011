#include "libav/md5.h"

#include <array>
#include <new>

#include <fmt/format.h>

#include "libav/api.h"

namespace sidecore::libav {

struct Md5::State {
  State() : context(av_md5_alloc()) {
    if (context == nullptr) throw std::bad_alloc();
    av_md5_init(context);
  }
  ~State() { av_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  AVMD5* context;
};

Md5::Md5() : state_(std::make_unique<State>()) {}
Md5::~Md5() = default;

void Md5::update(std::span<const std::byte> bytes) {
  av_md5_update(state_->context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string Md5::finish() {
  std::array<std::uint8_t, 16> digest;
  av_md5_final(state_->context, digest.data());
  av_md5_init(state_->context);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace sidecore::libav
