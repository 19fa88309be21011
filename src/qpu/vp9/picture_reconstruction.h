// A VP9 decoder's frames from their arrays to samples that are final, on the QPU or with stages on
// the CPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "qpu/device.h"
#include "qpu/vp9/device_pictures.h"
#include "qpu/vp9/dispatch_work.h"
#include "qpu/vp9/inter_prediction.h"
#include "qpu/vp9/intra_prediction.h"
#include "qpu/vp9/inverse_transform.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/vp9/row_division.h"
#include "vp9/frame_buffer.h"
#include "vp9/intra_schedule.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/reconstruction.h"
#include "vp9/reconstruction_stage.h"

namespace sidecore::qpu {

/// Which stages of a frame are the QPU's. The others are the CPU's, by the decoder's table.
struct ReconstructionPlan {
  bool prediction = true;  ///< of inter blocks
  bool residual = true;    ///< of inter blocks, on top of their prediction
  bool intra = true;       ///< intra blocks, their residual added
  bool loop_filter = true;
  /// Whether of the QPU's stage the CPU takes the first rows of superblocks, at the same time
  /// (RowDivision).
  bool divide_prediction = false;
  bool divide_residual = false;
};

/// What each stage's dispatches do, where all stages are the QPU's in the order of their
/// submission.
struct StageWork {
  std::vector<DispatchWork> prediction;
  std::vector<DispatchWork> residual;
  std::vector<DispatchWork> intra;
  std::vector<DispatchWork> loop_filter;
};

/// Reconstructs and filters frames of 8 to 12 bits that live in the device's memory, which
/// allocate() makes. Stages of a frame that follow one another on the QPU are one submission and
/// one fence wait; where the CPU has one between them, or a part of one, they are two, and it
/// waits. The decoder's clock gets laps of the CPU's stages as what they are, and of the QPU's as
/// vp9::Stage says. filter() returns when the frame is done. Of staged memory a frame that its
/// header hides stays on the device, unless the CPU has inter prediction: fetch() is one submission
/// more. The device, which outlives the stage, is this stage's alone while frames are decoded. For
/// two decoders open it twice.
class PictureReconstruction final : public vp9::ReconstructionStage, public DevicePictures {
 public:
  PictureReconstruction(Device& device, const ReconstructionPlan& plan);
  ~PictureReconstruction() override;

  /// Memory that both the decoder and the device see; frame_allocator() asks for it. Throws
  /// Error (usage) for samples of a depth that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format);

  [[nodiscard]] PicturePlace place_of(const vp9::FrameBuffer& frame) override;

  /// Throws Error (usage) unless the frame is in memory that allocate() made.
  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override;
  /// Buffers that the shaders read, where the CPU has no stage that reads the residual; those of a
  /// frame that is done serve another one.
  [[nodiscard]] vp9::ResidualMemory residual_memory(std::size_t coefficient_bytes,
                                                    std::size_t transforms) override;
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override;
  void finish(const vp9::FrameBuffer& frame) override;
  void leave(const vp9::FrameBuffer& frame) override;
  void fetch(const vp9::FrameBuffer& frame) override;
  [[nodiscard]] vp9::FilterStatistics statistics() const override;
  /// Of the frame that was given to reconstruct() last. Where all stages are the QPU's, the frame's
  /// submission has them in the order of the members.
  [[nodiscard]] vp9::StageDispatches dispatches() const;
  [[nodiscard]] StageWork work() const;

