#include "sidecore/decoder.h"

#include <atomic>
#include <deque>
#include <memory>
#include <utility>

#include "capi/boundary.h"
#include "neon/vp9/dsp.h"
#include "qpu/vp9/back_end.h"
#include "sidecore/vulkan.h"
#include "vp9/decoder.h"
#include "vp9/description.h"
#include "vp9/plan.h"

struct sidecore_picture {
  std::atomic<int> references = 1;
  std::shared_ptr<sidecore::qpu::SharedPictureResources> home;
  std::shared_ptr<const sidecore::vp9::FrameBuffer> frame;
  sidecore::vp9::Decoder::Shown shown;
  bool damaged = false;
};

namespace sidecore::capi {
namespace {

struct Unref {
  void operator()(sidecore_picture* picture) const { sidecore_picture_unref(picture); }
};
using PicturePointer = std::unique_ptr<sidecore_picture, Unref>;

int chroma_of(video::Chroma chroma) {
  switch (chroma) {
    case video::Chroma::c400:
      return SIDECORE_CHROMA_400;
    case video::Chroma::c420:
      return SIDECORE_CHROMA_420;
    case video::Chroma::c422:
      return SIDECORE_CHROMA_422;
    case video::Chroma::c440:
      return SIDECORE_CHROMA_440;
    default:
      return SIDECORE_CHROMA_444;
  }
}

vp9::FramePool::Allocator allocator_of(const sidecore_allocator& allocator) {
  require((allocator.allocate == nullptr) == (allocator.release == nullptr),
          "allocator: set both allocate and release, or neither");
  if (allocator.allocate == nullptr) return {};
  return [allocator](const video::PictureFormat& format) {
    const video::PictureLayout layout(format);
    sidecore_memory_layout asked{};
    asked.size = sizeof asked;
    asked.width = format.width;
    asked.height = format.height;
    asked.chroma = chroma_of(format.pixel.chroma);
    asked.bits = format.pixel.bits;
    asked.bytes = layout.bytes;
    asked.alignment = video::PictureLayout::kPlaneAlignment;
    for (std::size_t plane = 0; plane < layout.planes.size(); ++plane) {
      asked.offset[plane] = layout.planes[plane].offset;
      asked.stride[plane] = layout.planes[plane].stride;
    }
    void* const data = allocator.allocate(allocator.cookie, &asked);
    if (data == nullptr) throw std::bad_alloc();
    const auto release = [allocator](void* memory) { allocator.release(allocator.cookie, memory); };
    return video::Picture(format, {static_cast<std::byte*>(data), layout.bytes},
                          std::shared_ptr<void>(data, release));
  };
}

vp9::Processor processor_of(int processor) {
  switch (processor) {
    case SIDECORE_PROCESSOR_SCALAR:
      return vp9::Processor::scalar;
    case SIDECORE_PROCESSOR_DEFAULT:
    case SIDECORE_PROCESSOR_NEON:
      return vp9::Processor::neon;
    case SIDECORE_PROCESSOR_QPU:
      return vp9::Processor::qpu;
    case SIDECORE_PROCESSOR_DIVIDED:
      return vp9::Processor::divided;
    default:
      throw ArgumentError(
          fmt::format("plan: {} is not a value of enum sidecore_processor", processor));
  }
}

int code_of(vp9::Processor processor) {
  switch (processor) {
    case vp9::Processor::scalar:
      return SIDECORE_PROCESSOR_SCALAR;
    case vp9::Processor::neon:
      return SIDECORE_PROCESSOR_NEON;
    case vp9::Processor::divided:
      return SIDECORE_PROCESSOR_DIVIDED;
    default:
      return SIDECORE_PROCESSOR_QPU;
  }
}

vp9::Plan plan_of(const sidecore_plan& plan) {
  const vp9::Plan checked{.processors = {processor_of(plan.prediction), processor_of(plan.residual),
                                         processor_of(plan.intra), processor_of(plan.loop_filter)}};
  checked.check();
  return checked;
}

void describe(const sidecore_picture& picture, sidecore_picture_info& info) {
  const vp9::FrameBuffer& frame = *picture.frame;
  const video::PictureFormat format = frame.format();
  info.width = format.width;
  info.height = format.height;
  info.render_width = frame.render_size.width;
  info.render_height = frame.render_size.height;
  info.chroma = chroma_of(format.pixel.chroma);
  info.bits = format.pixel.bits;
  const std::byte* const memory = frame.memory.bytes().data();
  for (int index = 0; index < format.pixel.planes(); ++index) {
    const video::PictureLayout::Plane& plane =
        frame.memory.layout().planes[static_cast<std::size_t>(index)];
    info.plane_width[index] = format.plane_width(index);
    info.plane_height[index] = format.plane_height(index);
    info.data[index] = memory + plane.offset;
    info.stride[index] = static_cast<std::ptrdiff_t>(plane.stride);
  }
  info.color_space = static_cast<int>(frame.color.space);
  info.full_range = frame.color.full_range ? 1 : 0;
  const vp9::ColorCodes codes = vp9::color_codes_of(frame.color.space, info.bits);
  info.color_primaries = codes.primaries;
  info.color_transfer = codes.transfer;
  info.color_matrix = codes.matrix;
  const video::PixelAspect aspect = vp9::description_of(frame).aspect;
  info.pixel_aspect_width = aspect.known() ? aspect.width : 1;
  info.pixel_aspect_height = aspect.known() ? aspect.height : 1;
  const auto flag = [&](bool set, unsigned value) { info.flags |= set ? value : 0U; };
  flag(frame.key_frame, SIDECORE_PICTURE_KEY);
  flag(picture.shown.hidden, SIDECORE_PICTURE_HIDDEN);
  flag(picture.shown.repeated, SIDECORE_PICTURE_REPEATED);
  flag(picture.damaged, SIDECORE_PICTURE_DAMAGED);
  info.time_stamp = picture.shown.tag.time_stamp;
  info.cookie = picture.shown.tag.cookie;
}

/// Adds a decoder's counters and times to `statistics`.
void add(const vp9::Decoder& decoder, sidecore_decoder_statistics& statistics) {
  const vp9::DecoderStatistics& counted = decoder.statistics();
  statistics.frames += counted.frames;
  statistics.shown += counted.shown;
  const vp9::BackEndStatistics filter = decoder.back_end_statistics();
  statistics.submissions += filter.submissions;
  statistics.dispatches += filter.dispatches;
  const auto time = [&](vp9::ClockRow stage) {
    return std::int64_t{counted.stages[static_cast<std::size_t>(stage)].count()};
  };
  statistics.parsing += time(vp9::ClockRow::parsing);
  statistics.prediction += time(vp9::ClockRow::prediction);
  statistics.residual += time(vp9::ClockRow::residual);
  statistics.edges += time(vp9::ClockRow::edge_derivation);
  statistics.loop_filter += time(vp9::ClockRow::loop_filter);
  statistics.other += time(vp9::ClockRow::other);
  statistics.intra += time(vp9::ClockRow::intra);
  statistics.submission += time(vp9::ClockRow::submission);
  statistics.waiting += time(vp9::ClockRow::waiting);
  statistics.fence_waits += filter.fence_waits;
  statistics.prediction_dispatches += filter.by_stage.prediction;
  statistics.residual_dispatches += filter.by_stage.residual;
  statistics.intra_dispatches += filter.by_stage.intra;
  statistics.loop_filter_dispatches += filter.by_stage.loop_filter;
}

}  // namespace
}  // namespace sidecore::capi

