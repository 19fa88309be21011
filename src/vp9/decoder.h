// The VP9 decoder: packets in, frames out.
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

/// What a decoder did so far, but for frames in flight.
struct DecoderStatistics {
  std::uint64_t frames = 0;      ///< decoded, shown or not
  std::uint64_t key_frames = 0;  ///< of them
  std::uint64_t shown = 0;       ///< an earlier frame that is shown once more included
  std::uint64_t frame_allocations = 0;
  /// What passed within decode() and flush() without what `show` took; nothing unless
  /// DecoderOptions::time_stages. With several threads it is divided between stages as those
  /// threads' own time was, in which they waited for nothing.
  StageTimes stages{};
  EdgeCounts edges{};
};

/// The most luma samples of a frame that any level of VP9 allows, those of 6 to 6.2: about
/// 8192x4352.
inline constexpr std::int64_t kMostSamplesOfALevel = 35651584;

struct DecoderOptions {
  std::string stream{};  ///< its name, for errors; may be empty
  int threads = 1;       ///< at least 1
  /// Of as many threads, the calling one among them, to use instead of own ones: one decoder at a
  /// time, which it outlives.
  ThreadPool* pool = nullptr;
  /// Whether decode() shows all frames of its packet. Otherwise a decoder of several threads has
  /// Decoder::frames_in_flight() frames in work, and shows a frame when as many are behind it.
  bool low_delay = false;
  /// Whether `show` gets the frames too that are not to be shown, as they are decoded.
  bool show_hidden = false;
  /// Whether decode() shows a packet's last frame alone, if that one is to be shown. A packet with
  /// spatial layers has a frame of each, all of which are to be shown.
  bool last_of_packet = false;
  /// Frames of more luma samples are refused.
  std::int64_t max_luma_samples = std::int64_t{video::kMaxDimension} * video::kMaxDimension;
  /// Of frame memory; the heap's when empty. A back end allocates its own.
  FramePool::Allocator allocator{};
  const DspTables* dsp = &scalar_dsp();  ///< the CPU's kernels; they outlive the decoder
  std::shared_ptr<BackEnd> back_end{};   ///< null: the decoder's threads run all stages
  bool time_stages = false;              ///< two readings of the clock a block
  FrameObserver observer{};
};

class Decoder {
 public:
  explicit Decoder(DecoderOptions options = {});
  /// Drops frames that have not been shown.
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Called for every frame that is to be shown, in order. The frame does not change as long as
  /// somebody holds it.
  using Show = std::function<void(const std::shared_ptr<const FrameBuffer>&)>;

  /// What its caller says of a packet, for its frames.
  struct PacketTag {
    std::int64_t time_stamp = 0;
    void* cookie = nullptr;
  };
  /// Of the frame that `show` has been called with last.
  struct Shown {
    PacketTag tag;          ///< of the packet that had it shown
    bool hidden = false;    ///< see DecoderOptions::show_hidden
    bool repeated = false;  ///< an earlier frame that is shown once more
  };
  [[nodiscard]] const Shown& shown() const { return shown_; }

