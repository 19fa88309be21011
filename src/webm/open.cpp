#include "webm/open.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <webm/callback.h>
#include <webm/reader.h>
#include <webm/webm_parser.h>

#include "base/error.h"
#include "video/packets_ahead.h"
#include "webm/tracks.h"

namespace sidecore::webm {
namespace {

using ::webm::Action;
using ::webm::ElementMetadata;
using ::webm::Id;
using ::webm::Status;

constexpr Status kContinue(Status::kOkCompleted);
constexpr Status kPause(Status::kOkPartial);
constexpr Status kEnd(1);      ///< the segment ended
constexpr Status kRefused(2);  ///< an element that this module does not read
constexpr Status kTooLarge(3);

/// Gives a stream's bytes to libwebm.
class Reader final : public ::webm::Reader {
 public:
  explicit Reader(video::ByteStream& stream) : stream_(&stream) {}

  Status Read(std::size_t count, std::uint8_t* buffer, std::uint64_t* read) override {
    static_cast<void>(stream_->peek(1));  // libwebm reads byte by byte: this fills a buffer
    return counted(stream_->read(std::as_writable_bytes(std::span(buffer, count))), count, read);
  }
  Status Skip(std::uint64_t count, std::uint64_t* skipped) override {
    std::array<std::byte, 4096> unused;
    const std::size_t piece = std::min<std::uint64_t>(count, unused.size());
    return counted(stream_->read(std::span(unused).first(piece)), count, skipped);
  }
  [[nodiscard]] std::uint64_t Position() const override { return position_; }

  /// Reads a frame's bytes. Returns false if the stream ends before.
  bool read_frame(std::vector<std::uint8_t>& bytes, std::uint64_t count) {
    position_ += count;
    return stream_->read(bytes, count);
  }
  /// Returns the next bytes without consuming them.
  [[nodiscard]] std::string_view peek(std::size_t count) { return stream_->peek(count); }

 private:
  Status counted(std::size_t got, std::uint64_t wanted, std::uint64_t* result) {
    position_ += got;
    *result = got;
    if (got == wanted) return kContinue;
    return got > 0 ? kPause : Status(Status::kEndOfFile);
  }

  video::ByteStream* stream_;
  std::uint64_t position_ = 0;
};

/// Receives the parts of a file from libwebm. It pauses the parser before the first cluster and
/// after each packet. All elements that are not needed are skipped, because libwebm would keep
/// their content in memory.
class Receiver final : public ::webm::Callback {
 public:
  explicit Receiver(Reader& reader) : reader_(&reader) {}

  /// Returns the video track if the header has been read and this module reads the file.
  [[nodiscard]] std::optional<VideoTrack> track() const {
    return at_clusters_ && video_tracks_ == 1 && !refused_ ? track_ : std::nullopt;
  }
  /// Returns the unit of time stamps in nanoseconds.
  [[nodiscard]] std::uint64_t time_unit() const { return time_unit_; }
  /// Takes the packet that was read before the parser paused; nullopt if there is none.
  std::optional<video::Packet> take() { return std::exchange(packet_, std::nullopt); }
  /// Gives memory for the next packet.
  void recycle(std::vector<std::uint8_t> bytes) { memory_ = std::move(bytes); }

