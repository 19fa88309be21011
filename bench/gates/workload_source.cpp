#include "gates/workload_source.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "libav/open.h"
#include "vp9/picture_source.h"

namespace sidecore::gates {

WorkloadSource::WorkloadSource(const Kernel& kernel, const GateOptions& options, Content content)
    : kernel_(kernel), options_(options) {
  request_.content = content;
  request_.width = options.width;
  request_.height = options.height;
  request_.filter_level = options.filter_level;
  request_.sharpness = options.sharpness;
  if (content != Content::input) return;
  if (options.input.empty()) throw usage_error("content 'input' needs a clip: give --input");
  if (kernel_.open_clip) {
    clip_ = kernel_.open_clip({options_.input, options_.frames, options_.start_at_key_frame});
  }
  if (clip_ != nullptr) return;
  // VP9 is read as `decode` and `metrics` read it: damaged data is an error and is not concealed.
  const libav::Vp9Decoding vp9 = [&](std::unique_ptr<video::PacketSource> packets) {
    return vp9::open_pictures(
        std::move(packets),
        {.threads = options_.threads, .start_at_key_frame = options_.start_at_key_frame});
  };
  source_ = libav::open_source(options_.input, std::nullopt, vp9);
  request_.width = source_->format().width;
  request_.height = source_->format().height;
}

std::unique_ptr<Workload> WorkloadSource::next() {
  request_.seed = options_.seed + made_;
  if (clip_ != nullptr) return next_of_clip();
  if (source_ != nullptr) return next_picture();
  origin_ = fmt::format("seed {}", request_.seed);
  ++made_;
  return kernel_.make_workload(request_);
}

std::unique_ptr<Workload> WorkloadSource::next_of_clip() {
  std::unique_ptr<Workload> workload = clip_->next();
  if (workload == nullptr) return nullptr;
  origin_ = clip_->origin();
  ++made_;
  return workload;
}

std::unique_ptr<Workload> WorkloadSource::next_picture() {
  if (options_.frames.has_value() && made_ >= *options_.frames) return nullptr;
  const auto picture = std::make_shared<video::Picture>(source_->format());
  if (!source_->read(*picture)) return nullptr;
  origin_ = fmt::format("picture {} of {}", made_, source_->name());
  ++made_;
  request_.picture = picture;
  request_.other = previous_ != nullptr ? previous_ : picture;
  previous_ = picture;
  return kernel_.make_workload(request_);
}

}  // namespace sidecore::gates
