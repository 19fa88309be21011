// sidecore called as `vmaf`.
#pragma once

namespace sidecore::cli {

/// Runs libvmaf's command with the words of its command line. Returns its exit status: 0, 1 for a
/// wrong command line, 255 for anything else that fails.
[[nodiscard]] int run_vmaf(int argc, char** argv);

}  // namespace sidecore::cli
