// Tests the answers that players get. The C library, the VA-API driver and the GStreamer element
// get the same bytes and events, and must answer as the table of docs/players.md says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capi/decoding.h"
#include "environment_variable.h"
#include "failing_memory.h"
#include "forked_child.h"
#include "players/interface.h"
#include "qpu/vp9/back_end.h"
#include "vp9/rewritten_frames.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::EnvironmentVariable;
using test::Interface;
using test::Packet;
using test::Shown;
using test::Wishes;

/// Packets of a stream, each of which shows a picture, and the pictures' checksums.
struct Stream {
  std::vector<Packet> packets;
  std::vector<std::string> expected;
};

Stream stream_of(const std::vector<Bytes>& packets, const std::vector<std::string>& checksums) {
  Stream stream;
  vp9::HeaderContext context;
  for (const Bytes& bytes : packets) {
    Packet packet{.number = stream.packets.size(), .bytes = bytes, .frames = {}};
    for (const Bytes& frame : test::frames_of({bytes})) {
      const vp9::FrameHeader header = vp9::parse_frame_header(frame, context);
      context.keep(header);
      packet.frames.push_back({frame, header});
    }
    stream.packets.push_back(packet);
  }
  for (const std::string& line : checksums) {
    stream.expected.push_back(line.substr(line.find(' ') + 1));
  }
  return stream;
}

Stream corpus_stream(const std::string& name, std::size_t packets) {
  std::vector<Bytes> bytes = test::corpus_packets(name);
  std::vector<std::string> sums = test::lines_of(SIDECORE_VP9_CORPUS "/" + name + ".framemd5");
  bytes.resize(std::min(bytes.size(), packets));
  sums.resize(bytes.size());
  return stream_of(bytes, sums);
}

constexpr std::size_t kGroup = 5;  // number of packets from one key frame to the next
Stream key_frames() {
  return corpus_stream("key-frames", 3 * kGroup);
}

/// Returns the test's stream with one packet replaced by the first packet of another stream.
Stream with_packet(std::size_t number, const std::string& other) {
  std::vector<Bytes> packets = test::corpus_packets("key-frames");
  std::vector<std::string> sums = test::lines_of(SIDECORE_VP9_CORPUS "/key-frames.framemd5");
  packets.resize(3 * kGroup);
  sums.resize(3 * kGroup);
  packets.at(number) = test::corpus_packets(other).at(0);
  sums.at(number) = test::lines_of(SIDECORE_VP9_CORPUS "/" + other + ".framemd5").at(0);
  return stream_of(packets, sums);
}

Stream hidden_frames() {
  Stream stream = corpus_stream("alt-ref", 12);
  EXPECT_TRUE(std::ranges::any_of(stream.packets,
                                  [](const Packet& packet) { return packet.frames.size() > 1; }));
  return stream;
}

/// Returns a stream that starts with a hidden frame that fills one slot; later frames use other
/// slots.
Stream with_one_slot() {
  Stream stream = key_frames();
  const Bytes frame = test::as_intra_only(stream.packets[0].bytes, 1);
  stream.packets[0].bytes = frame;
  stream.packets[0].frames = {{frame, vp9::parse_frame_header(frame, {})}};
  return stream;
}

struct Event {
  std::function<Stream()> stream = key_frames;
  /// Index of the packet whose answer is compared; none: the first packet whose answer is not
  /// success.
  std::optional<std::size_t> at{};
  std::size_t first = 0;                        ///< number of the first packet that is sent
  std::function<Bytes(const Bytes&)> damage{};  ///< function that changes the packet's bytes
  Wishes wishes{};
  const char* lose_device_at = nullptr;  ///< number of the submission that loses the device
  const char* largest_buffer = nullptr;  ///< limit of the device's buffers, in bytes
  std::size_t no_blocks_of =
      0;  ///< size in bytes of allocations that fail while the packet is decoded
  bool encrypted = false;
  bool sought = false;  ///< true if a seek precedes the packet
  bool forked = false;  ///< true if a child process also sends the packet
  bool closed = false;  ///< true if the answer of close() is compared
};

