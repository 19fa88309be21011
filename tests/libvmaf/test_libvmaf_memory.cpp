// Tests of libvmaf's interface when memory runs out: from some allocation on, all allocations fail.
// Then each call must return -ENOMEM or succeed, and the process must survive.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "failing_memory.h"
#include "libvmaf/clip.h"

namespace sidecore::libvmaf_test {
namespace {

using test::expect_process_survives;
using test::kAllSucceeded;
using test::kOtherError;
using test::kRefused;

/// Combines the results of several calls. An error other than -ENOMEM takes precedence, as
/// kOtherError plus its absolute value.
class Calls {
 public:
  bool good(int error) {
    if (error == 0) return true;
    // After a failure, scores may be missing, and the scorer may refuse pictures.
    if ((error == -EINVAL || error == -EIO) && outcome_ == kRefused) return false;
    outcome_ = std::max(outcome_, error == -ENOMEM ? kRefused : kOtherError - error);
    return false;
  }
  [[nodiscard]] int outcome() const { return outcome_; }

 private:
  int outcome_ = kAllSucceeded;
};

/// Allocates and reads a pair of grey pictures. The pictures are made without the synthetic clip,
/// whose own allocations would throw.
void read_grey_pair(Calls& calls, VmafContext* context, unsigned index) {
  VmafPicture pair[2]{};
  bool is_complete = true;
  for (VmafPicture& picture : pair) {
    is_complete =
        calls.good(vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 64, 64)) && is_complete;
  }
  if (is_complete) calls.good(vmaf_read_pictures(context, &pair[0], &pair[1], index));
  for (VmafPicture& picture : pair) {
    if (picture.ref != nullptr) vmaf_picture_unref(&picture);
  }
}

int score_model(unsigned threads) {
  Calls calls;
  VmafContext* context = nullptr;
  if (!calls.good(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, threads, 1, 0, 0}))) {
    return calls.outcome();
  }
  VmafModel* model = nullptr;
  VmafFeatureDictionary* options = nullptr;
  if (calls.good(vmaf_model_load(&model, nullptr, "vmaf_v0.6.1")) &&
      calls.good(vmaf_use_features_from_model(context, model)) &&
      calls.good(vmaf_feature_dictionary_set(&options, "enable_lcs", "true"))) {
    if (calls.good(vmaf_use_feature(context, "float_ssim", options))) options = nullptr;
    for (unsigned index = 0; index < 3; ++index) read_grey_pair(calls, context, index);
    calls.good(vmaf_read_pictures(context, nullptr, nullptr, 0));
    double score = 0;
    calls.good(vmaf_score_pooled(context, model, VMAF_POOL_METHOD_MEAN, &score, 0, 2));
    calls.good(vmaf_write_output(context, "/dev/null", VMAF_OUTPUT_FORMAT_JSON));
  }
  vmaf_feature_dictionary_free(&options);
  vmaf_model_destroy(model);
  vmaf_close(context);
  return calls.outcome();
}

TEST(LibvmafMemory, AContextOutlivesItsEnd) {
  expect_process_survives([] { return score_model(0); });
  expect_process_survives([] { return score_model(2); });
}

TEST(LibvmafMemory, OneAllocationThatFailsIsTold) {
  expect_process_survives([] { return score_model(2); }, test::Failing::once);
}

TEST(LibvmafMemory, ACollectionOutlivesItsEnd) {
  ASSERT_NE(load("vmaf_v0.6.1"), nullptr);  // built-in models are parsed once per process
  expect_process_survives([] {
    Calls calls;
    VmafModel* model = nullptr;
    VmafModelCollection* collection = nullptr;
    calls.good(vmaf_model_collection_load(&model, &collection, nullptr, "vmaf_b_v0.6.3"));
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    return calls.outcome();
  });
}

TEST(LibvmafMemory, APoolOutlivesItsEnd) {
  expect_process_survives([] {
    Calls calls;
    VmafContext* context = nullptr;
    if (!calls.good(vmaf_init(&context, {VMAF_LOG_LEVEL_NONE, 0, 1, 0, 0}))) {
      return calls.outcome();
    }
    VmafPicture pictures[8]{};
    if (calls.good(vmaf_preallocate_pictures(context, {{64, 64, 8, VMAF_PIX_FMT_YUV420P}, 8}))) {
      for (VmafPicture& picture : pictures) {
        calls.good(vmaf_fetch_preallocated_picture(context, &picture));
      }
    }
    vmaf_close(context);
    for (VmafPicture& picture : pictures) {
      if (picture.ref != nullptr) vmaf_picture_unref(&picture);
    }
    return calls.outcome();
  });
}

}  // namespace
}  // namespace sidecore::libvmaf_test
