#include "vp9/compressed_header.h"

#include <algorithm>

#include "base/error.h"
#include "vp9/bool_decoder.h"
#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

constexpr int kUpdateProbability = 252;

class CompressedHeaderParser {
 public:
  CompressedHeaderParser(std::span<const std::uint8_t> bytes, const FrameHeader& frame,
                         Probabilities& probabilities)
      : decoder_(bytes), frame_(frame), probabilities_(probabilities) {
    if (decoder_.marker())
      throw usage_error("the marker bit of the compressed header is set: it must be 0");
  }

  CompressedHeader parse() {
    parse_transform_mode();
    parse_coefficients();
    update_all(probabilities_.skip);
    if (!frame_.intra_frame()) parse_inter();
    if (decoder_.overrun()) throw usage_error("the compressed header is cut short");
    return header_;
  }

 private:
  void parse_transform_mode() {
    if (frame_.quantization.lossless()) return;
    int mode = decoder_.literal(2);
    if (mode == 3) mode += decoder_.literal(1);
    header_.transform_mode = static_cast<TransformMode>(mode);
    if (header_.transform_mode != TransformMode::select) return;
    update_all(probabilities_.transform_8x8);
    update_all(probabilities_.transform_16x16);
    update_all(probabilities_.transform_32x32);
  }

  void parse_coefficients() {
    const int largest = std::min(static_cast<int>(header_.transform_mode), int{kTransform32x32});
    for (int size = 0; size <= largest; ++size) {
      if (decoder_.literal(1) == 0) continue;
      for (auto& plane : probabilities_.coefficients[size]) {
        for (auto& reference : plane) {
          for (int band = 0; band < 6; ++band) {
            for (int context = 0; context < (band == 0 ? 3 : 6); ++context) {
              for (int node = 0; node < 3; ++node) update_all(reference[band][context][node]);
            }
          }
        }
      }
    }
  }

  void parse_inter() {
    update_all(probabilities_.inter_mode);
    if (frame_.filter == kSwitchable) update_all(probabilities_.interpolation_filter);
    update_all(probabilities_.is_inter);
    parse_reference_mode();
    update_all(probabilities_.y_mode);
    update_all(probabilities_.partition);
    parse_motion_vectors();
  }

  void parse_reference_mode() {
    const bool compound_allowed = frame_.sign_bias[kGolden] != frame_.sign_bias[kLast] ||
                                  frame_.sign_bias[kAltRef] != frame_.sign_bias[kLast];
    if (compound_allowed && decoder_.literal(1) != 0) {
      header_.reference_mode =
          decoder_.literal(1) != 0 ? ReferenceMode::select : ReferenceMode::compound;
    }
    if (header_.reference_mode == ReferenceMode::select) update_all(probabilities_.compound_mode);
    if (header_.reference_mode != ReferenceMode::compound) {
      update_all(probabilities_.single_reference);
    }
    if (header_.reference_mode != ReferenceMode::single) {
      update_all(probabilities_.compound_reference);
    }
  }

  void parse_motion_vectors() {
    replace_all(probabilities_.mv_joint);
    for (MvComponentProbabilities& component : probabilities_.mv_component) {
      replace_all(component.sign);
      replace_all(component.classes);
      replace_all(component.class0);
      replace_all(component.bits);
    }
    for (MvComponentProbabilities& component : probabilities_.mv_component) {
      replace_all(component.class0_fraction);
      replace_all(component.fraction);
    }
    if (!frame_.high_precision_mv) return;
    for (MvComponentProbabilities& component : probabilities_.mv_component) {
      replace_all(component.class0_high_precision);
      replace_all(component.high_precision);
    }
  }

  // Implements diff_update_prob() for all elements of an array.
  template <class T>
  void update_all(T& target) {
    if constexpr (std::is_array_v<T>) {
      for (auto& element : target) update_all(element);
    } else if (decoder_.read(kUpdateProbability)) {
      target = moved(target, delta_index());
    }
  }

  // Implements update_mv_prob() for all elements of an array.
  template <class T>
  void replace_all(T& target) {
    if constexpr (std::is_array_v<T>) {
      for (auto& element : target) replace_all(element);
    } else if (decoder_.read(kUpdateProbability)) {
      target = static_cast<Probability>(decoder_.literal(7) << 1 | 1);
    }
  }

  // Implements decode_term_subexp().
  int delta_index() {
    if (decoder_.literal(1) == 0) return decoder_.literal(4);
    if (decoder_.literal(1) == 0) return decoder_.literal(4) + 16;
    if (decoder_.literal(1) == 0) return decoder_.literal(5) + 32;
    const int value = decoder_.literal(7);
    return value < 65 ? value + 64 : (value << 1) - 1 + decoder_.literal(1);
  }

  // Implements inv_recenter_nonneg(): values near `center` have small codes, alternately above and
  // below it.
  static int recentered(int value, int center) {
    if (value > 2 * center) return value;
    return (value & 1) != 0 ? center - ((value + 1) >> 1) : center + (value >> 1);
  }

  // Implements inv_remap_prob().
  static Probability moved(Probability from, int index) {
    const int value = kInverseMapTable[index];
    const int zero_based = from - 1;
    return static_cast<Probability>(2 * zero_based <= 255
                                        ? 1 + recentered(value, zero_based)
                                        : 255 - recentered(value, 254 - zero_based));
  }

  BoolDecoder decoder_;
  const FrameHeader& frame_;
  Probabilities& probabilities_;
  CompressedHeader header_;
};

}  // namespace

CompressedHeader parse_compressed_header(std::span<const std::uint8_t> bytes,
                                         const FrameHeader& frame, Probabilities& probabilities) {
  return CompressedHeaderParser(bytes, frame, probabilities).parse();
}

}  // namespace sidecore::vp9
