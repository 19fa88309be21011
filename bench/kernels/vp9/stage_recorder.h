// Recorder of a decoder stage's kernel calls, so that any implementation can repeat them. It is a
// function table (vp9::Dsp) whose entries record their arguments, then run the scalar definition.
// The decoder needs no code for the gates, because it calls this table like any other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "gates/kernel.h"
#include "kernels/guarded_block.h"
#include "neon/vp9/dsp.h"
#include "video/picture.h"
#include "vp9/back_end.h"
#include "vp9/dsp.h"
#include "vp9/noting_tables.h"

namespace sidecore::bench {

/// The block of a frame that one work unit writes.
struct WrittenBlock {
  std::size_t offset = 0;     ///< distance from the frame's first sample to the block's, in bytes
  std::ptrdiff_t stride = 0;  ///< distance between rows in samples
  int width = 0;              ///< width in samples
  int height = 0;
};

/// Addresses of a stage's inputs, in the order of RecordedStage::inputs.
using InputPointers = std::array<const std::byte*, 4>;

/// Recorded work of a stage on one frame, without the calls of each unit.
struct RecordedStage {
  struct Input {
    std::string name;
    std::vector<std::byte> bytes;
  };

  video::PictureFormat format;       ///< format of the frame's memory
  std::vector<WrittenBlock> blocks;  ///< blocks, one per unit; no two overlap
  std::vector<Input> inputs;         ///< data that units read; at most as many as InputPointers has
  /// Samples in the units' blocks before the stage, row by row; empty if units only write.
  std::vector<std::byte> found{};
  /// Content of the whole frame before the stage; empty if no unit reads it.
  std::vector<std::byte> samples{};
};

/// Workload of a stage; the work unit is one block. The kernels write to a frame in a decoder's
/// memory layout. Their inputs follow after the frame.
class StageWorkload : public gates::Workload {
 public:
  explicit StageWorkload(RecordedStage work);

  [[nodiscard]] std::size_t units() const override { return work_.blocks.size(); }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }
  void reset(std::span<std::byte> memory) const override;
  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override;
  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override;
  [[nodiscard]] std::vector<gates::CpuCalls> cpu_calls(std::span<std::byte> memory) const override;
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override;
  [[nodiscard]] std::string describe(std::size_t byte) const override;

  /// Runs units like run_neon(), but with the function tables `dsp` instead of NEON's.
  virtual void run(const vp9::DspTables& dsp, std::span<std::byte> memory,
                   gates::UnitRange units) const = 0;
  /// Returns the frame's part of the memory block, to be compared with a decoder's frame.
  [[nodiscard]] std::span<std::byte> frame_in(std::span<std::byte> memory) const {
    return block_.part(memory, 0);
  }

 protected:
  /// Describes the call on the unit's block: "horizontal, eighth 3".
  [[nodiscard]] virtual std::string text(std::size_t unit) const = 0;

  [[nodiscard]] const RecordedStage& work() const { return work_; }
  [[nodiscard]] InputPointers inputs_in(std::span<std::byte> memory) const;
  /// Returns the frame's offset in the memory block, in bytes.
  [[nodiscard]] std::size_t frame_offset() const { return block_.region(0).offset; }
  [[nodiscard]] std::size_t input_offset(std::size_t index) const {
    return block_.region(index + 1).offset;
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view variant) const override;
  [[nodiscard]] std::string place(std::size_t offset) const;

  RecordedStage work_;
  GuardedBlock block_;  ///< layout of the memory: the frame, then the inputs
  /// Owner of each group of 4 samples of the frame: the unit that writes it, plus 1; 0 if there is
  /// none.
  std::vector<std::uint32_t> owners_;
};

/// Records the calls of one frame after another. Derived classes record one stage's table entries.
class StageRecorder {
 public:
  StageRecorder() = default;
  virtual ~StageRecorder() = default;
  StageRecorder(const StageRecorder&) = delete;
  StageRecorder& operator=(const StageRecorder&) = delete;

  /// Returns NEON's function tables with recording entries for the stage.
  [[nodiscard]] virtual const vp9::DspTables& tables() const = 0;
  /// Calls work(). During it, this thread may call tables() on frames from allocate().
  virtual void record(const std::function<void()>& work) = 0;
  /// Announces, during record(), that the calls for all blocks of this frame follow.
  virtual void begin(const vp9::ParsedFrame& /*parsed*/) {}
  /// Returns the work on `frame` that was recorded since the last call; null if there is none.
  [[nodiscard]] virtual std::unique_ptr<StageWorkload> take(const video::Picture& frame) = 0;
  /// Calls tables() for random blocks of `frame`, of every kind that a stream can have. `reference`
  /// is an earlier frame. Both frames must contain samples.
  virtual void draw(video::Picture& frame, const vp9::FrameBuffer& reference,
                    gates::Content content, Random& random) = 0;

  /// Allocates a frame. The recorder finds the frame of a call's address among the frames that it
  /// has allocated.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format);