/// A row of the table in docs/players.md.
struct Row {
  const char* event;
  const char* library;
  const char* driver;
  const char* element;
  const char* afterwards;
  Event how;
};

constexpr const char* kNothing = "nothing is lost";
constexpr const char* kNextKey = "right from the next key frame";
constexpr const char* kNextKeyOnCpu = "right from the next key frame, on the CPU";
constexpr const char* kNoMore = "no picture more";
constexpr const char* kNotOpened = "nothing is opened";

Bytes cut_to(const Bytes& packet, std::size_t bytes) {
  return {packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(bytes)};
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"Packet without bytes",
       "`SIDECORE_OK`",
       "`vaCreateBuffer()`: `VA_STATUS_ERROR_INVALID_PARAMETER`",
       "`GST_FLOW_OK`",
       kNothing,
       {.at = 2, .damage = [](const Bytes&) { return Bytes{}; }}},
      {"Packet that shows one frame and hides another",
       "`SIDECORE_OK`",
       "`VA_STATUS_SUCCESS`",
       "`GST_FLOW_OK`",
       kNothing,
       {.stream = hidden_frames}},
      {"Packet cut short within its headers",
       "`SIDECORE_ERROR_DATA`",
       "`vaEndPicture()`: `VA_STATUS_ERROR_DECODING_ERROR`",
       "`GST_FLOW_OK`, a warning in the log",
       kNextKey,
       {.at = 2, .damage = [](const Bytes& packet) { return cut_to(packet, 12); }}},
      {"Packet cut short behind its headers",
       "`SIDECORE_ERROR_DATA`",
       "`VA_STATUS_SUCCESS`, `vaQuerySurfaceError()` tells",
       "`GST_FLOW_OK`, a warning in the log",
       kNextKey,
       {.at = 2, .damage = [](const Bytes& packet) { return cut_to(packet, packet.size() / 2); }}},
      {"Packet without VP9's frame marker",
       "`SIDECORE_ERROR_DATA`",
       "`vaEndPicture()`: `VA_STATUS_ERROR_DECODING_ERROR`",
       "`GST_FLOW_OK`, a warning in the log",
       kNextKey,
       {.at = 2,
        .damage =
            [](Bytes packet) {
              packet[0] ^= 0xc0U;
              return packet;
            }}},
      {"Frame that names a reference that is missing",
       "`SIDECORE_ERROR_DATA`",
       "`vaEndPicture()`: `VA_STATUS_ERROR_DECODING_ERROR`",
       "`GST_FLOW_OK`, a warning in the log",
       kNextKey,
       {.stream = with_one_slot, .at = 1}},
      {"Stream that starts without a key frame",
       "`SIDECORE_ERROR_DATA`",
       "`vaEndPicture()`: `VA_STATUS_ERROR_DECODING_ERROR`",
       "`GST_FLOW_OK`",
       kNextKey,
       {.at = 2, .first = 2}},
      {"Seek to a key frame",
       "`SIDECORE_OK`",
       "`VA_STATUS_SUCCESS`",
       "`GST_FLOW_OK`",
       kNothing,
       {.at = kGroup, .sought = true}},
      {"Seek to another frame",
       "`SIDECORE_ERROR_DATA`",
       "`vaEndPicture()`: `VA_STATUS_ERROR_DECODING_ERROR`",
       "`GST_FLOW_OK`",
       kNextKey,
       {.at = kGroup + 1, .sought = true}},
      {"Closed while pictures are in flight",
       "–",
       "`VA_STATUS_SUCCESS`",
       "`GST_STATE_CHANGE_SUCCESS`",
       kNoMore,
       {.at = 3, .wishes = {.threads = 3}, .closed = true}},
      {"Pictures that change their size",
       "`SIDECORE_OK`",
       "`VA_STATUS_SUCCESS`",
       "`GST_FLOW_OK`",
       kNothing,
       {.stream = [] { return corpus_stream("resize-tiny", 14); }}},
      {"Picture larger than the limit",
       "`SIDECORE_ERROR_DATA`",
       "`vaCreateContext()`: `VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED`",
       "`GST_FLOW_OK`, a warning in the log",
       kNextKey,
       {.stream = [] { return with_packet(2, "rate-high"); },
        .at = 2,
        .wishes = {.max_pixels = 176 * 144}}},
      {"12 bits, 4:2:0",
       "`SIDECORE_OK`",
       "`VA_STATUS_SUCCESS`",
       "`GST_FLOW_OK`",
       kNothing,
       {.stream = [] { return corpus_stream("profile-2-12", 4); }}},
      {"4:4:4",
       "`SIDECORE_OK`",
       "`vaCreateConfig()`: `VA_STATUS_ERROR_UNSUPPORTED_PROFILE`",
       "`GST_FLOW_OK`",
       kNothing,
       {.stream = [] { return corpus_stream("profile-1-444", 4); }}},
      {"4:4:0",
       "`SIDECORE_OK`",
       "`vaCreateConfig()`: `VA_STATUS_ERROR_UNSUPPORTED_PROFILE`",
       "`GST_FLOW_NOT_NEGOTIATED`, error `GST_STREAM_ERROR_FORMAT`",
       kNothing,
       {.stream = [] { return corpus_stream("profile-1-440", 4); }}},
      {"4:2:2 of 12 bits, and a plan for the QPU",
       "`SIDECORE_OK`",
       "`vaCreateConfig()`: `VA_STATUS_ERROR_UNSUPPORTED_PROFILE`",
       "`GST_FLOW_OK`",
       "nothing is lost, on the GPU",
       {.stream = [] { return corpus_stream("profile-3-422-12", 2); }, .wishes = {.plan = "qpu"}}},
      {"Encrypted packet",
       "`SIDECORE_ERROR_DATA`",
       "`vaCreateBuffer()`: `VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE`",
       "`GST_FLOW_NOT_NEGOTIATED`",
       kNextKey,
       {.at = 2, .encrypted = true}},
      {"No memory for a picture",
       "`SIDECORE_ERROR_MEMORY`",
       "`VA_STATUS_SUCCESS`, `vaQuerySurfaceError()` tells",
       "`GST_FLOW_OK`, a warning in the log",
       kNextKey,
       {.at = 0, .no_blocks_of = 40000}},
      {"Plan for a device that there is not",
       "`SIDECORE_ERROR_DEVICE`",
       "`vaCreateContext()`: `VA_STATUS_ERROR_OPERATION_FAILED`",
       "`GST_STATE_CHANGE_FAILURE`, error `GST_LIBRARY_ERROR_INIT`",
       kNotOpened,
       {.at = 0, .wishes = {.plan = "qpu", .device = "no such device"}}},
      {"Device lost before the first picture",
       "`SIDECORE_ERROR_DEVICE`",
       "`VA_STATUS_SUCCESS`, `vaQuerySurfaceError()` tells",
       "`GST_FLOW_OK`, warning `GST_RESOURCE_ERROR_FAILED`",
       kNextKeyOnCpu,
       {.wishes = {.plan = "loop_filter=qpu"}, .lose_device_at = "1"}},
      {"Device lost in the middle",
       "`SIDECORE_ERROR_DEVICE`",
       "`VA_STATUS_SUCCESS`, `vaQuerySurfaceError()` tells",
       "`GST_FLOW_OK`, warning `GST_RESOURCE_ERROR_FAILED`",
       kNextKeyOnCpu,
       {.wishes = {.plan = "qpu"}, .lose_device_at = "4"}},
      {"Picture larger than the device's buffers",
       "`SIDECORE_ERROR_DEVICE`",
       "`VA_STATUS_SUCCESS`, `vaQuerySurfaceError()` tells",
       "`GST_FLOW_OK`, warning `GST_RESOURCE_ERROR_FAILED`",
       kNextKeyOnCpu,
       {.wishes = {.plan = "qpu"}, .largest_buffer = "100000"}},
      {"Packet in a child that `fork()` made",
       "`SIDECORE_ERROR_ARGUMENT`",
       "`vaCreateBuffer()`: `VA_STATUS_ERROR_OPERATION_FAILED`",
       "`GST_FLOW_ERROR`, error `GST_LIBRARY_ERROR_FAILED`",
       kNothing,
       {.at = 2, .forked = true}},
  };
  return all;
}

