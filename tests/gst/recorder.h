// What passes a pad: pictures with their checksums, as they were negotiated.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace sidecore::test {

/// A picture that passed.
struct Passed {
  std::string checksum;  ///< "bytes md5" of its planes, as in the corpus' .framemd5 files
  GstClockTime time = GST_CLOCK_TIME_NONE;
  bool corrupted = false;
  bool copied = false;  ///< into a buffer of the usual layout
  GstVideoInfo info{};
};

/// Watches a pad from the moment that it is made, on whichever thread.
class Recorder {
 public:
  explicit Recorder(GstPad* pad);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  [[nodiscard]] std::vector<Passed> passed();
  [[nodiscard]] std::vector<std::string> checksums();
  [[nodiscard]] std::size_t count();
  /// How often the caps changed.
  [[nodiscard]] int negotiations();
  /// From here on.
  void forget();

 private:
  void take(GstPadProbeInfo* info);

  GstPad* pad_;
  gulong probe_;
  std::mutex mutex_;
  GstVideoInfo info_{};
  int negotiations_ = 0;
  std::vector<Passed> passed_;
};

}  // namespace sidecore::test
