// Computes a picture's samples from its arrays, block by block: prediction and residual, without
// the loop filter.
// Source: VP9 specification v0.6, sections 8.5 and 8.6.
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
#include "vp9/unfiltered_lines.h"

namespace sidecore::vp9 {

/// Reconstructs the superblocks of one frame. A superblock needs those to its left, above it and
/// above left of it (in its tile column) to be complete. Apart from that, superblocks may be
/// reconstructed in any order and on any thread.
class Reconstruction {
 public:
  /// Prepares for a frame. `dsp` must have the frame's bit depth. `references` are the frames of
  /// LAST, GOLDEN and ALTREF; they are unused if the frame is intra. `unfiltered` is set if the
  /// loop filter runs while the frame is reconstructed: on a superblock when the one to its right
  /// is complete. All arguments must outlive this object.
  Reconstruction(StreamDsp dsp, const FrameHeader& header, const PictureData& picture,
                 FrameBuffer& frame,
                 const std::array<std::shared_ptr<FrameBuffer>, kActiveReferences>& references,
                 UnfilteredLines* unfiltered = nullptr);

  /// Reconstructs a superblock. The clock counts ClockRow::prediction, ClockRow::intra and
  /// ClockRow::residual.
  void superblock(int row, int column, StageClock& clock) const {
    superblock(row, column, {true, true, true}, clock);
  }
  /// Reconstructs a superblock with some stages only. Prediction and residual treat inter blocks;
  /// intra also adds the residual of intra blocks; the loop filter's flag is ignored. Within a
  /// frame, all inter blocks may be done before all intra blocks, and all their prediction before
  /// their residual.
  void superblock(int row, int column, const PerStage<bool>& stages, StageClock& clock) const;

  /// Loads reference samples that the superblock will probably need into the caches. Call it for
  /// a superblock that is parsed and will be reconstructed soon.
  void prefetch_references(int row, int column) const;

 private:
  /// Views of planes: all memory of the frame, and the visible area of each reference.
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
  void prefetch_references(const Planes<Sample>& planes, const Block& block, std::size_t which,
                           int row, int column) const;
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
  UnfilteredLines* unfiltered_;  ///< null: nothing is filtered before all of the frame is complete
};

}  // namespace sidecore::vp9
