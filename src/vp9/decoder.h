// The VP9 decoder: packets in, frames out.
// Source: VP9 Bitstream & Decoding Process Specification v0.6.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/frame_context.h"
#include "vp9/frame_header.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/loop_filter_stage.h"
#include "vp9/picture_data.h"
#include "vp9/row_progress.h"
#include "vp9/stage_clock.h"
#include "vp9/tile_parser.h"

namespace sidecore::vp9 {

class Reconstruction;

/// What a decoder did so far.
struct DecoderStatistics {
  std::uint64_t frames = 0;  ///< decoded, shown or not
  std::uint64_t shown = 0;   ///< an earlier frame that is shown once more included
  std::uint64_t blocks = 0;
  std::uint64_t frame_allocations = 0;
  /// What passed within decode() without what `show` and `before_filter` took; nothing unless
  /// DecoderOptions::time_stages. Reconstruction on several threads is divided between prediction
  /// and residual as those threads' time was.
  StageTimes stages{};
  /// Edges by [vertical, horizontal][width 4, 8, 16].
  std::array<std::array<std::uint64_t, 3>, 2> edges{};
};

struct DecoderOptions {
  std::string stream{};  ///< its name, for errors; may be empty
  int threads = 1;       ///< at least 1
  /// Frames of more luma samples are refused.
  std::int64_t max_luma_samples = std::int64_t{video::kMaxDimension} * video::kMaxDimension;
  FramePool::Allocator allocator{};                ///< of frame memory; the heap's when empty
  const DspTables* dsp = &scalar_dsp();            ///< the CPU's kernels; they outlive the decoder
  std::shared_ptr<LoopFilterStage> loop_filter{};  ///< the CPU's when null
  bool time_stages = false;                        ///< two readings of the clock a block
  /// Called with every frame that has been reconstructed, and what its filter will get.
  std::function<void(const FrameBuffer&, const LoopFilterEdges&, int sharpness)> before_filter{};
};

class Decoder {
 public:
  explicit Decoder(DecoderOptions options = {});

  /// Called for every frame that is to be shown, in order. The frame does not change as long as
  /// somebody holds it. With a loop filter that works in the background (LoopFilterStage::finish())
  /// it may still be in filtering.
  using Show = std::function<void(const std::shared_ptr<const FrameBuffer>&)>;

  /// Decodes the frame or frames of a packet. Throws Error (usage) that begins with "STREAM: frame
  /// N: ", counted from 0 over all frames, be they shown, hidden or shown once more, for damaged
  /// data and for what is not supported; likewise what the filter throws, of its kind. What `show`
  /// throws goes through as it is. After an Error for a frame the decoder can go on with a key
  /// frame: what it shows from there on is as if nothing had happened. What was the matter with the
  /// filter may be the matter still.
  void decode(std::span<const std::uint8_t> packet, const Show& show);

  [[nodiscard]] DecoderStatistics statistics() const;
  [[nodiscard]] FilterStatistics filter_statistics() const {
    return options_.loop_filter->statistics();
  }
  /// The arrays and the edges of the frame that was decoded last.
  [[nodiscard]] const PictureData& picture() const { return picture_; }
  [[nodiscard]] const LoopFilterEdges& edges() const { return edges_; }

 private:
  /// Calls step(), and says of its errors where in the stream they are.
  template <class Step>
  auto locate(const Step& step);
  /// The frame to show, or null.
  std::shared_ptr<const FrameBuffer> decode_frame(std::span<const std::uint8_t> bytes);
  void start_frame(const FrameHeader& header);
  void parse(std::span<const std::uint8_t> bytes);
  void parse_tiles(std::span<const std::uint8_t> bytes);
  void adapt();
  void reconstruct(FrameBuffer& frame);
  void reconstruct_rows(const Reconstruction& reconstruction);
  void filter(FrameBuffer& frame);
  void present(const std::shared_ptr<const FrameBuffer>& frame, const Show& show);
  void finish_frame(const std::shared_ptr<FrameBuffer>& frame);

  DecoderOptions options_;
  ThreadPool team_;
  FramePool pool_;
  DecoderStatistics statistics_;
  StageClock clock_;
  std::uint64_t frame_number_ = 0;  ///< of the stream, for errors
  StreamDsp dsp_;                   ///< of the bit depth of the frame that was decoded last
  int dsp_bits_ = 0;                ///< 0: none yet

  // What outlives a frame.
  HeaderContext header_context_;
  std::array<std::shared_ptr<FrameBuffer>, kReferenceSlots> slots_;
  std::array<Probabilities, 4> saved_probabilities_{};
  std::vector<std::uint8_t> previous_segments_;
  std::vector<std::uint8_t> current_segments_;
  Storage<UnitMotion> previous_motion_;
  struct {
    FrameSize size;
    bool shown = false;
    bool key_frame = false;
  } last_;

  // Of the frame that is being decoded; kept for its memory.
  FrameContext frame_;
  PictureData picture_;
  LoopFilterEdges edges_;
  EdgeContext above_;
  std::vector<TileParser> parsers_;
  std::vector<std::span<const std::uint8_t>> tiles_;
  Counts counts_{};
  RowProgress row_progress_;
};

}  // namespace sidecore::vp9
