#include <algorithm>

#include "vp9/probabilities.h"
#include "vp9/tables.h"

namespace sidecore::vp9 {
namespace {

/// Weight of the counts against the old probability: `factor` / 256 from `saturation` symbols on,
/// and proportionally less for fewer symbols.
struct Strength {
  Count saturation;
  Count factor;
};
constexpr Strength kModes{20, 128};
constexpr Strength kCoefficientStrength{24, 112};
constexpr Strength kCoefficientsAfterKeyFrame{24, 128};

// Implements merge_prob() of section 8.4.2.
Probability merged(Probability before, Count zeros, Count ones, Strength strength) {
  const std::uint64_t total = std::uint64_t{zeros} + ones;
  if (total == 0) return before;
  const auto seen = static_cast<Count>(
      std::clamp<std::uint64_t>((std::uint64_t{zeros} * 256 + total / 2) / total, 1, 255));
  const Count weight = strength.factor *
                       static_cast<Count>(std::min<std::uint64_t>(total, strength.saturation)) /
                       strength.saturation;
  return static_cast<Probability>((before * (256 - weight) + seen * weight + 128) >> 8);
}

void merge(Probability& current, Probability before, const Count (&counts)[2]) {
  current = merged(before, counts[0], counts[1], kModes);
}

// Implements merge_probs() of section 8.4.2. Returns how often the subtree at `node` was reached.
Count merge_subtree(const std::int8_t* tree, int node, Probability* current,
                    const Probability* before, const Count* counts) {
  const auto reached = [&](int entry) {
    return entry > 0 ? merge_subtree(tree, entry, current, before, counts) : counts[-entry];
  };
  const Count zeros = reached(tree[node]);
  const Count ones = reached(tree[node + 1]);
  current[node / 2] = merged(before[node / 2], zeros, ones, kModes);
  return zeros + ones;
}

template <std::size_t Nodes, std::size_t Symbols>
void merge_tree(const std::int8_t* tree, Probability (&current)[Nodes],
                const Probability (&before)[Nodes], const Count (&counts)[Symbols]) {
  static_assert(Nodes + 1 == Symbols);
  merge_subtree(tree, 0, current, before, counts);
}

template <std::size_t Contexts, std::size_t Nodes, std::size_t Symbols>
void merge_trees(const std::int8_t* tree, Probability (&current)[Contexts][Nodes],
                 const Probability (&before)[Contexts][Nodes],
                 const Count (&counts)[Contexts][Symbols]) {
  for (std::size_t context = 0; context < Contexts; ++context) {
    merge_tree(tree, current[context], before[context], counts[context]);
  }
}

template <std::size_t Contexts>
void merge_all(Probability (&current)[Contexts], const Probability (&before)[Contexts],
               const Count (&counts)[Contexts][2]) {
  for (std::size_t context = 0; context < Contexts; ++context) {
    merge(current[context], before[context], counts[context]);
  }
}

void adapt_coefficients(Probabilities& current, const Probabilities& before, const Counts& counts,
                        Strength strength) {
  for (int size = 0; size < kTransformSizes; ++size) {
    for (int chroma = 0; chroma < 2; ++chroma) {
      for (int inter = 0; inter < 2; ++inter) {
        for (int band = 0; band < 6; ++band) {
          for (int context = 0; context < (band == 0 ? 3 : 6); ++context) {
            const auto& [asked, after_zero] = counts.tokens[size][chroma][inter][band][context];
            const TokenProbabilities& from =
                before.coefficients[size][chroma][inter][band][context];
            TokenProbabilities& to = current.coefficients[size][chroma][inter][band][context];
            const Count more = asked[kZeroToken] + asked[kOneToken] + asked[kLargerToken];
            const Count zero = asked[kZeroToken] + after_zero[kZeroToken];
            const Count one = asked[kOneToken] + after_zero[kOneToken];
            const Count larger = asked[kLargerToken] + after_zero[kLargerToken];
            to[0] = merged(from[0], asked[kNoMoreTokens], more, strength);
            to[1] = merged(from[1], zero, one + larger, strength);
            to[2] = merged(from[2], one, larger, strength);
          }
        }
      }
    }
  }
}

void adapt_modes(Probabilities& current, const Probabilities& before, const Counts& counts,
                 const AdaptationRules& rules) {
  merge_all(current.is_inter, before.is_inter, counts.is_inter);
  merge_all(current.compound_mode, before.compound_mode, counts.compound_mode);
  merge_all(current.compound_reference, before.compound_reference, counts.compound_reference);
  for (int context = 0; context < 5; ++context) {
    merge_all(current.single_reference[context], before.single_reference[context],
              counts.single_reference[context]);
  }
  merge_trees(kInterModeTree, current.inter_mode, before.inter_mode, counts.inter_mode);
  merge_trees(kIntraModeTree, current.y_mode, before.y_mode, counts.y_mode);
  merge_trees(kIntraModeTree, current.uv_mode, before.uv_mode, counts.uv_mode);
  merge_trees(kPartitionTree, current.partition, before.partition, counts.partition);
  merge_all(current.skip, before.skip, counts.skip);
  if (rules.switchable_filter) {
    merge_trees(kInterpolationFilterTree, current.interpolation_filter, before.interpolation_filter,
                counts.interpolation_filter);
  }
  if (rules.select_transform) {
    merge_trees(kTransform8x8Tree, current.transform_8x8, before.transform_8x8,
                counts.transform_8x8);
    merge_trees(kTransform16x16Tree, current.transform_16x16, before.transform_16x16,
                counts.transform_16x16);
    merge_trees(kTransform32x32Tree, current.transform_32x32, before.transform_32x32,
                counts.transform_32x32);
  }
}

void adapt_motion_vectors(Probabilities& current, const Probabilities& before, const Counts& counts,
                          bool high_precision) {
  merge_tree(kMvJointTree, current.mv_joint, before.mv_joint, counts.mv_joint);
  for (int index = 0; index < 2; ++index) {
    MvComponentProbabilities& to = current.mv_component[index];
    const MvComponentProbabilities& from = before.mv_component[index];
    const MvComponentCounts& count = counts.mv_component[index];
    merge(to.sign, from.sign, count.sign);
    merge_tree(kMvClassTree, to.classes, from.classes, count.classes);
    merge(to.class0, from.class0, count.class0);
    merge_all(to.bits, from.bits, count.bits);
    merge_trees(kMvFractionTree, to.class0_fraction, from.class0_fraction, count.class0_fraction);
    merge_tree(kMvFractionTree, to.fraction, from.fraction, count.fraction);
    if (high_precision) {
      merge(to.class0_high_precision, from.class0_high_precision, count.class0_high_precision);
      merge(to.high_precision, from.high_precision, count.high_precision);
    }
  }
}

}  // namespace

void add_counts(Counts& sum, const Counts& more) {
  static_assert(sizeof(Counts) % sizeof(Count) == 0);
  auto* to = reinterpret_cast<Count*>(&sum);
  const auto* from = reinterpret_cast<const Count*>(&more);
  for (std::size_t index = 0; index < sizeof(Counts) / sizeof(Count); ++index) {
    to[index] += from[index];
  }
}

void adapt_probabilities(Probabilities& current, const Probabilities& before, const Counts& counts,
                         const AdaptationRules& rules) {
  const bool faster = rules.after_key_frame && !rules.intra_frame;
  adapt_coefficients(current, before, counts,
                     faster ? kCoefficientsAfterKeyFrame : kCoefficientStrength);
  if (rules.intra_frame) return;
  adapt_modes(current, before, counts, rules);
  adapt_motion_vectors(current, before, counts, rules.high_precision_mv);
}

}  // namespace sidecore::vp9
