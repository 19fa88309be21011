// GStreamer for tests: with the element under test, without the user's plugins and registry.
#pragma once

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <string>

#include "process_state.h"
#include "temporary_directory.h"

namespace sidecore::test {

inline void load(const std::string& plugin) {
  GError* error = nullptr;
  GstPlugin* const loaded = gst_plugin_load_file(plugin.c_str(), &error);
  ASSERT_NE(loaded, nullptr) << error->message;
  gst_object_unref(loaded);
}

/// Loads only the GStreamer plugins that a test names, and not the user's registry.
class GStreamer : public testing::Environment {
 public:
  void SetUp() override {
    g_setenv("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
    g_setenv("GST_PLUGIN_PATH_1_0", "", TRUE);
    g_setenv("GST_REGISTRY_1_0", (directory_ / "registry").c_str(), TRUE);
    for (const char* const own :
         {"SIDECORE_PLAN", "SIDECORE_THREADS", "SIDECORE_DEVICE", "SIDECORE_STAGE_TIMES"}) {
      g_unsetenv(own);
    }
    g_setenv("XDG_CONFIG_HOME", directory_.path().c_str(), TRUE);
    gst_init(nullptr, nullptr);
    const ProcessState before;
    load(SIDECORE_GST_PLUGIN);
    before.expect_unchanged();
  }
  void TearDown() override { gst_deinit(); }

 private:
  test::TemporaryDirectory directory_;
};

}  // namespace sidecore::test