 private:
  struct Memory;
  struct Block;
  /// One with room for a picture of so many bytes.
  [[nodiscard]] Block& block_for(std::size_t bytes);
  [[nodiscard]] Memory& memory_of(const vp9::FrameBuffer& frame);
  /// What is recorded of a frame; begun if nothing is. The device will have the rows of superblocks
  /// from `first_row` on.
  [[nodiscard]] CommandList& list(Memory& memory, int first_row = 0);
  /// Forgets what is recorded.
  void drop_list();
  /// Waits for a submission that an earlier wait has failed for.
  void settle();
  /// Says which stage the host has just listed for the device, if anything. Programs that a stage
  /// makes when it first needs them are no work of this frame's: Stage::other has their time.
  void listed(vp9::Stage stage, bool alone, vp9::StageClock& clock);
  /// Has the device do what `list` says, until await() has returned.
  void submit(CommandList& list);
  void await();
  /// The same of what is recorded.
  void submit_recorded(vp9::StageClock& clock);
  void await_list(vp9::StageClock& clock);
  /// Both, for what is recorded, if anything is. The host has all of the frame then, unless
  /// `to_host` says that nobody reads it there.
  void run(Memory& memory, vp9::StageClock& clock, bool to_host = true);
  void reconstruct_rows(const vp9::ParsedFrame& parsed, int rows,
                        const vp9::ReconstructionParts& parts, const vp9::StageContext& context);
  void reconstruct_on_cpu(Memory& memory, const vp9::ParsedFrame& parsed,
                          const vp9::ReconstructionParts& parts, const vp9::StageContext& context);
  /// Has the device do what is recorded of the rows from `first_row` on, and the CPU meanwhile
  /// `parts` of those before.
  void run_beside_cpu(Memory& memory, const vp9::ParsedFrame& parsed,
                      const vp9::ReconstructionParts& parts, int first_row,
                      const vp9::StageContext& context);
  void predict_inter(Memory& memory, const vp9::ParsedFrame& parsed, int first_row,
                     vp9::StageClock& clock);
  void add_residual(Memory& memory, const vp9::ParsedFrame& parsed, int first_row,
                    vp9::StageClock& clock);
  /// What residual_memory() gave for a picture; null where that was nothing.
  [[nodiscard]] std::shared_ptr<const ParsedResidual> residual_of(const vp9::PictureData& picture);
  void predict_intra(Memory& memory, const vp9::ParsedFrame& parsed,
                     const vp9::StageContext& context);
  template <class Sample>
  void make_residual(const vp9::Dsp<Sample>& dsp, const vp9::PictureData& picture);

  Device& device_;
  mutable std::mutex mutex_;  ///< of all calls, also while one waits for a fence
  ReconstructionPlan plan_;
  /// Which stages share no submission with another, whatever the frame.
  struct Alone {
    bool prediction;
    bool residual;
    bool intra;
    bool loop_filter;
  };
  Alone alone_;
  std::vector<std::unique_ptr<Memory>> memories_;
  std::vector<Block> blocks_;
  std::atomic<bool> staged_ = false;  ///< whether host and device have memory of their own
  int bits_ = 0;                      ///< of what follows
  std::optional<InterPrediction> inter_;
  std::optional<InverseTransform> transform_;
  std::optional<IntraPrediction> intra_;
  std::shared_ptr<Buffer> residual_;  ///< that the CPU makes
  /// What is read by what is recorded or submitted; nobody parses into it meanwhile.
  std::shared_ptr<const ParsedResidual> read_residual_;
  vp9::IntraScheduler intra_schedule_;
  vp9::LevelScheduler filter_schedule_;
  std::unique_ptr<vp9::LoopFilterStage> cpu_filter_;
  bool wants_on_host_ = true;          ///< whether the frame in work is read there
  std::unique_ptr<CommandList> list_;  ///< null: nothing is recorded
  const Memory* recorded_ = nullptr;   ///< whose frame it is
  vp9::StageDispatches recorded_dispatches_;
  std::optional<vp9::Stage> sole_;  ///< of what is recorded, if it is one alone
  Nanoseconds programs_made_{};     ///< DeviceCounters::pipeline_creation that is in no row to come
  std::vector<Memory*> uploaded_;   ///< references that are on the device once it has run
  std::optional<Ticket> in_flight_;  ///< until a wait for it has succeeded
  RowDivision division_;
  vp9::FilterStatistics statistics_;
  vp9::StageDispatches dispatches_;
  std::vector<std::size_t> filtered_;  ///< edges, by dispatch
  std::size_t large_levels_ = 0;       ///< of them a dispatch each

  /// Of what follows. Parsers, which ask for memory, do not wait for a frame that is in work;
  /// nobody who has it asks for mutex_.
  std::mutex residuals_mutex_;
  std::vector<std::shared_ptr<ParsedResidual>> residuals_;
};

/// For vp9::DecoderOptions::allocator: the memory of frames that `stage`, which it keeps alive, is
/// to reconstruct.
[[nodiscard]] vp9::FramePool::Allocator frame_allocator(
    std::shared_ptr<PictureReconstruction> stage);

}  // namespace sidecore::qpu
