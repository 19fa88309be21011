#include "libav/open.h"

#include <utility>

#include "libav/input.h"

namespace sidecore::libav {

std::unique_ptr<video::PictureSource> open_source(const std::string& path,
                                                  const std::optional<video::PictureFormat>& raw) {
  auto stream = std::make_unique<video::ByteStream>(path);
  if (stream->peek(video::kY4mSignature.size()) == video::kY4mSignature) {
    return video::open_y4m(std::move(stream));
  }
  if (raw) return video::open_raw(std::move(stream), *raw);
  return open_pictures(std::move(stream), path);
}

std::unique_ptr<video::PacketSource> open_packets(const std::string& path) {
  auto stream = std::make_unique<video::ByteStream>(path);
  if (stream->peek(video::kIvfSignature.size()) == video::kIvfSignature) {
    return video::open_ivf(std::move(stream));
  }
  return open_vp9_packets(std::move(stream), path);
}

}  // namespace sidecore::libav
