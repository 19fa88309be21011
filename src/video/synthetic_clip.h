// A clip that needs no file: the same bytes on every machine, for tests and golden values.
#pragma once

#include "video/picture.h"

namespace sidecore::video {

/// Reference: three octaves of value noise drifting by 3 columns and 1 row a picture, with inverted
/// 48x40 rectangles in luma that move over it: smooth areas, texture, and hard edges.
/// Distorted: 8x8 blocks that are quantised, blurred, noisy, or left alone.
/// Everything is integer arithmetic; the definition is in synthetic_clip.cpp.
class SyntheticClip {
 public:
  /// Throws Error (usage) as check_format() does.
  explicit SyntheticClip(const PictureFormat& format);

  [[nodiscard]] const PictureFormat& format() const { return format_; }

  /// Picture number `t` >= 0; there is no end.
  [[nodiscard]] Picture reference(int t) const;
  [[nodiscard]] Picture distorted(int t) const;

  /// The same into memory of the caller; `picture` has this format.
  void fill_reference(int t, Picture& picture) const;
  /// `reference` is reference(t).
  void fill_distorted(int t, const Picture& reference, Picture& picture) const;

 private:
  PictureFormat format_;
};

}  // namespace sidecore::video
