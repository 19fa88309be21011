#include "shaderdb/picture_features.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "metrics/feature_family.h"
#include "video/synthetic_clip.h"

namespace sidecore::shaderdb {
namespace {

video::PictureFormat format_of(int width, int height) {
  return {width, height, {video::Chroma::c420, 8}};
}

std::unique_ptr<qpu::FeatureWork> make_work(qpu::Device& device, const PictureFeature& feature,
                                            const video::PictureFormat& format) {
  feature.request.check(format);
  const metrics::FeatureFamily& family = metrics::family_of(*feature.request.feature);
  const auto works = qpu::family_works();
  const auto work = std::ranges::find(works, &family, &qpu::FamilyWork::family);
  return work->make(device, format, {&feature.request, 1});
}

}  // namespace

std::vector<PictureFeature> picture_features() {
  std::vector<PictureFeature> features;
  const auto add = [&](std::string_view name, const std::string& options) {
    const std::string separator = options.empty() ? "" : "=";
    features.push_back({std::string(name), options.empty() ? "picture" : "picture " + options,
                        metrics::parse_feature_request(std::string(name) + separator + options)});
  };
  for (const qpu::FamilyWork& work : qpu::family_works()) {
    for (const metrics::Feature& feature : work.family->features) add(feature.name, "");
  }
  add("float_ssim", "scale=2");  // this option decimates small pictures too, so its shaders run
  add("speed_chroma", "speed_prescale=0.5:speed_prescale_method=bilinear");
  return features;
}

PictureFeatureWork::PictureFeatureWork(qpu::Device& device, const PictureFeature& feature,
                                       int width, int height)
    : reference_(device, format_of(width, height)),
      distorted_(device, format_of(width, height)),
      work_(make_work(device, feature, format_of(width, height))),
      results_(device.create_buffer(work_->result_bytes())),
      list_(device.create_command_list()) {
  const video::SyntheticClip clip(format_of(width, height));
  clip.fill_reference(1, reference_.picture());
  clip.fill_distorted(1, reference_.picture(), distorted_.picture());
  for (int plane = 0; plane < work_->planes(); ++plane) {
    list_->upload(reference_.plane(plane));
    list_->upload(distorted_.plane(plane));
  }
  std::vector<const qpu::DevicePicture*> earlier;
  for (std::size_t i = 0; i < feature.request.history(); ++i) {
    earlier_.push_back(std::make_unique<qpu::DevicePicture>(device, reference_.picture().format()));
    clip.fill_reference(static_cast<int>(i) + 2, earlier_.back()->picture());
    list_->upload(earlier_.back()->plane(0));
    earlier.push_back(earlier_.back().get());
  }
  const qpu::BufferRange results{results_.get(), 0, results_->size()};
  qpu::record_in_clip(*work_, *list_, reference_, distorted_, earlier, results);
  list_->download(results);
  list_->finish();
}

}  // namespace sidecore::shaderdb
