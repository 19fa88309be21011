#include "video/source.h"

#include <utility>

#include "video/open_sources.h"

namespace sidecore::video {

std::unique_ptr<PictureSource> open_source(const std::string& path,
                                           const std::optional<PictureFormat>& raw) {
  auto stream = std::make_unique<ByteStream>(path);
  if (stream->peek(kY4mSignature.size()) == kY4mSignature) return open_y4m(std::move(stream));
  if (raw) return open_raw(std::move(stream), *raw);
  return open_libav(std::move(stream), path);
}

}  // namespace sidecore::video