/// Describes the pictures after an event, if all pictures before it are right.
std::string afterwards(const Stream& stream, std::size_t first, std::size_t event,
                       const std::vector<Shown>& shown) {
  std::vector<bool> right(stream.packets.size());
  for (const Shown& picture : shown) {
    const bool as_expected = picture.checksum == stream.expected.at(picture.packet);
    EXPECT_TRUE(as_expected || picture.damaged) << picture.packet << " is wrong and nobody knows";
    right.at(picture.packet) = as_expected && !picture.damaged;
  }
  for (std::size_t number = first; number < event; ++number) {
    EXPECT_TRUE(right[number] || stream.packets[number].frames.front().header.intra_only) << number;
  }
  const auto wrong =
      std::find(right.rbegin(), right.rend() - static_cast<std::ptrdiff_t>(event), false);
  const auto from = static_cast<std::size_t>(right.rend() - wrong);
  if (from == event) return kNothing;
  if (from == right.size()) return kNoMore;
  std::size_t key = event + 1;
  while (!stream.packets.at(key).frames.front().header.key_frame) ++key;
  return from == key ? kNextKey : fmt::format("right from packet {}", from);
}

struct Answer {
  std::string said;
  std::string afterwards;
};

Answer meet(const Event& event, std::unique_ptr<Interface> (*open)(const Wishes&)) {
  const Stream stream = event.stream();
  std::optional<EnvironmentVariable> layer;
  if (event.lose_device_at != nullptr) {
    layer.emplace("SIDECORE_LOSE_DEVICE_AT", event.lose_device_at);
  } else if (event.largest_buffer != nullptr) {
    layer.emplace("SIDECORE_LARGEST_BUFFER", event.largest_buffer);
  }
  const std::unique_ptr<Interface> interface = open(event.wishes);
  if (!interface->refusal().empty()) return {interface->refusal(), kNotOpened};
  std::optional<std::size_t> at = event.at;
  std::string said = interface->success();
  for (std::size_t number = event.first; number < stream.packets.size(); ++number) {
    const Packet& packet = stream.packets[number];
    if (number != event.at) {
      const std::string answer = interface->give(packet, nullptr);
      if (!at && answer != interface->success()) {
        at = number;
        said = answer;
      }
      continue;
    }
    if (event.closed) return {interface->close(), kNoMore};
    if (event.sought) interface->seek();
    if (event.no_blocks_of > 0) {
      test::fail_blocks_of(event.no_blocks_of);
      interface->decoded = test::end_failures;
    }
    const Bytes sent = event.damage ? event.damage(packet.bytes) : packet.bytes;
    const auto give = [&] {
      return event.encrypted ? interface->give_encrypted(packet) : interface->give(packet, &sent);
    };
    said = event.forked                      ? test::in_child(give)
           : event.damage || event.encrypted ? give()
                                             : interface->give(packet, nullptr);
    interface->decoded = [] {};
    if (event.damage && sent.empty()) interface->give(packet, nullptr);
    if (event.forked) {
      EXPECT_EQ(interface->give(packet, nullptr), interface->success());
    }
  }
  std::string behind =
      afterwards(stream, event.first, at.value_or(event.first), interface->shown());
  EXPECT_EQ(interface->count_device_messages(), layer ? 1 : 0);
  if (event.wishes.plan != Wishes().plan) {
    behind += interface->uses_device() ? ", on the GPU" : ", on the CPU";
  }
  return {said, behind};
}

