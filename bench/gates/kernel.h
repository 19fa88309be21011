// Interface of a kernel to the gates: its work, and its scalar, NEON and QPU implementations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/thread_team.h"
#include "gates/player.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::gates {

/// Test content: kind of samples that a workload has.
enum class Content : std::uint8_t {
  random,  ///< uniform noise: most lines fail the filter mask, which favours code with early exits
  smooth,  ///< gradients with small steps at block boundaries: lines pass the filter mask
  flat,    ///< constant within 1 on both sides of a boundary: the flat filters apply
  high_variance,  ///< steps around the limits: each branch is taken by some lines and not by others
  input,          ///< pictures of a real video
};
/// Returns all kinds of test content. base/json.h uses it to list the values of an enumeration.
constexpr std::array<Content, 5> values_of(Content) {
  using enum Content;
  return {random, smooth, flat, high_variance, input};
}
/// Returns the enumerator's name.
[[nodiscard]] const char* to_string(Content content);
/// Returns the content of that name. Throws Error (usage) that lists the names.
[[nodiscard]] Content parse_content(std::string_view name);
/// Returns the contents that need no video, in the enumeration's order.
[[nodiscard]] std::vector<Content> synthetic_contents();

struct WorkloadRequest {
  Content content = Content::random;
  int width = 1920;  ///< width in luma samples; Content::input uses the pictures' own size
  int height = 1080;
  std::uint64_t seed = 1;
  int bits = 8;           ///< bit depth of synthetic samples: one of Kernel::bit_depths
  int filter_level = 32;  ///< loop filters: 1..63
  int sharpness = 0;      ///< loop filters: 0..7
  /// For Content::input: a picture, and a picture of the same format that metrics compare it with.
  /// The gates pass the clip's previous picture as `other`; the first picture is its own `other`.
  std::shared_ptr<const video::Picture> picture;
  std::shared_ptr<const video::Picture> other;
};

/// A part of a workload's work units: first to last - 1.
struct UnitRange {
  std::size_t first = 0;
  std::size_t last = 0;
};
/// Returns part `index` of `units` work units divided into `parts` equal parts.
[[nodiscard]] UnitRange share_of(std::size_t units, std::size_t index, std::size_t parts);

/// Rate at which the kernel takes a branch on a test content.
struct BranchRate {
  std::string name;  ///< name of the branch: "mask", "hev" or "flat"
  double rate = 0;   ///< 0..1
  std::string of;    ///< whole of which `rate` is a share: "lines" or "masked lines"
  double among = 0;  ///< number of lines that `of` names, if known
};
/// Merges `more` into `sum`: averages rates of the same name, weighted by `among`. Rates of the
/// same name must have the same `of`.
void add_rates(std::vector<BranchRate>& sum, const std::vector<BranchRate>& more);

/// Calls of one NEON kernel for a workload. `kernel`, `input` and `bits` name a row of the table in
/// docs/neon-instructions.md; `times` counts that row's unit.
struct CpuCalls {
  std::string kernel;  ///< "loop_filter h_4"
  std::string input;   ///< "flat"
  int bits = 8;
  double times = 0;
};

/// The work units of one kernel in one picture. All implementations read and write one block of
/// memory, and M1 compares that whole block.
class Workload {
 public:
  virtual ~Workload() = default;
  [[nodiscard]] virtual std::size_t units() const = 0;
  /// Returns true if work units depend on earlier ones: one call must then process all of them. If
  /// false, calls may process the units in any parts and any order.
  [[nodiscard]] virtual bool ordered() const { return false; }
  /// Returns the size of the memory block, including the guard bytes before and after the data.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Writes the initial content of the block, including the guard bytes.
  virtual void reset(std::span<std::byte> memory) const = 0;

  virtual void run_scalar(std::span<std::byte> memory, UnitRange units) const = 0;
  virtual void run_neon(std::span<std::byte> memory, UnitRange units) const = 0;
  /// Runs all units with NEON on the team's threads, which are otherwise idle. By default each
  /// thread processes an equal part and all start together. A kernel whose decoder or metric
  /// divides a picture in another way overrides this. Returns the time from the first thread's
  /// start to the last thread's end.
  virtual Nanoseconds run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const;
  /// Returns a finished command list that processes all units once. It takes GPU timestamps, and
  /// copies `memory` to and from the device if memory is staged. `memory` must have bytes() bytes,
  /// and the device must outlive the list.
  [[nodiscard]] std::unique_ptr<qpu::CommandList> record(qpu::Device& device, qpu::Buffer& memory,
                                                         std::string_view variant) const;

  /// Returns why a variant cannot process these units on any device; empty (the default) if it can.
  [[nodiscard]] virtual std::string refusal_of_variant(std::string_view /*variant*/) const {
    return {};
  }

