// Which processor does which stage of decoding, as users say it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "qpu/device.h"
#include "vp9/decoder.h"
#include "vp9/dsp.h"

namespace sidecore::qpu {

class DevicePictures;

/// `divided`: both at the same time. Of prediction and residual the QPU takes the last rows of
/// superblocks and NEON the others, by their rates. Of the loop filter it takes luma's large
/// dependency levels (LoopFilter::kLeastEdgesOfADispatch), and NEON chroma meanwhile and the rest
/// of luma afterwards.
enum class Processor : std::uint8_t { scalar, neon, qpu, divided };
/// The enumerator's name.
[[nodiscard]] const char* to_string(Processor processor);

/// What comes after parsing.
enum class PlannedStage : std::uint8_t { prediction, residual, intra, loop_filter };
inline constexpr std::array kPlannedStages{PlannedStage::prediction, PlannedStage::residual,
                                           PlannedStage::intra, PlannedStage::loop_filter};
/// The enumerator's name.
[[nodiscard]] const char* to_string(PlannedStage stage);

/// By PlannedStage.
struct DecodePlan {
  std::array<Processor, kPlannedStages.size()> processors{Processor::neon, Processor::neon,
                                                          Processor::neon, Processor::neon};

  [[nodiscard]] Processor of(PlannedStage stage) const {
    return processors[static_cast<std::size_t>(stage)];
  }
  /// Whole or in part.
  [[nodiscard]] bool on_qpu(PlannedStage stage) const {
    return of(stage) == Processor::qpu || is_divided(stage);
  }
  [[nodiscard]] bool is_divided(PlannedStage stage) const {
    return of(stage) == Processor::divided;
  }
  [[nodiscard]] bool uses_qpu() const;
};

/// All that comes after parsing on the QPU.
inline constexpr DecodePlan kBackEndOnQpu{
    {Processor::qpu, Processor::qpu, Processor::qpu, Processor::qpu}};
/// The same with NEON's part of the stages that can be divided. The others stay on the QPU: on a
/// CPU they would read what it wrote, which a Raspberry Pi's does slowly
/// (DeviceInfo::cached_memory).
inline constexpr DecodePlan kDividedBackEnd{
    {Processor::divided, Processor::divided, Processor::qpu, Processor::qpu}};

/// The plan of a stream whose device failed: what was the QPU's, or in part, is NEON's.
[[nodiscard]] DecodePlan without_qpu(DecodePlan plan);
/// Returns true if `error`, of a decoder with such a plan, is of its device: lost, or it cannot do
/// what is asked of it. Where memory ran out, less may do.
[[nodiscard]] bool is_failed_device(const DecodePlan& plan, const Error& error);
/// What a log says when the CPU goes on.
inline constexpr const char* kGoesOnWithoutQpu =
    "the device failed: the CPU goes on with all stages, at the next key frame";

/// Throws Error (usage) for a stage that cannot be divided: intra prediction, of which each row
/// waits for the one above; and the loop filter beside other stages on the QPU, where it is the
/// last part of their submission.
void check_plan(const DecodePlan& plan);

/// A processor for all stages, or STAGE=PROCESSOR, ..., NEON for those that are not named;
/// `divided` is kDividedBackEnd. Throws Error (usage) with one line for what is no plan, and as
/// check_plan().
[[nodiscard]] DecodePlan parse_decode_plan(std::string_view text);

/// Has a device do its part of a plan that uses the QPU: a decoder's frames live in its memory.
/// With the loop filter alone there, threads reconstruct frames as without a device, and the filter
/// works in the background (LoopFilterStage); otherwise a frame's stages follow one another
/// (PictureReconstruction). The device outlives the decoder and its frames. Returns where the
/// frames lie; the decoder keeps it alive. Throws Error (usage) as check_plan().
std::shared_ptr<DevicePictures> reconstruct_on(Device& device, const DecodePlan& plan,
                                               vp9::DecoderOptions& decoder);

/// The CPU's kernels: scalar ones where the plan says so, else those of `neon`.
[[nodiscard]] vp9::DspTables tables_of(const DecodePlan& plan, const vp9::DspTables& neon);

}  // namespace sidecore::qpu
