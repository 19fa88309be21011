// Contexts, and the calls for one picture, from BeginPicture to EndPicture.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "va/display.h"

namespace sidecore::va {
namespace {

/// Returns a parameter buffer's content. Players built with a later libva may pass a larger
/// structure.
template <class Parameters>
Parameters parameters_of(const Buffer& buffer) {
  require(buffer.bytes.size() >= sizeof(Parameters), VA_STATUS_ERROR_INVALID_BUFFER,
          "a parameter buffer is too small");
  Parameters parameters;
  std::memcpy(&parameters, buffer.bytes.data(), sizeof parameters);
  return parameters;
}

/// Returns the frame's bytes, including the uncompressed header.
Bytes frame_of(const VASliceParameterBufferVP9& slice, Bytes data) {
  require(slice.slice_data_flag == VA_SLICE_DATA_FLAG_ALL && slice.slice_data_size > 0 &&
              std::uint64_t{slice.slice_data_offset} + slice.slice_data_size <= data.size(),
          VA_STATUS_ERROR_INVALID_PARAMETER,
          "the slice must be one whole frame inside its slice data buffer");
  const auto begin = data.begin() + slice.slice_data_offset;
  if (slice.slice_data_offset == 0) {
    data.resize(slice.slice_data_size);
    return data;
  }
  return {begin, begin + slice.slice_data_size};
}

}  // namespace

std::shared_ptr<Context> Display::context(VAContextID id) {
  return get(contexts_, id, VA_STATUS_ERROR_INVALID_CONTEXT);
}

const Settings& Display::settings() {
  const std::lock_guard lock(settings_mutex_);
  if (!settings_) {
    settings_ = players::read_settings([this](const std::string& line) { complain(line); });
  }
  return *settings_;
}

std::shared_ptr<Stream> Display::new_stream() {
  const Settings& wanted = settings();
  try {
    return std::make_shared<Stream>(
        wanted, [this](const std::string& line) { tell(line); },
        [this](const std::string& line) { complain(line); });
  } catch (const Error& error) {
    complain(error.what());
    throw Refusal(error.out_of_memory() ? VA_STATUS_ERROR_ALLOCATION_FAILED
                                        : VA_STATUS_ERROR_OPERATION_FAILED,
                  "the stage plan of the settings cannot be opened");
  }
}

void Display::prepare_stream() {
  const std::lock_guard lock(preparing_);
  if (plan_opened_) return;
  prepared_ = new_stream();
  plan_opened_ = true;
}

std::shared_ptr<Stream> Display::begin_stream() {
  const std::lock_guard lock(preparing_);
  return prepared_ != nullptr ? std::exchange(prepared_, nullptr) : new_stream();
}

// Opens a stream already with the context, so that a stage plan that cannot be opened is an error
// of vaCreateContext(): players then decode without the driver. Later contexts mostly continue an
// existing stream.
void Display::create_context(VAConfigID config_id, int width, int height, int /*flags*/,
                             VASurfaceID* targets, int target_count, VAContextID* id) {
  require_places(id);
  const auto config = get(configs_, config_id, VA_STATUS_ERROR_INVALID_CONFIG);
  require(
      1 <= width && width <= video::kMaxDimension && 1 <= height && height <= video::kMaxDimension,
      VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED,
      "a picture's width and height must be 1 to 16384 samples");
  require(std::int64_t{width} * height <= settings().max_pixels,
          VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED,
          "pictures have more samples than max_pixels allows");
  // The listed surfaces are only checked. Pictures may go to other surfaces, for example of a later
  // pool.
  for (const VASurfaceID target : list_of(targets, target_count)) {
    static_cast<void>(surface(target));
  }
  prepare_stream();
  const auto made = std::make_shared<Context>();
  made->config = *config;
  *id = add(contexts_, made);
}

void Display::destroy_context(VAContextID id) {
  static_cast<void>(take(contexts_, id, VA_STATUS_ERROR_INVALID_CONTEXT));
}

void Display::begin_picture(VAContextID id, VASurfaceID target_id) {
  const auto begun = context(id);
  auto target = surface(target_id);
  require(begun->config.takes(target->bits()), VA_STATUS_ERROR_INVALID_SURFACE,
          "the surface and the context have different bits per sample");
  const std::lock_guard lock(begun->mutex);
  begun->forget_picture();
  begun->target = std::move(target);
}

// The buffers are copied, because players destroy or refill them as soon as the picture is
// submitted.
void Display::render_picture(VAContextID id, VABufferID* ids, int count) {
  const auto rendered = context(id);
  const std::lock_guard lock(rendered->mutex);
  require(rendered->target != nullptr, VA_STATUS_ERROR_OPERATION_FAILED,
          "vaRenderPicture() needs vaBeginPicture() first");
  for (const VABufferID buffer_id : list_of(ids, count)) {
    const auto given = buffer(buffer_id);
    const std::lock_guard buffer_lock(given->mutex);
    switch (given->type) {
      case VAPictureParameterBufferType:
        rendered->picture = parameters_of<VADecPictureParameterBufferVP9>(*given);
        break;
      case VASliceParameterBufferType:
        require(!rendered->slice, VA_STATUS_ERROR_INVALID_BUFFER,
                "a VP9 picture must have exactly one slice parameter buffer");
        rendered->slice = parameters_of<VASliceParameterBufferVP9>(*given);
        break;
      case VASliceDataBufferType: {
        require(!rendered->data, VA_STATUS_ERROR_INVALID_BUFFER,
                "a VP9 picture must have exactly one slice data buffer");
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(given->bytes.data());
        rendered->data.emplace(bytes, bytes + given->bytes.size());
        break;
      }
      default:
        throw Refusal(VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE,
                      "vaRenderPicture() does not accept image buffers");
    }
  }
}

void Display::end_picture(VAContextID id) {
  const auto ended = context(id);
  const std::lock_guard lock(ended->mutex);
  require(ended->target != nullptr, VA_STATUS_ERROR_OPERATION_FAILED,
          "vaEndPicture() needs vaBeginPicture() first");
  struct Forget {
    Context& context;
    ~Forget() { context.forget_picture(); }
  } const forget{*ended};
  try {
    require(ended->picture && ended->slice && ended->data, VA_STATUS_ERROR_INVALID_BUFFER,
            "a picture must have picture parameters, slice parameters and slice data");
    submit(*ended);
  } catch (...) {  // the picture is lost; its surface must not keep showing an older picture
    ended->target->lose(next_number());
    if (ended->stream != nullptr) ended->stream->lose_picture();
    throw;
  }
}

// Players without P012 (ffmpeg before 6.0) make 10-bit surfaces for 12-bit streams. Profile 2 has
// both depths, and such players do not ask for the bits before the first frame. Such a surface gets
// 12-bit pictures without their two lowest bits.
int Display::picture_bits(Context& context) const {
  const int of_surface = context.target->bits();
  const int said = context.picture->bit_depth;
  if (of_surface == 8 || (said != 10 && said != 12)) return of_surface;
  if (said > of_surface && !std::exchange(context.told_of_lost_bits, true)) {
    complain("12-bit pictures lose their two lowest bits, because the surfaces have 10 bits");
  }
  return said;
}

std::uint64_t Display::next_number() {
  const std::lock_guard lock(mutex_);
  return ++pictures_;
}

void Display::submit(Context& context) {
  const VADecPictureParameterBufferVP9& picture = *context.picture;
  Submission submission;
  submission.data = frame_of(*context.slice, std::move(*context.data));
  submission.size = {picture.frame_width, picture.frame_height};
  submission.pixel = {video::Chroma::c420, picture_bits(context)};
  submission.most = {context.target->width(), context.target->height()};
  std::array<std::shared_ptr<Surface>, vp9::kReferenceSlots> surfaces;
  submission.number = next_number();
  {
    const std::lock_guard lock(mutex_);
    std::ranges::transform(picture.reference_frames, surfaces.begin(),
                           [this](VASurfaceID id) { return surfaces_.find(id); });
  }
  std::shared_ptr<Stream> newest_stream;  // stream of the newest reference
  std::uint64_t newest = 0;
  for (std::size_t slot = 0; slot < surfaces.size(); ++slot) {
    if (surfaces[slot] == nullptr) continue;
    HeldPicture held = surfaces[slot]->held();
    if (held.picture == nullptr) continue;
    if (held.picture->number() >= newest) {
      newest = held.picture->number();
      newest_stream = std::move(held.stream);
    }
    submission.references[slot] = std::move(held.picture);
  }
  // A context's first picture continues the stream of its newest reference, even if another context
  // decoded it. A context begins a new stream if its first picture has no references or is a key
  // frame. A key frame needs no earlier state, and the references that it names may belong to a
  // stream that another context still decodes.
  const bool key_frame = picture.pic_fields.bits.frame_type == 0;
  std::shared_ptr<Stream> stream = context.stream;
  if (stream == nullptr && !key_frame) stream = newest_stream;
  if (stream == nullptr) stream = begin_stream();
  context.stream = stream;
  auto submitted = stream->submit(std::move(submission));
  context.target->hold({std::move(stream), std::move(submitted)});
}

}  // namespace sidecore::va
