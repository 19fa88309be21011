// What the gates need of a kernel: work to do, and its three implementations.
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

/// Where a workload's samples come from.
enum class Content : std::uint8_t {
  random,         ///< uniform noise: masks fail early, which flatters code that exits early
  smooth,         ///< gradients with small steps at the boundaries: masks hold
  flat,           ///< constant within 1 on both sides: flat filters hold
  high_variance,  ///< steps around the limits: every branch, both ways
  input,          ///< pictures of a real video
};
/// All of them, for base/json.h.
constexpr std::array<Content, 5> values_of(Content) {
  using enum Content;
  return {random, smooth, flat, high_variance, input};
}
/// The enumerator's name.
[[nodiscard]] const char* to_string(Content content);
/// Throws Error (usage) that lists the names.
[[nodiscard]] Content parse_content(std::string_view name);
/// Those that need no video, in the enumeration's order.
[[nodiscard]] std::vector<Content> synthetic_contents();

struct WorkloadRequest {
  Content content = Content::random;
  int width = 1920;  ///< in luma samples; with Content::input the pictures' own size
  int height = 1080;
  std::uint64_t seed = 1;
  int bits = 8;           ///< of synthetic samples: one of Kernel::bit_depths
  int filter_level = 32;  ///< loop filters: 1..63
  int sharpness = 0;      ///< loop filters: 0..7
  /// With Content::input: a picture, and the one it is compared with by metrics, of the same
  /// format; the gates give the clip's previous picture (the first picture is compared with
  /// itself).
  std::shared_ptr<const video::Picture> picture;
  std::shared_ptr<const video::Picture> other;
};

/// A share of a workload's units, [first, last).
struct UnitRange {
  std::size_t first = 0;
  std::size_t last = 0;
};
/// Part `index` of `parts` equal shares of `units`.
[[nodiscard]] UnitRange share_of(std::size_t units, std::size_t index, std::size_t parts);

/// How often a branch of the kernel is taken on this content.
struct BranchRate {
  std::string name;  ///< "mask", "hev", "flat"
  double rate = 0;   ///< 0..1
  std::string of;    ///< what it is a share of: "lines", "masked lines"
  double among = 0;  ///< how many of those there were, where it is known
};
/// Both together: rates by name, weighted by `among`. Of one name both are of the same.
void add_rates(std::vector<BranchRate>& sum, const std::vector<BranchRate>& more);

/// What NEON calls for a workload, in the words of the table in docs/neon-instructions.md: that
/// row's unit, so many times.
struct CpuCalls {
  std::string kernel;  ///< "loop_filter h_4"
  std::string input;   ///< "flat"
  int bits = 8;
  double times = 0;
};

/// A picture's worth of units of one kernel. The implementations read and write one block of
/// memory, and nothing else that differs between them: M1 compares the whole block.
class Workload {
 public:
  virtual ~Workload() = default;
  [[nodiscard]] virtual std::size_t units() const = 0;
  /// Whether units build on those before them: then they are done by one call, all of them.
  /// Otherwise, as here, in any shares and any order.
  [[nodiscard]] virtual bool ordered() const { return false; }
  /// Size of the block, guard bytes in front of and behind the data included.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Writes the pristine content, guards included.
  virtual void reset(std::span<std::byte> memory) const = 0;

  virtual void run_scalar(std::span<std::byte> memory, UnitRange units) const = 0;
  virtual void run_neon(std::span<std::byte> memory, UnitRange units) const = 0;
  /// All units, by NEON, on the team's threads, which have nothing else to do. Here each thread
  /// does an equal share, and all begin together; a kernel whose users divide a picture's work
  /// otherwise does as they do. Returns the time from the first thread's start to the last one's
  /// end.
  virtual Nanoseconds run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const;
  /// A finished list that does all units once, timed on the GPU, with uploads and downloads where
  /// memory is staged. `memory` has bytes() bytes. The device outlives the result.
  [[nodiscard]] std::unique_ptr<qpu::CommandList> record(qpu::Device& device, qpu::Buffer& memory,
                                                         std::string_view variant) const;

  /// Returns why a variant cannot run these units, whatever the device; empty, as here, when it
  /// can.
  [[nodiscard]] virtual std::string refusal_of_variant(std::string_view /*variant*/) const {
    return {};
  }