  /// Returns the branch rates of a run on the memory's present content. The default is none.
  [[nodiscard]] virtual std::vector<BranchRate> branch_rates(
      std::span<const std::byte> /*memory*/) const {
    return {};
  }
  /// Counts the NEON calls for all units on the memory's present content, and changes the memory as
  /// a run does. Returns none (the default) if no row of the table describes the kernel's units.
  [[nodiscard]] virtual std::vector<CpuCalls> cpu_calls(std::span<std::byte> /*memory*/) const {
    return {};
  }
  /// Returns the unit that owns a byte of the block; nothing for guards and gaps.
  [[nodiscard]] virtual std::optional<std::size_t> unit_of(std::size_t byte) const = 0;
  /// Describes a byte of the block for M1's first difference: "edge 17 (x 144, y 8), row 3, p0",
  /// "guard byte 3 after the plane".
  [[nodiscard]] virtual std::string describe(std::size_t byte) const = 0;

 private:
  /// Records a variant's dispatches for all units. The list keeps the recorded objects alive.
  virtual void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                            std::string_view variant) const = 0;
};

/// Workloads that a kernel makes from a clip's own data, in the clip's order.
class ClipWorkloads {
 public:
  virtual ~ClipWorkloads() = default;
  /// Returns the next workload; null at the end. Throws Error (usage) that names the clip if it is
  /// damaged, or if it ends without any unit for the kernel.
  [[nodiscard]] virtual std::unique_ptr<Workload> next() = 0;
  /// Returns the source of the last workload: "frame 3 of 'clip.webm'".
  [[nodiscard]] virtual const std::string& origin() const = 0;
};

/// One shader design of a kernel for the QPU.
struct QpuVariant {
  std::string_view name;  ///< "vector"
  /// Shaders that the variant dispatches; find_missing_features() checks them.
  std::vector<qpu::Shader> shaders;
  /// True for a variant that exists only for comparison and that only the gates run. It is measured
  /// only when named, and gets no verdict.
  bool baseline = false;
};

/// Returns what the device lacks to run the variant's shaders, each once; empty if it can run.
[[nodiscard]] std::vector<std::string> find_missing_features(const qpu::DeviceInfo& device,
                                                             const QpuVariant& variant);

/// A clip, and the part of it that is read.
struct ClipRequest {
  std::string path;
  std::optional<std::size_t> frames = {};  ///< upper limit
  /// Leaves out VP9 packets that refer to frames before the clip (vp9::decodable_packets()).
  bool start_at_key_frame = false;
};

/// Descriptor of a kernel for the gates, the shader database and the list of devices. A file in
/// bench/kernels makes it, and a line of bench/kernels/kernels.inc registers it.
struct Kernel {
  std::string_view name;         ///< "loop_filter"
  std::string_view description;  ///< one line
  std::string_view unit;         ///< singular: "edge"
  std::string_view module;  ///< sub-folder of the kernel's files in every tree: "vp9" or "metrics"
  /// QPU variants; the first is judged first. If empty, see refusal_of_qpu().
  std::vector<QpuVariant> variants = {};
  /// Bit depths of synthetic samples. The gates judge the first depth; the shader database lists
  /// all.
  std::vector<int> bit_depths = {8};
  /// Width in samples of M1's synthetic pictures, unless the user names a size; 0:
  /// GateOptions::width. Kernels whose units are as wide as the picture use a small width, to check
  /// the same number of units on fewer samples.
  int agreement_width = 0;
  /// Makes a workload. Throws Error (usage) if the request does not suit the kernel. Empty for a
  /// whole decoder, which only has a playback test.
  std::function<std::unique_ptr<Workload>(const WorkloadRequest& request)> make_workload = {};
  /// Opens a clip whose data beyond its decoded pictures (edges, blocks) makes workloads. Returns
  /// null, or is empty, if the kernel needs only the decoded pictures. Throws Error (usage).
  std::function<std::unique_ptr<ClipWorkloads>(const ClipRequest& clip)> open_clip = {};
  /// Name of the decoder stage that the kernel belongs to, if a playback test covers that stage.
  /// Kernels of one stage share the playback test. Empty without one.
  std::string_view player_stage = {};
  /// Name of the kernel that NEON runs in M4's mixed jobs, chosen as work that a decoder's CPU
  /// would do at the same time. Empty: any other kernel.
  std::string_view partner = {};
  /// Makes the playback test, or returns null if it cannot decode the clip. Set if player_stage is.
  std::function<std::unique_ptr<PlaybackTest>(const PlaybackRequest& request)> make_player = {};
  /// Reason why the stage cannot be divided (vp9::Processor::divided); empty: it can.
  std::string_view division_refusal = {};
};

/// Returns true for a whole decoder. Only M4 runs it, as a playback test.
[[nodiscard]] inline bool is_whole_decoder(const Kernel& kernel) {
  return !kernel.make_workload;
}

/// Returns "NAME has no QPU variant yet" for a kernel without variants, which gets no verdict;
/// empty if the kernel has variants.
[[nodiscard]] std::string refusal_of_qpu(const Kernel& kernel);

}  // namespace sidecore::gates