struct sidecore_decoder {
  explicit sidecore_decoder(const sidecore_decoder_options& wanted)
      : log{wanted.log, wanted.log_cookie},
        plan(sidecore::capi::plan_of(wanted.plan)),
        tables(sidecore::vp9::tables_of(plan, sidecore::neon::vp9_dsp())) {
    options.threads = sidecore::capi::threads_of(wanted.threads);
    options.low_delay = wanted.low_delay != 0;
    options.show_hidden = wanted.hidden_frames != 0;
    options.last_of_packet = wanted.last_layer != 0;
    options.time_stages = wanted.stage_times != 0;
    sidecore::capi::require(wanted.max_luma_samples >= 0, "max_luma_samples is negative");
    if (wanted.max_luma_samples > 0) options.max_luma_samples = wanted.max_luma_samples;
    options.dsp = &tables;
    options.allocator = sidecore::capi::allocator_of(wanted.allocator);
    home = std::make_shared<sidecore::qpu::SharedPictureResources>();
    sidecore::vp9::DecoderOptions own = options;
    if (plan.uses_qpu()) {
      sidecore::capi::require(
          !own.allocator,
          "allocator: must be null if the plan uses the QPU, whose pictures are in device memory");
      home->device = sidecore::capi::open_device(wanted.device, wanted.vulkan, log);
      home->back_end = sidecore::qpu::make_back_end(*home->device, plan);
      own.back_end = home->back_end;
    }
    decoder = std::make_unique<sidecore::vp9::Decoder>(std::move(own));
  }
  ~sidecore_decoder() { home->returned.close(); }
  sidecore_decoder(const sidecore_decoder&) = delete;
  sidecore_decoder& operator=(const sidecore_decoder&) = delete;