  /// Takes a packet's frame or frames, whose bytes are not needed afterwards, and shows frames of
  /// earlier packets or, with one thread or low delay, its own. Throws Error (usage) that begins
  /// with "STREAM: frame N: ", counted from 0 over all frames, be they shown, hidden or shown once
  /// more, for damaged data and for what is not supported; likewise what the back end throws, of
  /// its kind. Frames before that one have been shown then; frames behind it that were in flight,
  /// and the rest of the packet, are dropped. What `show` throws goes through as it is, and what
  /// had not been taken of the packet is dropped. After an exception the decoder can go on with a
  /// key frame: what it shows from there on is as if nothing had happened. What was the matter with
  /// the back end may be the matter still.
  void decode(std::span<const std::uint8_t> packet, const Show& show) { decode(packet, show, {}); }
  void decode(std::span<const std::uint8_t> packet, const Show& show, const PacketTag& tag);
  /// The same of a single frame, for a caller that splits packets and says what the reference slots
  /// hold (VA-API): frames that this decoder gave, or null. Samples are `pixel` where the frame's
  /// header leaves them to a key frame, whatever became of that one. Returns what the frame
  /// becomes, which is in work until it is shown.
  std::shared_ptr<const FrameBuffer> decode_frame(
      std::span<const std::uint8_t> frame, const video::PixelFormat& pixel,
      const std::array<std::shared_ptr<const FrameBuffer>, kReferenceSlots>& slots,
      const Show& show, const PacketTag& tag);
  /// A frame of mid-grey, in place of one that is missing. Throws what the allocator and the
  /// back end throw.
  [[nodiscard]] std::shared_ptr<const FrameBuffer> grey_frame(const FrameSize& size,
                                                              const video::PixelFormat& pixel);
  /// Shows all frames that are in flight: at the end of a stream, or of a part of it. Throws as
  /// decode() does.
  void flush(const Show& show);
  /// Drops all frames that are in flight and forgets the references: before another part of the
  /// stream, which begins with a key frame.
  void reset();

  /// How many frames are in work at a time, at most: the memory that decoding takes, and how far
  /// what is shown is behind. 1 on one thread.
  [[nodiscard]] std::size_t frames_in_flight() const { return in_flight_.size(); }
  [[nodiscard]] const DecoderStatistics& statistics() const { return statistics_; }
  [[nodiscard]] BackEndStatistics back_end_statistics() const;
  /// The edges of the frame that was decoded last, whether it was shown or not; derived anew. For a
  /// decoder that has nothing in flight.
  [[nodiscard]] LoopFilterEdges edges() const;

 private:
  /// A frame of the stream that has not been shown.
  struct InFlight {
    FrameTask task;
    std::uint64_t number = 0;  ///< of the stream, for errors
    bool shown = false;
    bool repeated = false;
    PacketTag tag;
  };

  [[nodiscard]] Error at(std::uint64_t frame, const Error& error) const;
  /// Calls step(). When it throws an Error, shows what is before it and says where it was.
  template <class Step>
  void in_order(std::uint64_t frame, const Show& show, const Step& step);
  void take(std::span<const std::uint8_t> bytes, bool may_be_shown, const Show& show);
  void take_coded(std::span<const std::uint8_t> bytes, const FrameHeader& header, FrameTask& task);
  [[nodiscard]] std::shared_ptr<FrameBuffer> start(const FrameHeader& header, FrameTask& task);
  void forget_slots(std::uint8_t slots);
  void hold(std::size_t slot, const std::shared_ptr<const FrameBuffer>& frame);
  [[nodiscard]] InFlight& nth(std::size_t index) {
    return *in_flight_[(first_ + index) % in_flight_.size()];
  }
  void retire(const Show& show);
  void drop_all();
  void present(const std::shared_ptr<const FrameBuffer>& frame, const Show& show);
  void show_all(const Show& show);
  void start_clock();
  void settle_times();

  DecoderOptions options_;
  FramePool frame_pool_;
  DecoderStatistics statistics_;
  SharedStageTimes times_;
  StageClock clock_;               ///< of the thread that calls decode()
  Clock::time_point begin_{};      ///< of the time that is not in the statistics yet
  std::uint64_t next_number_ = 0;  ///< of the next frame of the stream
  PacketTag tag_;                  ///< of the packet that decode() has got last
  Shown shown_;
  StreamDsp dsp_;     ///< of the bit depth of the frame that was parsed last
  int dsp_bits_ = 0;  ///< 0: none yet
  FrameParser parser_;
  std::array<std::shared_ptr<FrameBuffer>, kReferenceSlots> slots_;
  FrameTask::Settings settings_;
  /// A ring, of which [first_, first_ + count_) is in use, in the order of the stream.
  std::vector<std::unique_ptr<InFlight>> in_flight_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  const FrameTask* last_ = nullptr;       ///< that was decoded last
  std::unique_ptr<ThreadPool> own_pool_;  ///< null: another's
  ThreadPool& pool_;
};

}  // namespace sidecore::vp9
