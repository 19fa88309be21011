#include <cassert>
#include <utility>

#include "video/planar_reader.h"
#include "video/source.h"

namespace sidecore::video {
namespace {

class RawSource final : public PictureSource {
 public:
  RawSource(std::unique_ptr<ByteStream> stream, const PictureFormat& format)
      : stream_(std::move(stream)), format_(format) {
    check_format(format);
    const auto size = stream_->size();
    if (size && *size < planar_bytes(format)) throw_truncated(name(), 0, format, *size);
  }

  [[nodiscard]] const PictureFormat& format() const override { return format_; }
  [[nodiscard]] FrameRate frame_rate() const override { return {}; }
  [[nodiscard]] const std::string& name() const override { return stream_->name(); }

  bool read(Picture& picture) override {
    assert(picture.format() == format_);
    const std::size_t taken = read_planar(*stream_, picture, number_);
    if (taken == 0) return false;
    if (taken < planar_bytes(format_)) throw_truncated(name(), number_, format_, taken);
    ++number_;
    return true;
  }

 private:
  std::unique_ptr<ByteStream> stream_;
  PictureFormat format_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<PictureSource> open_raw(std::unique_ptr<ByteStream> stream,
                                        const PictureFormat& format) {
  return std::make_unique<RawSource>(std::move(stream), format);
}

}  // namespace sidecore::video