  /// Runs `step` with a callback that queues its pictures, and returns an error code. After a
  /// failure, later pictures are marked damaged until a key frame.
  template <class Step>
  int decode(const Step& step) {
    const auto queue = [this](const std::shared_ptr<const sidecore::vp9::FrameBuffer>& frame) {
      // A hidden key frame ends damage, too.
      if (decoder->statistics().key_frames > key_frames) damaged = false;
      sidecore::capi::PicturePointer picture(new sidecore_picture);
      picture->home = home;
      picture->frame = frame;
      picture->shown = decoder->shown();
      picture->damaged = damaged;
      pictures.push_back(std::move(picture));
    };
    bool device_failed = false;
    const int error = sidecore::capi::error_code_of(log, SIDECORE_ERROR_DATA, [&] {
      home->returned.reclaim();
      try {
        step(queue);
      } catch (const sidecore::Error& failure) {
        device_failed = sidecore::qpu::is_failed_device(plan, failure);
        throw;
      }
      return int{SIDECORE_OK};
    });
    if (error != SIDECORE_OK) {
      if (device_failed) move_to_cpu();
      damaged = true;
      key_frames = decoder->statistics().key_frames;
    }
    return error;
  }

  /// Moves all stages to the CPU. Pictures in device memory stay there, and keep the device.
  void move_to_cpu() noexcept {
    try {
      auto next_home = std::make_shared<sidecore::qpu::SharedPictureResources>();
      auto next = std::make_unique<sidecore::vp9::Decoder>(options);
      sidecore::capi::add(*decoder, before);
      plan = sidecore::vp9::without_qpu(plan);
      decoder = std::move(next);
      home->returned.close();
      home = std::move(next_home);
      log(SIDECORE_LOG_INFO, sidecore::qpu::kCpuTakesOverMessage);
    } catch (...) {  // the old decoder stays, and its next failure calls this function again
    }
  }

  sidecore::capi::Log log;
  sidecore::vp9::Plan plan;
  sidecore::vp9::DspTables tables;
  sidecore::vp9::DecoderOptions options;  ///< options for a decoder with all stages on the CPU
  std::shared_ptr<sidecore::qpu::SharedPictureResources> home;
  /// The decoder; destroyed before the members that it uses.
  std::unique_ptr<sidecore::vp9::Decoder> decoder;
  std::deque<sidecore::capi::PicturePointer> pictures;
  bool damaged = false;                  ///< true if no key frame has followed the last error
  std::uint64_t key_frames = 0;          ///< number of key frames decoded before the last error
  sidecore_decoder_statistics before{};  ///< statistics of the decoder whose device failed
};

using sidecore::capi::error_code_of;
using sidecore::capi::require;

namespace {

bool is_here(const sidecore_decoder& decoder) {
  return decoder.home->process.is_here();
}

/// Returns SIDECORE_OK if this process may use the decoder, else the error that it reports.
int check(const sidecore_decoder* decoder) {
  using namespace sidecore::capi;
  if (decoder == nullptr) return fail({}, SIDECORE_ERROR_ARGUMENT, "the decoder is null");
  if (is_here(*decoder)) return SIDECORE_OK;
  return fail(decoder->log, SIDECORE_ERROR_ARGUMENT, "the decoder was opened by another process");
}

}  // namespace

int sidecore_plan_parse(const char* text, sidecore_plan* plan) {
  return error_code_of({}, SIDECORE_ERROR_ARGUMENT, [&] {
    require(text != nullptr && plan != nullptr, "text or plan is null");
    using sidecore::vp9::Stage;
    const sidecore::vp9::Plan parsed = sidecore::vp9::Plan::parse(text);
    if (parsed.has_filter_options()) {
      throw sidecore::capi::ArgumentError(fmt::format(
          "plan: '{}' has a suffix for the loop filter's order, which the library does not accept",
          text));
    }
    const auto of = [&](Stage stage) { return sidecore::capi::code_of(parsed.of(stage)); };
    *plan = {of(Stage::prediction), of(Stage::residual), of(Stage::intra), of(Stage::loop_filter)};
    return int{SIDECORE_OK};
  });
}

int sidecore_decoder_open(sidecore_decoder** decoder, const sidecore_decoder_options* options) {
  if (decoder != nullptr) *decoder = nullptr;
  sidecore::capi::Log log;
  return error_code_of(log, SIDECORE_ERROR_ARGUMENT, [&] {
    require(decoder != nullptr, "the pointer for the decoder is null");
    const sidecore_decoder_options own = sidecore::capi::copy_options(options);
    log = {own.log, own.log_cookie};
    *decoder = std::make_unique<sidecore_decoder>(own).release();
    return int{SIDECORE_OK};
  });
}

