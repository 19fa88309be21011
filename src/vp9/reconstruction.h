// From a picture's arrays to samples: prediction and residual, block by block, without the loop
// filter.
// Source: VP9 specification v0.6, section 8.5 and 8.6.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <variant>

#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/frame_header.h"
#include "vp9/inter_areas.h"
#include "vp9/inter_prediction.h"
#include "vp9/picture_data.h"
#include "vp9/plan.h"
#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

/// Reconstructs the superblocks of one frame. A superblock needs those to the left of it, above it
/// and above left of it (in its tile column) to be there; otherwise they may be done in any order,
/// on any thread.
class Reconstruction {
 public:
  /// `dsp` is of the frame's bit depth. `references` are those of LAST, GOLDEN and ALTREF; unused
  /// when the frame is intra.
  Reconstruction(StreamDsp dsp, const FrameHeader& header, const PictureData& picture,
                 FrameBuffer& frame,
                 const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references);

  /// The clock gets laps of ClockRow::prediction, ClockRow::intra and ClockRow::residual.
  void superblock(int row, int column, StageClock& clock) const {
    superblock(row, column, {true, true, true}, clock);
  }
  /// Runs only some stages: prediction and residual are those of inter blocks, intra has the
  /// residual of intra blocks too, the loop filter does not count. In a whole frame inter blocks
  /// may come before all intra blocks, and their prediction before all residual.
  void superblock(int row, int column, const PerStage<bool>& stages, StageClock& clock) const;

 private:
  /// Of the frame's memory, and of what is visible of the references.
  template <class Sample>
  struct Planes {
    std::array<video::PlaneView<Sample>, 3> frame;
    std::array<std::array<video::PlaneView<const Sample>, 3>, kActiveReferences> references;
  };

  template <class Sample>
  void reconstruct(const Dsp<Sample>& dsp, const Block& block, const PerStage<bool>& stages,
                   StageClock& clock) const;
  template <class Sample>
  void reconstruct_intra(const Dsp<Sample>& dsp, const Block& block, StageClock& clock) const;
  template <class Sample>
  void predict_inter_block(const Dsp<Sample>& dsp, const Block& block) const;
  template <class Sample>
  void predict_whole(const Dsp<Sample>& dsp, const Block& block, std::size_t which) const;
  template <class Sample>
  void predict_parts(const Dsp<Sample>& dsp, const Block& block, std::size_t which) const;
  template <class Sample>
  inline __attribute__((always_inline)) void predict_area(const Dsp<Sample>& dsp,
                                                          const Block& block, std::size_t which,
                                                          std::size_t begin, std::size_t end,
                                                          const PlaneBlock& part,
                                                          const ReferenceArea& area) const;
  template <class Sample>
  void add_transforms(const Dsp<Sample>& dsp, const Block& block) const;
  template <class Sample>
  void add_transform(const Dsp<Sample>& dsp, const TransformBlock& transform,
                     const video::PlaneView<Sample>& view) const;

  StreamDsp dsp_;
  const FrameHeader& header_;
  const PictureData& picture_;
  InterAreas areas_;
  std::variant<Planes<std::uint8_t>, Planes<std::uint16_t>> planes_;
  std::array<ReferenceScale, kActiveReferences> scales_{};
};

}  // namespace sidecore::vp9
