// A model of a stream's pictures whose cost lines are known.
#pragma once

#include <vector>

#include "model/picture_model.h"

namespace sidecore::model {

/// Returns pictures whose dispatches lie on the lines `low` and `high`.
inline std::vector<ModelledPicture> pictures_on(const CostLine& low, const CostLine& high) {
  std::vector<ModelledPicture> pictures;
  for (const std::uint64_t frame : {0U, 1U}) {
    ModelledPicture picture;
    picture.frame = frame;
    picture.instructions = 1000;
    picture.requests = 300;
    for (const double edges : {900.0, 400.0, 50.0 + static_cast<double>(frame)}) {
      const Load load{1, edges};
      picture.dispatches.push_back({edges, {low.seconds(load), high.seconds(load)}});
    }
    picture.bounds = {{"issue", {1e-4, 1e-4}},
                      {"tmu", {2e-4, 3e-4}},
                      {"memory", {0, 1e-4}},
                      {"schedule", {1e-5, 1e-4}}};
    pictures.push_back(picture);
  }
  return pictures;
}

inline constexpr double kOverhead = 33e-6;

inline PictureModel picture_model() {
  PictureModel model;
  model.v3d = "7.1";
  model.driver = "V3DV Mesa 25.0.7";
  model.clip = {"clip.webm", 3, "0123456789abcdef0123456789abcdef", 640, 360, 8};
  model.assumed = {{"clock_hz", {960e6, 960e6}},
                   {"memory_bytes_per_second", {8e9, 8e9}},
                   {"qpus", {12, 12}},
                   {"slices", {4, 4}},
                   {"cycles_per_instruction", {1, 1}},
                   {"tmu_cycles_per_request", {8, 8}},
                   {"tmu_cycles_per_word", {4, 4}},
                   {"tmu_latency_cycles", {20, 20}},
                   {"supergroup_start_cycles", {20, 20}},
                   {"supergroups_at_once", {1, 1}},
                   {"error_factor", {0.7, 1.7}},
                   {"submission_seconds", {22.7e-6, 22.7e-6}},
                   {"dispatch_overhead_seconds", {kOverhead, kOverhead}}};
  model.levels = pictures_on({50e-6, 40e-9}, {300e-6, 80e-9});
  model.waves = pictures_on({30e-6, 20e-9}, {100e-6, 60e-9});
  return model;
}

}  // namespace sidecore::model