int sidecore_decoder_send(sidecore_decoder* decoder, const void* data, size_t bytes,
                          int64_t time_stamp, void* cookie) {
  if (const int error = check(decoder); error != SIDECORE_OK) return error;
  if (data == nullptr && bytes > 0) {
    return sidecore::capi::fail(decoder->log, SIDECORE_ERROR_ARGUMENT,
                                "the packet's data is null, but its size is not 0");
  }
  if (!decoder->pictures.empty()) return SIDECORE_ERROR_AGAIN;
  return decoder->decode([&](const sidecore::vp9::Decoder::Show& show) {
    decoder->decoder->decode({static_cast<const std::uint8_t*>(data), bytes}, show,
                             {.time_stamp = time_stamp, .cookie = cookie});
  });
}

int sidecore_decoder_get_picture(sidecore_decoder* decoder, sidecore_picture** picture) {
  if (picture != nullptr) *picture = nullptr;
  if (const int error = check(decoder); error != SIDECORE_OK) return error;
  if (picture == nullptr) {
    return sidecore::capi::fail(decoder->log, SIDECORE_ERROR_ARGUMENT,
                                "the pointer for the picture is null");
  }
  if (decoder->pictures.empty()) return SIDECORE_ERROR_AGAIN;
  *picture = decoder->pictures.front().release();
  decoder->pictures.pop_front();
  return SIDECORE_OK;
}

int sidecore_decoder_drain(sidecore_decoder* decoder) {
  if (const int error = check(decoder); error != SIDECORE_OK) return error;
  return decoder->decode(
      [&](const sidecore::vp9::Decoder::Show& show) { decoder->decoder->flush(show); });
}

int sidecore_decoder_flush(sidecore_decoder* decoder) {
  if (const int error = check(decoder); error != SIDECORE_OK) return error;
  return error_code_of(decoder->log, SIDECORE_ERROR_INTERNAL, [&] {
    decoder->pictures.clear();
    decoder->home->returned.reclaim();
    decoder->decoder->reset();
    decoder->damaged = false;
    return int{SIDECORE_OK};
  });
}

int sidecore_decoder_get_statistics(const sidecore_decoder* decoder,
                                    sidecore_decoder_statistics* statistics) {
  if (const int error = check(decoder); error != SIDECORE_OK) return error;
  return error_code_of(decoder->log, SIDECORE_ERROR_ARGUMENT, [&] {
    require(statistics != nullptr, "statistics is null");
    sidecore_decoder_statistics filled = decoder->before;
    sidecore::capi::add(*decoder->decoder, filled);
    sidecore::capi::give(filled, statistics);
    return int{SIDECORE_OK};
  });
}

void sidecore_decoder_close(sidecore_decoder* decoder) {
  if (decoder != nullptr && is_here(*decoder)) delete decoder;
}

int sidecore_picture_get_info(const sidecore_picture* picture, sidecore_picture_info* info) {
  return error_code_of({}, SIDECORE_ERROR_ARGUMENT, [&] {
    require(picture != nullptr && info != nullptr, "picture or info is null");
    sidecore_picture_info filled{};
    sidecore::capi::describe(*picture, filled);
    sidecore::capi::give(filled, info);
    return int{SIDECORE_OK};
  });
}

int sidecore_picture_get_vulkan(const sidecore_picture* picture, sidecore_vulkan_picture* place) {
  return error_code_of({}, SIDECORE_ERROR_ARGUMENT, [&] {
    require(picture != nullptr && place != nullptr, "picture or place is null");
    require(picture->home->process.is_here(), "the picture was decoded by another process");
    require(picture->home->back_end != nullptr, "the picture's decoder does not use the QPU");
    const auto found = picture->home->back_end->location_of(*picture->frame);
    require(found.is_current,
            "device memory does not hold the picture: its last stage ran on the CPU");
    sidecore_vulkan_picture filled{};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): Vulkan handles are pointers on 64-bit machines
    filled.buffer = reinterpret_cast<VkBuffer>(found.buffer->vulkan_handle());
    const auto& planes = picture->frame->memory.layout().planes;
    for (std::size_t plane = 0; plane < planes.size(); ++plane) {
      filled.offset[plane] = found.offset + planes[plane].offset;
    }
    sidecore::capi::give(filled, place);
    return int{SIDECORE_OK};
  });
}

sidecore_picture* sidecore_picture_ref(sidecore_picture* picture) {
  if (picture != nullptr) picture->references.fetch_add(1, std::memory_order_relaxed);
  return picture;
}

void sidecore_picture_unref(sidecore_picture* picture) {
  if (picture == nullptr || !picture->home->process.is_here()) return;
  if (picture->references.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  picture->home->returned.give_back(std::move(picture->frame));
  delete picture;
}
