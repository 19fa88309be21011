// VP9 decoder: takes packets and shows frames.
// Source: VP9 Bitstream & Decoding Process Specification v0.6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/thread_pool.h"
#include "vp9/back_end.h"
#include "vp9/dsp.h"
#include "vp9/frame_buffer.h"
#include "vp9/frame_parser.h"
#include "vp9/frame_task.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

/// Counters of a decoder's work so far; frames in flight are not included.
struct DecoderStatistics {
  std::uint64_t frames = 0;      ///< frames decoded, shown or not
  std::uint64_t key_frames = 0;  ///< key frames among the decoded frames
  std::uint64_t shown = 0;       ///< frames shown; a frame that is shown again counts each time
  std::uint64_t frame_allocations = 0;
  /// Time spent in decode() and flush() without the time in `show`, by stage; 0 unless
  /// DecoderOptions::time_stages is set. With several threads, this time is divided between the
  /// stages in proportion to the threads' working time, without their waits.
  StageTimes stages{};
  EdgeCounts edges{};
};

/// Largest number of luma samples per frame that any level of VP9 allows (levels 6 to 6.2): about
/// 8192x4352.
inline constexpr std::int64_t kMaxLumaSamplesOfAnyLevel = 35651584;

struct DecoderOptions {
  std::string stream{};  ///< name of the stream for error messages; may be empty
  int threads = 1;       ///< number of threads, at least 1
  /// Thread pool to use instead of the decoder's own; null: own pool. It must have `threads`
  /// threads, including the calling one, and outlive the decoder. Only one decoder may use it at a
  /// time.
  ThreadPool* pool = nullptr;
  /// If true, decode() shows all frames of its packet before it returns. If false and there are
  /// several threads, the decoder works on Decoder::frames_in_flight() frames at a time, and shows
  /// a frame when frames_in_flight() later frames were passed to it.
  bool low_delay = false;
  /// If true, `show` also gets the hidden frames, in decoding order.
  bool show_hidden = false;
  /// If true, decode() shows at most one frame per packet: its last, if that frame's header shows
  /// it. A packet with spatial layers has one frame per layer, all marked as shown.
  bool last_of_packet = false;
  /// Frames with more luma samples are rejected.
  std::int64_t max_luma_samples = std::int64_t{video::kMaxDimension} * video::kMaxDimension;
  /// Allocates the memory of frames, on the heap if empty. Ignored if there is a back end, which
  /// allocates its own.
  FramePool::Allocator allocator{};
  const DspTables* dsp = &scalar_dsp();  ///< the CPU's kernels; the tables must outlive the decoder
  std::shared_ptr<BackEnd> back_end{};   ///< null: the decoder's threads run all stages
  bool time_stages = false;              ///< times the stages; costs two clock readings per block
  FrameObserver observer{};
};

/// Decodes one VP9 stream. Its functions must be called by one thread at a time.
class Decoder {
 public:
  explicit Decoder(DecoderOptions options = {});
  /// Destroys the decoder and drops frames that have not been shown.
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Called for every frame to show, in order. A frame does not change while a shared_ptr to it
  /// exists.
  using Show = std::function<void(const std::shared_ptr<const FrameBuffer>&)>;

  /// Values that the caller attaches to a packet and gets back with its frames.
  struct PacketTag {
    std::int64_t time_stamp = 0;
    void* cookie = nullptr;
  };
  /// Properties of the frame that was last passed to `show`.
  struct Shown {
    PacketTag tag;        ///< tag of the packet that caused the frame to be shown
    bool hidden = false;  ///< the stream does not show this frame; see DecoderOptions::show_hidden
    bool repeated = false;  ///< the frame is an earlier one that is shown again
  };
  [[nodiscard]] const Shown& shown() const { return shown_; }

