#include "qpu/vp9/device_frames.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/rounding.h"
#include "vp9/types.h"

namespace sidecore::qpu {
namespace {

bool is_unused(const std::weak_ptr<void>& user) {
  return user.expired();
}

std::array<std::size_t, 3> row_bytes_of(const PicturePlanes& planes, int height) {
  const auto rows = static_cast<std::size_t>(std::max(height / vp9::kSuperblock, 1));
  std::array<std::size_t, 3> bytes{};
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const PicturePlanes::Plane& plane = planes.planes[index];
    bytes[index] = plane.stride * (plane.rows / rows);
  }
  return bytes;
}

}  // namespace

video::Picture DeviceFrames::allocate(const video::PictureFormat& format) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(frames_, [](const auto& frame) { return is_unused(frame->user); });
  }
  std::erase_if(blocks_,
                [](const Block& block) { return std::ranges::all_of(block.users, is_unused); });
  auto frame = std::make_unique<DeviceFrame>();
  frame->bytes = video::PictureLayout(format).bytes;
  Block& block = block_for(frame->bytes);
  const auto place = std::ranges::find_if(block.users, is_unused);
  frame->buffer = block.buffer;
  if (block.buffer->staged()) staged_ = true;
  frame->offset = static_cast<std::size_t>(place - block.users.begin()) * block.picture_bytes;
  frame->planes = PicturePlanes::of(format);
  for (PicturePlanes::Plane& plane : frame->planes.planes) plane.offset += frame->offset;
  frame->row_bytes = row_bytes_of(frame->planes, format.height);
  PicturePlanes filtered = frame->planes;
  if (luma_only_) filtered.planes[1].rows = filtered.planes[2].rows = 0;
  frame->filter = std::make_unique<LoopFilter>(device_, frame->buffer, filtered, format.pixel.bits);
  const auto user = std::make_shared<std::shared_ptr<Buffer>>(frame->buffer);
  frame->user = user;
  *place = user;
  video::Picture picture(format, frame->buffer->bytes().subspan(frame->offset, frame->bytes), user);
  const std::lock_guard lock(mutex_);
  frames_.push_back(std::move(frame));
  return picture;
}

DeviceFrames::Block& DeviceFrames::block_for(std::size_t bytes) {
  // Largest number of pictures per buffer; a buffer with several pictures has at most 64 MiB.
  // Streams need six to ten pictures.
  constexpr std::size_t kMaxPictures = 8;
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
  const std::size_t picture_bytes = round_up(bytes, kRangeAlignment);
  for (Block& block : blocks_) {
    if (block.picture_bytes == picture_bytes && std::ranges::any_of(block.users, is_unused)) {
      return block;
    }
  }
  const std::size_t count = std::clamp<std::size_t>(kMaxBytes / picture_bytes, 1, kMaxPictures);
  Block block;
  block.buffer = device_.create_buffer(count * picture_bytes);
  block.picture_bytes = picture_bytes;
  block.users.resize(count);
  return blocks_.emplace_back(std::move(block));
}

DeviceFrame* DeviceFrames::find(const vp9::FrameBuffer& frame) {
  const auto found =
      std::ranges::find_if(frames_, [&](const auto& known) { return known->holds(frame); });
  return found != frames_.end() ? found->get() : nullptr;
}

DeviceFrame& DeviceFrames::of(const vp9::FrameBuffer& frame) {
  DeviceFrame* const found = find(frame);
  if (found == nullptr) throw usage_error("the frame's memory was not allocated by this back end");
  return *found;
}

DevicePictureLocation DeviceFrames::location_of(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  const DeviceFrame& known = of(frame);
  return {.buffer = known.buffer.get(),
          .offset = known.offset,
          .is_current = !known.buffer->staged() || known.on_device()};
}

}  // namespace sidecore::qpu