class Players : public ::testing::Test {
 protected:
  // Loads the layer that can lose a device; without its variables it does nothing.
  const EnvironmentVariable layers_{"VK_ADD_LAYER_PATH", SIDECORE_LAYERS};
  const EnvironmentVariable layer_{"VK_INSTANCE_LAYERS", "VK_LAYER_SIDECORE_lost_device"};
};

TEST_F(Players, AreToldTheSame) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.event);
    const std::array columns{std::pair{&test::open_library, row.library},
                             std::pair{&test::open_driver, row.driver},
                             std::pair{&test::open_element, row.element}};
    for (const auto& [open, expected] : columns) {
      SCOPED_TRACE(expected);
      const Answer answer = meet(row.how, open);
      EXPECT_EQ(answer.said, expected);
      // If an interface does not support a stream, a player decodes it without the interface.
      const bool offered = answer.said.find("UNSUPPORTED_PROFILE") == std::string::npos &&
                           answer.said.find("STREAM_ERROR_FORMAT") == std::string::npos;
      const bool opened =
          answer.said.find("vaCreateContext()`: `VA_STATUS_ERROR_OPERATION") == std::string::npos;
      if (offered && opened) {
        EXPECT_EQ(answer.afterwards, row.afterwards);
      }
    }
  }
}

