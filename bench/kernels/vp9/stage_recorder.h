// What a decoder asks of the kernels of one stage, recorded to be done again by any of them: a
// table (vp9::Dsp) whose entries note what they are given, then run the definition. A decoder calls
// it as it calls every table, so nothing is told apart for the gates' sake.
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

/// What a unit writes: a block of a frame.
struct WrittenBlock {
  std::size_t offset = 0;     ///< bytes from the frame's first to the block's
  std::ptrdiff_t stride = 0;  ///< samples
  int width = 0;              ///< samples
  int height = 0;
};

/// Where the inputs of a stage lie, by their order in StageWork::inputs.
using InputPointers = std::array<const std::byte*, 4>;

/// What a stage does to a frame, but for what each unit calls.
struct StageWork {
  struct Input {
    std::string name;
    std::vector<std::byte> bytes;
  };

  video::PictureFormat format;       ///< of the frame's memory
  std::vector<WrittenBlock> blocks;  ///< by unit; no two overlap
  std::vector<Input> inputs;         ///< what units read: at most as many as InputPointers
  /// The samples that units find in their blocks, row by row; empty where they only write.
  std::vector<std::byte> found{};
  /// What the whole frame's memory holds before; empty where nobody reads it.
  std::vector<std::byte> samples{};
};

/// Unit: a block. The stage's kernels write into a frame that lies as a decoder's does; the other
/// memory that they are given is laid out behind it.
class StageWorkload : public gates::Workload {
 public:
  explicit StageWorkload(StageWork work);

  [[nodiscard]] std::size_t units() const override { return work_.blocks.size(); }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }
  void reset(std::span<std::byte> memory) const override;
  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override;
  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override;
  [[nodiscard]] std::vector<gates::CpuCalls> cpu_calls(std::span<std::byte> memory) const override;
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override;
  [[nodiscard]] std::string describe(std::size_t byte) const override;

  /// As run_neon() with NEON's tables: `dsp` is in their place.
  virtual void run(const vp9::DspTables& dsp, std::span<std::byte> memory,
                   gates::UnitRange units) const = 0;
  /// The frame within the block, to be compared with a decoder's.
  [[nodiscard]] std::span<std::byte> frame_in(std::span<std::byte> memory) const {
    return block_.part(memory, 0);
  }

 protected:
  /// What is done to the unit's block: "horizontal, eighth 3".
  [[nodiscard]] virtual std::string text(std::size_t unit) const = 0;

  [[nodiscard]] const StageWork& work() const { return work_; }
  [[nodiscard]] InputPointers inputs_in(std::span<std::byte> memory) const;
  /// Where in the block of memory the frame lies.
  [[nodiscard]] std::size_t frame_offset() const { return block_.region(0).offset; }
  [[nodiscard]] std::size_t input_offset(std::size_t index) const {
    return block_.region(index + 1).offset;
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view variant) const override;
  [[nodiscard]] std::string place(std::size_t offset) const;

  StageWork work_;
  GuardedBlock block_;  ///< the frame, then the inputs
  /// Of each group of 4 samples of the frame: the unit that writes it, counted from 1.
  std::vector<std::uint32_t> owners_;
};

/// Records one frame after another. Derived classes know a stage's table.
class StageRecorder {
 public:
  StageRecorder() = default;
  virtual ~StageRecorder() = default;
  StageRecorder(const StageRecorder&) = delete;
  StageRecorder& operator=(const StageRecorder&) = delete;

  /// NEON's tables, with recording ones in the stage's place.
  [[nodiscard]] virtual const vp9::DspTables& tables() const = 0;
  /// Calls work(), which may call tables() on this thread, for frames that allocate() made.
  virtual void record(const std::function<void()>& work) = 0;
  /// Within record(): the tables are going to be called for all of this frame.
  virtual void begin(const vp9::ParsedFrame& /*parsed*/) {}
  /// All that was recorded since the last call, of the frame in this memory. Null: nothing was.
  [[nodiscard]] virtual std::unique_ptr<StageWorkload> take(const video::Picture& frame) = 0;
  /// Calls tables() for blocks of `frame`, drawn from all that a stream may ask for; `reference`
  /// is an earlier frame. Both have samples.
  virtual void draw(video::Picture& frame, const vp9::FrameBuffer& reference,
                    gates::Content content, Random& random) = 0;

