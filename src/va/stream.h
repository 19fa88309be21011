// A stream that is being decoded. It outlives contexts: players make a new one when pictures change
// their size, in the middle of a stream, and its probabilities, vectors and segments go on.
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

/// What EndPicture knows of a picture.
struct Submission {
  Bytes data;           ///< of one frame, headers included
  vp9::FrameSize size;  ///< as the picture parameters say
  video::PixelFormat pixel;
  vp9::FrameSize most;  ///< that its surface has room for
  /// The slots before this frame; null where there is nothing.
  std::array<std::shared_ptr<Picture>, vp9::kReferenceSlots> references;
  std::uint64_t number = 0;  ///< see Picture::number()
};

/// Owned by contexts and by the surfaces it has decoded to.
class Stream {
 public:
  /// Opens what the plan needs. Throws Error. `report` gets lines for who asks for them, `complain`
  /// those for everybody; both are called on any thread.
  Stream(const Settings& settings, Report report, Report complain);
  /// Drops what has not been decoded.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Checks headers, sizes and references, and queues the picture; waits while the queue is full.
  /// Throws Error (usage) when something is wrong: then it has not happened. A reference of another
  /// stream's is missing, which is wrong if the frame names it.
  [[nodiscard]] std::shared_ptr<Picture> submit(Submission submission);
  /// A picture that submit() refused, or never got: those behind it are damaged.
  void lose_picture();

 private:
  static constexpr std::size_t kMostQueued = 4;

  struct Job {
    Bytes data;
    std::array<std::shared_ptr<Picture>, vp9::kReferenceSlots> references;
    std::shared_ptr<Picture> picture;
    std::shared_ptr<Picture> last;  ///< LAST, which stands in for what is damaged; may be null
    bool after_loss = false;        ///< see lose_picture()
  };
  struct InFlight {
    std::shared_ptr<Picture> picture;
    std::shared_ptr<Picture> last;
    bool after_loss;
  };

  /// Makes decoder_ anew, for settings_.plan, and reports what it does. Throws Error.
  void open_decoder();
  /// After a device was lost: all stages go to the CPU, from the next key frame on.
  void leave_device();
  void work();
  void decode(const Job& job);
  /// Calls step(show) for something the decoder does; what it has given up then is concealed.
  template <class Step>
  void attempt(const Step& step);
  void conceal(const InFlight& lost);
  /// Logs what text() gives, if there is memory for it: the thread goes on in any case.
  template <class Text>
  static void tell(const Report& log, const Text& text) noexcept;
  [[nodiscard]] std::string statistics() const;

  Settings settings_;
  Report report_;
  Report complain_;
  std::shared_ptr<Home> home_;

  std::mutex submitting_;  ///< of the next two, and so that the queue has its order
  vp9::FrameChecker checker_;
  bool lost_before_next_ = false;

  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  std::deque<Job> queue_;
  bool stop_ = false;

  // Of the stream's thread.
  vp9::DspTables tables_;
  std::unique_ptr<vp9::Decoder> decoder_;
  std::deque<InFlight> in_flight_;  ///< that the decoder has taken and not shown
  bool damaged_ = false;            ///< a picture was lost, and no key frame came since
  std::uint64_t decoded_ = 0;
  std::uint64_t concealed_ = 0;

  std::thread thread_;
};

}  // namespace sidecore::va