  /// Decodes the packet's frames; `packet` is not needed after the call. Shows frames of earlier
  /// packets; with one thread or low delay it shows the packet's own frames.
  ///
  /// Throws Error (usage) for damaged data and for unsupported features. Errors of the back end
  /// keep their kind. The message begins with "STREAM: frame N: ", where N counts all frames from
  /// 0: shown, hidden and repeated.
  ///
  /// Frames before the failed one have been shown by then. Later frames in flight and the rest of
  /// the packet are dropped. An exception from `show` passes through unchanged, and the part of the
  /// packet that was not decoded yet is dropped.
  ///
  /// After an exception, decoding can continue at a key frame, from which the output is correct
  /// again. A fault of the back end itself may persist.
  void decode(std::span<const std::uint8_t> packet, const Show& show) { decode(packet, show, {}); }
  void decode(std::span<const std::uint8_t> packet, const Show& show, const PacketTag& tag);
  /// Decodes a single frame, for a caller that splits packets and manages the reference slots
  /// itself (VA-API). `slots` holds frames that this decoder returned, or null. `pixel` is the
  /// sample format if the frame's header does not state it, whatever the last key frame had.
  /// Returns the new frame, which is incomplete until it is shown.
  std::shared_ptr<const FrameBuffer> decode_frame(
      std::span<const std::uint8_t> frame, const video::PixelFormat& pixel,
      const std::array<std::shared_ptr<const FrameBuffer>, kReferenceSlots>& slots,
      const Show& show, const PacketTag& tag);
  /// Makes a frame of mid-grey to replace a missing one. Throws the errors of the allocator and of
  /// the back end.
  [[nodiscard]] std::shared_ptr<const FrameBuffer> grey_frame(const FrameSize& size,
                                                              const video::PixelFormat& pixel);
  /// Shows all frames in flight: at the end of a stream or of a part of it. Throws as decode()
  /// does.
  void flush(const Show& show);
  /// Drops all frames in flight and empties the reference slots. Call it before decoding another
  /// part of the stream, which must begin with a key frame.
  void reset();

  /// Returns the largest number of frames that are decoded at a time; 1 on one thread. It
  /// determines the memory that decoding takes and the delay until a frame is shown.
  [[nodiscard]] std::size_t frames_in_flight() const { return in_flight_.size(); }
  [[nodiscard]] const DecoderStatistics& statistics() const { return statistics_; }
  [[nodiscard]] BackEndStatistics back_end_statistics() const;
  /// Derives again the edges of the frame that was decoded last, shown or not. The decoder must
  /// have no frames in flight.
  [[nodiscard]] LoopFilterEdges edges() const;

 private:
  /// A frame of the stream that has not been shown yet.
  struct InFlight {
    FrameTask task;
    std::uint64_t number = 0;  ///< index of the frame in the stream, for errors
    bool shown = false;
    bool repeated = false;
    PacketTag tag;
  };

  [[nodiscard]] Error at(std::uint64_t frame, const Error& error) const;
  /// Calls step(). If it throws an Error, shows the frames before it, then rethrows with the
  /// stream's name and the frame's number.
  template <class Step>
  void in_order(std::uint64_t frame, const Show& show, const Step& step);
  void take(std::span<const std::uint8_t> bytes, bool may_be_shown, const Show& show);
  void take_coded(std::span<const std::uint8_t> bytes, const FrameHeader& header, FrameTask& task);
  [[nodiscard]] std::shared_ptr<FrameBuffer> start(const FrameHeader& header, FrameTask& task);
  void forget_slots(std::uint8_t slots);
  void hold(std::size_t slot, const std::shared_ptr<const FrameBuffer>& frame);
  [[nodiscard]] InFlight& in_flight_at(std::size_t index) {
    return *in_flight_[(first_ + index) % in_flight_.size()];
  }
  void retire(const Show& show);
  void drop_all();
  void present(const std::shared_ptr<const FrameBuffer>& frame, const Show& show);
  void show_all(const Show& show);
  void start_clock();
  void update_stage_times();

  DecoderOptions options_;
  FramePool frame_pool_;
  DecoderStatistics statistics_;
  SharedStageTimes times_;
  StageClock clock_;               ///< clock of the thread that calls decode()
  Clock::time_point begin_{};      ///< start of the time that is not in the statistics yet
  std::uint64_t next_number_ = 0;  ///< index of the stream's next frame
  PacketTag tag_;                  ///< tag of the packet that decode() got last
  Shown shown_;
  StreamDsp dsp_;     ///< kernels for the bit depth of the frame that was parsed last
  int dsp_bits_ = 0;  ///< bit depth of dsp_; 0: dsp_ is not set
  FrameParser parser_;
  std::array<std::shared_ptr<FrameBuffer>, kReferenceSlots> slots_;
  FrameTask::Settings settings_;
  /// Ring of frames in stream order; the elements [first_, first_ + count_) are in use.
  std::vector<std::unique_ptr<InFlight>> in_flight_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  const FrameTask* last_ = nullptr;       ///< task of the frame that was decoded last
  std::unique_ptr<ThreadPool> own_pool_;  ///< null: DecoderOptions::pool is used
  ThreadPool& pool_;
};

}  // namespace sidecore::vp9