 protected:
  /// Position of a byte in a frame's memory.
  struct Place {
    std::span<const std::byte> frame;
    std::size_t offset = 0;
  };
  [[nodiscard]] std::optional<Place> find(const void* sample) const;
  /// Adds a block that a call writes.
  template <class Sample>
  void add_block(const Sample* to, std::ptrdiff_t stride, int width, int height) {
    work_.blocks.push_back({offset_of(to), stride, width, height});
  }
  /// Returns the offset in bytes of a block's first sample in the frame.
  [[nodiscard]] std::size_t offset_of(const void* to) const;
  /// Returns the index of the input of this name; adds the input if there is none.
  [[nodiscard]] std::size_t input(std::string_view name);
  /// Appends samples to an input and returns their offset in bytes.
  template <class Sample>
  std::size_t append(std::size_t input, const Sample* samples, std::size_t count) {
    return append_bytes(work_.inputs[input].bytes, std::as_bytes(std::span(samples, count)));
  }
  static std::size_t append_bytes(std::vector<std::byte>& to, std::span<const std::byte> bytes);
  [[nodiscard]] RecordedStage take_work(const video::Picture& frame);

  RecordedStage work_;

 private:
  /// Memory ranges of all frames from allocate() that still exist.
  using Frames = std::vector<std::span<const std::byte>>;
  std::shared_ptr<Frames> frames_ = std::make_shared<Frames>();
};

/// Base of each stage's recorder. A Unit has
///   void run(const vp9::Dsp<Sample>&, Sample* to, const InputPointers&) const;
///   std::string text() const;
///   static constexpr std::array kMarks: names of properties, and a function that tests a unit for
///   each.
/// RecordingTables calls the Recorder's note(), which adds to units_ and work_.
template <class Recorder, class Unit>
class RecorderOf : public StageRecorder {
 public:
  [[nodiscard]] const vp9::DspTables& tables() const override {
    static const vp9::DspTables kTables = [] {
      vp9::DspTables tables = neon::vp9_dsp();
      tables.name = "recording";
      vp9::RecordingTables<Recorder>::replace_entries(tables);
      return tables;
    }();
    return kTables;
  }

  void record(const std::function<void()>& work) override {
    const typename vp9::RecordingTables<Recorder>::CallRecordingScope noting(
        static_cast<Recorder&>(*this));
    work();
  }

  [[nodiscard]] std::unique_ptr<StageWorkload> take(const video::Picture& frame) override {
    RecordedStage work = take_work(frame);
    std::vector<Unit> units = std::exchange(units_, {});
    if (units.empty()) return nullptr;
    return make(std::move(work), std::move(units));
  }

 protected:
  class UnitWorkload : public StageWorkload {
   public:
    UnitWorkload(RecordedStage work, std::vector<Unit> units)
        : StageWorkload(std::move(work)), units_(std::move(units)) {}

    void run(const vp9::DspTables& dsp, std::span<std::byte> memory,
             gates::UnitRange units) const override {
      const InputPointers inputs = inputs_in(memory);
      std::byte* const frame = frame_in(memory).data();
      const auto run_by = [&]<class Sample>(const vp9::Dsp<Sample>* table) {
        for (std::size_t unit = units.first; unit < units.last; ++unit) {
          auto* const to = reinterpret_cast<Sample*>(frame + work().blocks[unit].offset);
          units_[unit].run(*table, to, work().blocks[unit].stride, inputs);
        }
      };
      std::visit(run_by, dsp.of(work().format.pixel.bits));
    }

    [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
        std::span<const std::byte> /*memory*/) const override {
      std::vector<gates::BranchRate> rates;
      const auto all = static_cast<double>(units_.size());
      for (const auto& [name, marked] : Unit::kMarks) {
        std::size_t count = 0;
        for (const Unit& unit : units_) count += marked(unit) ? 1 : 0;
        rates.push_back({name, static_cast<double>(count) / all, "blocks", all});
      }
      return rates;
    }

   protected:
    [[nodiscard]] const std::vector<Unit>& all() const { return units_; }

   private:
    [[nodiscard]] std::string text(std::size_t unit) const override { return units_[unit].text(); }

    std::vector<Unit> units_;
  };

  /// Makes the workload. Recorders of stages that the QPU can run override this with a workload
  /// that records QPU dispatches.
  [[nodiscard]] virtual std::unique_ptr<StageWorkload> make(RecordedStage work,
                                                            std::vector<Unit> units) {
    return std::make_unique<UnitWorkload>(std::move(work), std::move(units));
  }

  std::vector<Unit> units_;
};

/// Returns the format of a decoder's frame memory: rounded up to whole superblocks.
[[nodiscard]] video::PictureFormat whole_superblocks(video::PictureFormat format);

/// Returns the descriptor of a stage that `make_recorder` records. A VP9 stream gives one workload
/// per frame, shown or hidden, that has units: blocks in the decoder's order, with the decoder's
/// arguments. Synthetic contents, and pictures from other formats, have random blocks at least kGap
/// samples apart. Content::high_variance has only the lowest and the highest sample value.
[[nodiscard]] gates::Kernel recorded_stage(
    std::string_view name, std::string_view description,
    std::function<std::unique_ptr<StageRecorder>()> make_recorder);

/// A block's size, in samples.
struct BlockShape {
  int width = 0;
  int height = 0;
};
inline constexpr int kGap =
    8;  // alignment of random blocks in samples: 8, as of most blocks in streams
/// Calls place(plane, x, y, shape) for positions all over a frame, with random shapes from `shapes`
/// that fit at these positions.
void scatter(const video::PictureFormat& format, std::span<const BlockShape> shapes, Random& random,
             const std::function<void(int plane, int x, int y, const BlockShape& shape)>& place);

}  // namespace sidecore::bench
