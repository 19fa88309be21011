// Models of libvmaf's interface, and their scores.
#pragma once

#include <string>
#include <vector>

#include "libvmaf/model.h"
#include "libvmaf/score_store.h"
#include "metrics/vmaf_model.h"

struct VmafModel {
  std::string name;  ///< name of its score
  sidecore::metrics::VmafModel model;
};

struct VmafModelCollection {
  std::string name;               ///< beginning of the names of its scores
  std::vector<VmafModel> models;  ///< one or more models, all with equal transform and clip
};

namespace sidecore::libvmaf {

/// Returns the model's score of a picture. If the store has none, predicts it from the stored
/// features and stores it. Throws Error (usage) if a feature's score is missing.
double score_at(const VmafModel& model, ScoreStore& scores, unsigned index);

/// Returns the collection's score of a picture, and stores it and each model's score. Throws as the
/// function above does.
VmafModelCollectionScore score_at(const VmafModelCollection& collection, ScoreStore& scores,
                                  unsigned index);

/// Names of a collection's scores in the store.
struct CollectionNames {
  explicit CollectionNames(const VmafModelCollection& collection);

  std::string bagging;
  std::string deviation;
  std::string low;
  std::string high;
};

}  // namespace sidecore::libvmaf
