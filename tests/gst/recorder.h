// Records the pictures that pass a pad, with their checksums and formats.
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
  bool copied = false;  ///< true if the picture was copied to a buffer of the default layout
  GstVideoInfo info{};
};

/// Watches a pad from the recorder's construction on, on any thread.
class Recorder {
 public:
  explicit Recorder(GstPad* pad);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  [[nodiscard]] std::vector<Passed> passed();
  [[nodiscard]] std::vector<std::string> checksums();
  [[nodiscard]] std::size_t count();
  /// Returns the number of changes of the caps.
  [[nodiscard]] int negotiations();
  /// Drops everything recorded so far.
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