  Status OnElementBegin(const ElementMetadata& element, Action* action) override {
    *action = is_needed(element.id) ? Action::kRead : Action::kSkip;
    if (element.size == ::webm::kUnknownElementSize) return kRefused;
    constexpr std::uint64_t kMaxTextBytes = 64;
    if (element.id == Id::kCodecId && element.size > kMaxTextBytes) *action = Action::kSkip;
    constexpr Id kTrackTimestampScale{0x23314f};
    if (element.id == Id::kContentEncodings || element.id == kTrackTimestampScale) refused_ = true;
    if (element.id == Id::kCluster) {
      cluster_time_.reset();
      if (!std::exchange(at_clusters_, true)) return kPause;
    }
    if (at_clusters_ && (element.id == Id::kTracks || element.id == Id::kInfo)) {
      *action = Action::kSkip;  // the header is known
    }
    if (at_clusters_ && (element.id == Id::kSimpleBlock || element.id == Id::kBlock)) {
      return begin_block(element, action);
    }
    return kContinue;
  }
  Status OnInfo(const ElementMetadata& /*element*/, const ::webm::Info& info) override {
    time_unit_ = info.timecode_scale.value();
    return kContinue;
  }
  Status OnTrackEntry(const ElementMetadata& /*element*/,
                      const ::webm::TrackEntry& entry) override {
    if (entry.track_type.value() != ::webm::TrackType::kVideo) return kContinue;
    ++video_tracks_;
    track_ = read_track(entry);
    return kContinue;
  }
  Status OnClusterBegin(const ElementMetadata& /*element*/, const ::webm::Cluster& cluster,
                        Action* action) override {
    *action = Action::kRead;
    cluster_time_ = cluster.timecode.value();
    return kContinue;
  }
  Status OnSimpleBlockBegin(const ElementMetadata& element, const ::webm::SimpleBlock& block,
                            Action* action) override {
    return OnBlockBegin(element, block, action);
  }
  Status OnBlockBegin(const ElementMetadata& /*element*/, const ::webm::Block& block,
                      Action* action) override {
    *action = block.track_number == track_->number ? Action::kRead : Action::kSkip;
    time_stamp_ = stamp(block.timecode);
    return kContinue;
  }
  Status OnFrame(const ::webm::FrameMetadata& /*frame*/, ::webm::Reader* /*reader*/,
                 std::uint64_t* left) override {
    if (std::exchange(frame_read_, false)) return kContinue;  // called again after the pause
    if (*left > video::kMaxPacketBytes) return kTooLarge;
    if (!reader_->read_frame(memory_, *left)) return Status(Status::kEndOfFile);
    *left = 0;
    frame_read_ = true;
    return give(std::move(memory_));
  }
  Status OnSegmentEnd(const ElementMetadata& /*element*/) override {
    // A second file may follow. Its packets continue the first one's; other bytes are ignored.
    return reader_->peek(kSignature.size()) == kSignature ? kContinue : kEnd;
  }

 private:
  static bool is_needed(Id id) {
    switch (id) {
      case Id::kSegment:
      case Id::kInfo:
      case Id::kTimecodeScale:
      case Id::kTracks:
      case Id::kTrackEntry:
      case Id::kTrackNumber:
      case Id::kTrackType:
      case Id::kFlagEnabled:
      case Id::kDefaultDuration:
      case Id::kCodecId:
      case Id::kVideo:
      case Id::kStereoMode:
      case Id::kPixelWidth:
      case Id::kPixelHeight:
      case Id::kDisplayWidth:
      case Id::kDisplayHeight:
      case Id::kDisplayUnit:
      case Id::kColour:
      case Id::kChromaSitingHorz:
      case Id::kChromaSitingVert:
      case Id::kRange:
      case Id::kCluster:
      case Id::kTimecode:
      case Id::kBlockGroup:
      case Id::kBlock:
      case Id::kSimpleBlock:
        return true;
      default:
        return false;
    }
  }

  /// Reads a block without bytes after its header, which is an empty frame: libwebm rejects it.
  Status begin_block(const ElementMetadata& element, Action* action) {
    constexpr std::size_t kHeaderBytes = 4;
    if (element.size != kHeaderBytes) return kContinue;
    if (std::exchange(frame_read_, false)) {  // called again after the pause
      *action = Action::kSkip;
      return kContinue;
    }
    const std::string_view header = reader_->peek(kHeaderBytes);
    if (header.size() < kHeaderBytes) return Status(Status::kEndOfFile);
    const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(header[index]); };
    if (byte(0) != (0x80U | track_->number)) {
      *action = Action::kSkip;
      return kContinue;
    }
    time_stamp_ = stamp(static_cast<std::int16_t>(byte(1) << 8U | byte(2)));
    frame_read_ = true;
    return give({});
  }

  /// Returns the time stamp of a block, whose time is relative to its cluster's. The cluster's time
  /// is unknown until its first block that is not empty.
  [[nodiscard]] std::optional<std::int64_t> stamp(std::int16_t time) const {
    if (!cluster_time_) return std::nullopt;
    return static_cast<std::int64_t>(*cluster_time_ +
                                     static_cast<std::uint64_t>(std::int64_t{time}));
  }