  /// Memory of a frame: where a call reads or writes, the recorder knows by what it has made.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format);

 protected:
  /// A byte of a frame's memory.
  struct Place {
    std::span<const std::byte> frame;
    std::size_t offset = 0;
  };
  [[nodiscard]] std::optional<Place> find(const void* sample) const;
  /// Adds a block of the frame that is written to.
  template <class Sample>
  void add_block(const Sample* to, std::ptrdiff_t stride, int width, int height) {
    work_.blocks.push_back({offset_of(to), stride, width, height});
  }
  /// Of a block's first sample.
  [[nodiscard]] std::size_t offset_of(const void* to) const;
  /// The input of this name, new if there is none.
  [[nodiscard]] std::size_t input(std::string_view name);
  /// Adds samples to an input; returns where they begin, in bytes.
  template <class Sample>
  std::size_t append(std::size_t input, const Sample* samples, std::size_t count) {
    return append_bytes(work_.inputs[input].bytes, std::as_bytes(std::span(samples, count)));
  }
  static std::size_t append_bytes(std::vector<std::byte>& to, std::span<const std::byte> bytes);
  [[nodiscard]] StageWork take_work(const video::Picture& frame);

  StageWork work_;

 private:
  /// Begins and sizes of all memory that allocate() gave and that is still there.
  using Frames = std::vector<std::span<const std::byte>>;
  std::shared_ptr<Frames> frames_ = std::make_shared<Frames>();
};

/// The base of each recorder in bench/kernels/vp9. A Unit has
///   void run(const vp9::Dsp<Sample>&, Sample* to, const InputPointers&) const;
///   std::string text() const;
///   static constexpr std::array kMarks: names, and whether a unit has the mark.
/// The Recorder is what NotingTables takes; its note() adds to units_ and work_.
template <class Recorder, class Unit>
class RecorderOf : public StageRecorder {
 public:
  [[nodiscard]] const vp9::DspTables& tables() const override {
    static const vp9::DspTables kTables = [] {
      vp9::DspTables tables = neon::vp9_dsp();
      tables.name = "recording";
      vp9::NotingTables<Recorder>::put_over(tables);
      return tables;
    }();
    return kTables;
  }

  void record(const std::function<void()>& work) override {
    const typename vp9::NotingTables<Recorder>::Noting noting(static_cast<Recorder&>(*this));
    work();
  }

  [[nodiscard]] std::unique_ptr<StageWorkload> take(const video::Picture& frame) override {
    StageWork work = take_work(frame);
    std::vector<Unit> units = std::exchange(units_, {});
    if (units.empty()) return nullptr;
    return make(std::move(work), std::move(units));
  }

 protected:
  class UnitWorkload : public StageWorkload {
   public:
    UnitWorkload(StageWork work, std::vector<Unit> units)
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

  /// A recorder of a stage that the QPU has too makes one that records it.
  [[nodiscard]] virtual std::unique_ptr<StageWorkload> make(StageWork work,
                                                            std::vector<Unit> units) {
    return std::make_unique<UnitWorkload>(std::move(work), std::move(units));
  }

  std::vector<Unit> units_;
};

/// Of a decoder's memory for frames of this format.
[[nodiscard]] video::PictureFormat whole_superblocks(video::PictureFormat format);

/// The descriptor of a stage that `make_recorder` records. Workloads of a VP9 stream are its
/// frames, shown or hidden, that have units: blocks in the order in which the decoder comes to
/// them, with what they are given there. Synthetic contents, and pictures of what is no VP9, have
/// blocks drawn at random, at least kGap samples apart; Content::high_variance has nothing but the
/// least and the greatest sample.
[[nodiscard]] gates::Kernel recorded_stage(
    std::string_view name, std::string_view description,
    std::function<std::unique_ptr<StageRecorder>()> make_recorder);

/// A block's size, in samples.
struct BlockShape {
  int width = 0;
  int height = 0;
};
inline constexpr int kGap = 8;  // as most blocks of streams, drawn ones begin at multiples of 8
/// Calls place(plane, x, y, shape) all over a frame, with shapes drawn from `shapes` that fit.
void scatter(const video::PictureFormat& format, std::span<const BlockShape> shapes, Random& random,
             const std::function<void(int plane, int x, int y, const BlockShape& shape)>& place);

}  // namespace sidecore::bench
