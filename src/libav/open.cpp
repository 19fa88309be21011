#include "libav/open.h"

#include <utility>

#include "libav/input.h"
#include "webm/open.h"

namespace sidecore::libav {
namespace {

/// Returns true if the stream is at the start of an IVF file with VP9.
bool is_ivf_of_vp9(video::ByteStream& stream) {
  constexpr std::size_t kCodec = 8;  // offset of the codec's name in the header, in bytes
  constexpr std::string_view kVp9 = "VP90";
  const std::string_view header = stream.peek(kCodec + kVp9.size());
  return header.starts_with(video::kIvfSignature) && header.ends_with(kVp9) &&
         header.size() == kCodec + kVp9.size();
}

/// Opens the VP9 packets of a WebM file without libavformat; null if that is not possible.
std::unique_ptr<video::PacketSource> open_webm(std::unique_ptr<video::ByteStream>& stream) {
  // libavformat can still open such a file, whatever has been read of it.
  if (!stream->reopenable() || stream->peek(webm::kSignature.size()) != webm::kSignature) {
    return nullptr;
  }
  return webm::open_vp9_packets(stream);
}

}  // namespace

std::unique_ptr<video::PictureSource> open_source(const std::string& path,
                                                  const std::optional<video::PictureFormat>& raw,
                                                  const Vp9Decoding& vp9) {
  auto stream = std::make_unique<video::ByteStream>(path);
  if (stream->peek(video::kY4mSignature.size()) == video::kY4mSignature) {
    return video::open_y4m(std::move(stream));
  }
  if (raw) return video::open_raw(std::move(stream), *raw);
  if (vp9 && is_ivf_of_vp9(*stream)) return vp9(video::open_ivf(std::move(stream)));
  if (vp9) {
    if (auto packets = open_webm(stream)) return vp9(std::move(packets));
  }
  return open_pictures(std::move(stream), path, vp9);
}

std::unique_ptr<video::PacketSource> open_packets(const std::string& path) {
  auto stream = std::make_unique<video::ByteStream>(path);
  if (stream->peek(video::kIvfSignature.size()) == video::kIvfSignature) {
    return video::open_ivf(std::move(stream));
  }
  if (auto packets = open_webm(stream)) return packets;
  return open_vp9_packets(std::move(stream), path);
}

}  // namespace sidecore::libav
