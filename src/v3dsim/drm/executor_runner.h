// The QPU executor behind the fake device.
#pragma once

#include <memory>

#include "v3dsim/drm/job_runner.h"
#include "v3dsim/drm/settings.h"

namespace sidecore::v3dsim {

/// Runs jobs as `settings` say. When Settings::statistics names a file, it is written when the
/// process exits.
[[nodiscard]] std::unique_ptr<JobRunner> make_executor_runner(const Settings& settings);

}  // namespace sidecore::v3dsim