  /// Branch rates on the memory's present content (before a run); of a kernel without branches
  /// none, as here.
  [[nodiscard]] virtual std::vector<BranchRate> branch_rates(
      std::span<const std::byte> /*memory*/) const {
    return {};
  }
  /// All units, on the memory's present content, which wears as a run wears it. Empty, as here,
  /// where no row of the table is what the kernel's units are made of.
  [[nodiscard]] virtual std::vector<CpuCalls> cpu_calls(std::span<std::byte> /*memory*/) const {
    return {};
  }
  /// The unit that owns a byte of the block; nothing for guards and gaps.
  [[nodiscard]] virtual std::optional<std::size_t> unit_of(std::size_t byte) const = 0;
  /// Any byte of the block in the kernel's words: "edge 17 (x 144, y 8), row 3, p0", "guard byte 3
  /// behind plane". For the first difference that M1 finds.
  [[nodiscard]] virtual std::string describe(std::size_t byte) const = 0;

 private:
  /// Records a variant's dispatches for all units. The list keeps what it is given alive.
  virtual void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                            std::string_view variant) const = 0;
};

/// Workloads that a kernel itself makes of a clip, in the clip's order.
class ClipWorkloads {
 public:
  virtual ~ClipWorkloads() = default;
  /// Null at the end. Throws Error (usage) that names the clip when it is damaged, or when it ends
  /// without a single unit for the kernel.
  [[nodiscard]] virtual std::unique_ptr<Workload> next() = 0;
  /// Where the last one came from: "frame 3 of 'clip.webm'".
  [[nodiscard]] virtual const std::string& origin() const = 0;
};

/// One of a kernel's implementations on the QPU. The scalar definition and NEON have one each,
/// which the workload runs.
struct QpuVariant {
  std::string_view name;  ///< "vector"
  /// All that it dispatches, for "what does this device lack".
  std::vector<qpu::Shader> shaders;
  /// A design to compare with that only the gates run: measured when it is named, never judged.
  bool baseline = false;
};

/// What the device lacks of any of the variant's programs, each once; empty: it can run.
[[nodiscard]] std::vector<std::string> missing_for(const qpu::DeviceInfo& device,
                                                   const QpuVariant& variant);

/// A clip, and what of it is read.
struct ClipRequest {
  std::string path;
  std::optional<std::size_t> frames = {};  ///< at most so many
  /// Packets of VP9 that refer to frames before the clip are left out (vp9::decodable_packets()).
  bool start_at_key_frame = false;
};

/// All that the gates, the shader database and the list of devices know of a kernel. Each is made
/// by its file in bench/, and registered by one line of bench/kernels/kernels.inc.
struct Kernel {
  std::string_view name;         ///< "loop_filter"
  std::string_view description;  ///< one line
  std::string_view unit;         ///< singular: "edge"
  std::string_view module;       ///< the sub-folder of its files in every tree: "vp9", "metrics"
  /// The one to judge first in front; empty: see refusal_of_qpu().
  std::vector<QpuVariant> variants = {};
  /// Of its synthetic samples. The gates judge the first one, the shader database each.
  std::vector<int> bit_depths = {8};
  /// Width of the synthetic pictures of M1 unless the user names a size: a kernel whose units are
  /// as wide as the picture checks as many in far fewer samples. 0: like everywhere else.
  int agreement_width = 0;
  /// Throws Error (usage) when the request does not suit the kernel. Empty of a whole decoder,
  /// which has nothing but a player.
  std::function<std::unique_ptr<Workload>(const WorkloadRequest& request)> make_workload = {};
  /// For a clip that says more than its pictures do: workloads of its own data. Gives null, or is
  /// empty, when the clip's decoded pictures are all the kernel asks for. Throws Error (usage).
  std::function<std::unique_ptr<ClipWorkloads>(const ClipRequest& clip)> open_clip = {};
  /// What the stage is called that the kernel belongs to, when there is a player with it: kernels
  /// of one stage have the same player. Empty when there is none.
  std::string_view player_stage = {};
  /// The kernel that NEON works on in M4's mixed jobs: what a decoder's CPU would do meanwhile.
  /// Empty: any other.
  std::string_view partner = {};
  /// Gives null when the player cannot play the clip. Set where player_stage is.
  std::function<std::unique_ptr<Player>(const PlayerRequest& request)> make_player = {};
  /// Why there is no vp9::Processor::divided; empty: there is.
  std::string_view division_refusal = {};
};

/// A whole decoder: M4 plays it, and no other gate has anything to do.
[[nodiscard]] inline bool only_plays(const Kernel& kernel) {
  return !kernel.make_workload;
}

/// "NAME has no QPU variant yet" of a kernel without variants: nothing asks a device for it,
/// and nothing is judged. Empty when it has some.
[[nodiscard]] std::string refusal_of_qpu(const Kernel& kernel);

}  // namespace sidecore::gates
