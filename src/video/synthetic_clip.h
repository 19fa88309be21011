// A clip that needs no file. It has the same bytes on every machine, for tests and golden values.
#pragma once

#include "video/picture.h"

namespace sidecore::video {

/// A generated clip with a reference and a distorted version. The reference is three octaves of
/// value noise that drift by 3 columns and 1 row per picture. In luma, inverted 48x40 rectangles
/// move over it. This gives smooth areas, texture and hard edges. The distorted version consists of
/// 8x8 blocks that are quantised, blurred, noisy or unchanged. All arithmetic is in integers.
class SyntheticClip {
 public:
  /// Creates a clip. Throws Error (usage) as check_format() does.
  explicit SyntheticClip(const PictureFormat& format);

  [[nodiscard]] const PictureFormat& format() const { return format_; }

  /// Returns picture number `t`, which must not be negative. The clip is endless.
  [[nodiscard]] Picture reference(int t) const;
  [[nodiscard]] Picture distorted(int t) const;

  /// Writes reference(t) into `picture`, which must have this clip's format.
  void fill_reference(int t, Picture& picture) const;
  /// Writes distorted(t) into `picture`. `reference` must be reference(t).
  void fill_distorted(int t, const Picture& reference, Picture& picture) const;

 private:
  PictureFormat format_;
};

}  // namespace sidecore::video
