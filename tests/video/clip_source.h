// A source that yields a limited number of pictures of the synthetic clip.
#pragma once

#include <string>

#include "video/source.h"
#include "video/synthetic_clip.h"

namespace sidecore::test {

enum class Side { reference, distorted };

/// A source that yields the synthetic clip's reference if it is named 'a.y4m', or its distorted
/// version if it is named 'b.y4m'.
class ClipSource : public video::PictureSource {
 public:
  ClipSource(Side side, const video::PictureFormat& format, int pictures)
      : side_(side),
        clip_(format),
        pictures_(pictures),
        name_(side == Side::reference ? "'a.y4m'" : "'b.y4m'") {}

  [[nodiscard]] const video::PictureFormat& format() const override { return clip_.format(); }
  [[nodiscard]] video::FrameRate frame_rate() const override { return {25, 1}; }
  [[nodiscard]] const std::string& name() const override { return name_; }

  bool read(video::Picture& picture) override {
    if (next_ == pictures_) return false;
    if (side_ == Side::reference) {
      clip_.fill_reference(next_, picture);
    } else {
      clip_.fill_distorted(next_, clip_.reference(next_), picture);
    }
    ++next_;
    return true;
  }

 private:
  Side side_;
  video::SyntheticClip clip_;
  int pictures_;
  std::string name_;
  int next_ = 0;
};

}  // namespace sidecore::test
