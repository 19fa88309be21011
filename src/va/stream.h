// A stream that is being decoded. It outlives contexts: players make a new context when the size
// changes in mid-stream, but the decoder's probabilities, vectors and segments must continue.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "players/settings.h"
#include "va/picture.h"
#include "vp9/decoder.h"

namespace sidecore::va {

using Bytes = std::vector<std::uint8_t>;
using players::Report;
using players::Settings;

/// A picture as EndPicture receives it.
struct Submission {
  Bytes data;           ///< data of one frame, including its headers
  vp9::FrameSize size;  ///< size according to the picture parameters
  video::PixelFormat pixel;
  vp9::FrameSize most;  ///< size of the target surface, the largest that the frame may have
  /// Pictures in the reference slots before this frame; null for an empty slot.
  std::array<std::shared_ptr<Picture>, vp9::kReferenceSlots> references;
  std::uint64_t number = 0;  ///< number as in Picture::number()
};

/// A decoder and its queue. The contexts and the surfaces that use a stream own it together.
class Stream {
 public:
  /// Opens the decoder and the device that the plan needs. Throws Error. `report` receives lines of
  /// information, `complain` receives errors; both may be called on any thread.
  Stream(const Settings& settings, Report report, Report complain);
  /// Destroys the stream. Drops the pictures that are not decoded.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Checks headers, sizes and references, and queues the picture; waits while the queue is full.
  /// Throws Error (usage) if a check fails, and then changes nothing. A reference that another
  /// stream decoded counts as missing, which is an error if the frame uses it.
  [[nodiscard]] std::shared_ptr<Picture> submit(Submission submission);
  /// Records that a picture was lost, because submit() rejected it or never got it. Later pictures
  /// are marked damaged until a key frame.
  void lose_picture();

 private:
  static constexpr std::size_t kMaxQueued = 4;

  struct Job {
    Bytes data;
    std::array<std::shared_ptr<Picture>, vp9::kReferenceSlots> references;
    std::shared_ptr<Picture> picture;
    /// Frame of reference LAST, which is shown if the picture fails; may be null.
    std::shared_ptr<Picture> last;
    bool after_loss = false;  ///< true if lose_picture() was called since the last picture
  };
  struct InFlight {
    std::shared_ptr<Picture> picture;
    std::shared_ptr<Picture> last;
    bool after_loss;
  };

  /// Opens decoder_ again for settings_.plan, and reports the plan. Throws Error.
  void open_decoder();
  /// Moves all stages to the CPU after the device was lost, from the next key frame.
  void move_to_cpu();
  void work();
  void decode(const Job& job);
  /// Calls step(show), where `show` receives decoded frames. If it throws, all pictures in flight
  /// are concealed.
  template <class Step>
  void attempt(const Step& step);
  /// Finishes a lost picture with the samples of its reference LAST, or grey.
  void conceal(const InFlight& lost);
  /// Logs the result of text(). If memory is short, the line is lost, and the thread continues.
  template <class Text>
  static void tell(const Report& log, const Text& text) noexcept;
  [[nodiscard]] std::string statistics() const;

  Settings settings_;
  Report report_;
  Report complain_;
  std::shared_ptr<qpu::SharedPictureResources> resources_;

  std::mutex submitting_;  ///< guards the next two members and keeps the order of the queue
  vp9::FrameChecker checker_;
  bool lost_before_next_ = false;

  std::mutex mutex_;  ///< guards queue_ and stop_
  std::condition_variable changed_;
  std::deque<Job> queue_;
  bool stop_ = false;

  // Members that only the stream's thread uses.
  vp9::DspTables tables_;
  std::unique_ptr<vp9::Decoder> decoder_;
  std::deque<InFlight> in_flight_;  ///< pictures that the decoder has taken but not shown
  bool damaged_ = false;            ///< true if no key frame has followed the last lost picture
  std::uint64_t decoded_ = 0;       ///< number of decoded pictures
  std::uint64_t concealed_ = 0;     ///< number of concealed pictures

  std::thread thread_;
};

}  // namespace sidecore::va