// Frames in flight are lost with the device. Counts from before the loss stay.
TEST_F(Players, TheLibraryGoesOnWithSeveralThreads) {
  const EnvironmentVariable lost("SIDECORE_LOSE_DEVICE_AT", "4");
  const Stream stream = key_frames();
  sidecore_decoder_options options = capi_test::options_of(3);
  ASSERT_EQ(sidecore_plan_parse("loop_filter=qpu", &options.plan), SIDECORE_OK);
  std::vector<std::string> lines;
  options.log_cookie = &lines;
  options.log = [](void* cookie, int /*level*/, const char* line) {
    static_cast<std::vector<std::string>*>(cookie)->emplace_back(line);
  };
  const capi_test::Decoder decoder = capi_test::open(options);
  capi_test::Packets packets;
  for (const Packet& packet : stream.packets) packets.push_back(packet.bytes);
  std::vector<capi_test::Picture> pictures;
  const std::vector<int> errors = capi_test::send(decoder, packets, pictures);
  EXPECT_EQ(std::ranges::count(errors, int{SIDECORE_ERROR_DEVICE}), 1);
  EXPECT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
  capi_test::take(decoder, pictures);
  EXPECT_EQ(std::ranges::count(lines, qpu::kCpuTakesOverMessage), 1);
  std::size_t right_at_the_end = 0;
  for (const capi_test::Picture& picture : pictures) {
    const sidecore_picture_info info = capi_test::info_of(picture);
    const auto packet = static_cast<std::size_t>(info.time_stamp / 10);
    if ((info.flags & SIDECORE_PICTURE_DAMAGED) != 0) continue;
    EXPECT_EQ(capi_test::checksum(picture), stream.expected.at(packet)) << packet;
    if (packet >= 2 * kGroup) ++right_at_the_end;
  }
  EXPECT_EQ(right_at_the_end, kGroup);
  sidecore_decoder_statistics counted{};
  counted.size = sizeof counted;
  ASSERT_EQ(sidecore_decoder_get_statistics(decoder.get(), &counted), SIDECORE_OK);
  EXPECT_EQ(counted.shown, pictures.size());
  EXPECT_GT(counted.submissions, 0U);
}

TEST(PlayersDocument, HasTheTableOfTheTest) {
  const std::vector<std::string> lines = test::lines_of(SIDECORE_ROOT "/docs/players.md");
  std::vector<std::string> table{
      "| event | C library | VA-API driver | GStreamer element | afterwards |",
      "|---|---|---|---|---|"};
  for (const Row& row : rows()) {
    table.push_back(fmt::format("| {} | {} | {} | {} | {} |", row.event, row.library, row.driver,
                                row.element, row.afterwards));
  }
  std::string text;
  for (const std::string& line : table) text += line + "\n";
  EXPECT_FALSE(std::ranges::search(lines, table).empty()) << text;
  // The table in the document has no further line.
  const auto found = std::ranges::search(lines, table);
  EXPECT_TRUE(found.end() == lines.end() || !found.end()->starts_with("|"));
}

}  // namespace
}  // namespace sidecore