  /// Keeps a packet for take() and pauses the parser. Of several frames in a block only the first
  /// has a time stamp.
  Status give(std::vector<std::uint8_t> bytes) {
    packet_ = {std::move(bytes), std::exchange(time_stamp_, std::nullopt), false};
    return kPause;
  }

  Reader* reader_;
  bool refused_ = false;
  bool at_clusters_ = false;
  int video_tracks_ = 0;
  std::optional<VideoTrack> track_;  ///< the last video track; nullopt if it is not read here
  std::uint64_t time_unit_ = 1'000'000;
  std::optional<std::uint64_t> cluster_time_;
  std::optional<std::int64_t> time_stamp_;
  bool frame_read_ = false;  ///< true from the pause after a frame until the parser goes on
  std::vector<std::uint8_t> memory_;
  std::optional<video::Packet> packet_;
};

class WebmSource final : public video::PacketSource {
 public:
  explicit WebmSource(video::ByteStream& stream) : reader_(stream), receiver_(reader_) {}

  /// Reads the header. Returns false if this module does not read the file.
  bool open() {
    parse();
    const std::optional<VideoTrack> track = receiver_.track();
    const std::uint64_t unit = receiver_.time_unit();
    constexpr std::uint64_t kMaxUnit = std::numeric_limits<int>::max();
    if (!track || unit == 0 || unit > kMaxUnit) return false;
    constexpr int kNanoseconds = 1'000'000'000;
    const int divisor = std::gcd(kNanoseconds, static_cast<int>(unit));
    ticks_ = {kNanoseconds / divisor, static_cast<int>(unit) / divisor};
    track_ = *track;
    return true;
  }
  /// Keeps the stream from which open() read the header.
  void start(std::unique_ptr<video::ByteStream> stream) {
    stream_ = std::move(stream);
    if (track_.frame_rate.numerator > 0) return;
    track_.frame_rate = ahead_.read(ticks_, !stream_->size(),
                                    [this](video::Packet& packet) { return read_next(packet); });
  }

  [[nodiscard]] video::FrameRate frame_rate() const override { return track_.frame_rate; }
  [[nodiscard]] video::Description description() const override { return track_.description; }
  [[nodiscard]] video::FrameRate ticks() const override { return ticks_; }
  [[nodiscard]] const std::string& name() const override { return stream_->name(); }
  [[nodiscard]] std::optional<std::uint64_t> packets() const override { return std::nullopt; }

  bool read(video::Packet& packet) override {
    if (ahead_.take(packet)) return true;
    return read_next(packet);
  }

 private:
  /// Runs the parser until it pauses, ends or fails.
  Status parse() { return parser_.Feed(&receiver_, &reader_); }

  bool read_next(video::Packet& packet) {
    receiver_.recycle(std::move(packet.bytes));
    const Status status = parse();
    if (std::optional<video::Packet> next = receiver_.take()) {
      packet = std::move(*next);
      ++number_;
      return true;
    }
    if (status.code == kEnd.code || status.completed_ok()) return false;
    if (status.code == Status::kEndOfFile) {
      throw usage_error("{}: packet {} is cut short", name(), number_);
    }
    throw usage_error("{}: packet {} cannot be read: {}", name(), number_,
                      status.code == kTooLarge.code  ? "its size is impossible"
                      : status.code == kRefused.code ? "an element before it has no size"
                                                     : "the elements before it are damaged");
  }

  std::unique_ptr<video::ByteStream> stream_;
  Reader reader_;
  Receiver receiver_;
  ::webm::WebmParser parser_;
  VideoTrack track_;
  video::FrameRate ticks_;
  video::PacketsAhead ahead_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<video::PacketSource> open_vp9_packets(std::unique_ptr<video::ByteStream>& stream) {
  auto source = std::make_unique<WebmSource>(*stream);
  if (!source->open()) return nullptr;
  source->start(std::move(stream));
  return source;
}

}  // namespace sidecore::webm
