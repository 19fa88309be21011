// What the driver's compiler says of the shaders it compiles, found again by their machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sidecore::v3dsim {

/// Reads what the driver prints under V3D_DEBUG=shaderdb,qpu: for each shader a listing of its
/// code, then one line of figures. Threads may compile side by side: a shader's lines come from one
/// thread. Thread-safe.
class ShaderLog {
 public:
  enum class Line : std::uint8_t { foreign, code, figures };

  /// Whether a line that starts so (its first printed piece) could be one of the driver's.
  [[nodiscard]] bool could_be_ours(std::string_view start) const;

  /// A whole line of the calling thread, without its end.
  Line add(std::string_view line);

  /// What is known of the program whose code lies at the start of `memory`, as one JSON object
  /// under the driver's own names: name (40 hexadecimal digits, or words for shaders of the
  /// driver's own), stage, inst, threads, loops, uniforms, max_temps, spills, fills, sfu_stalls,
  /// inst_and_stalls, nops. Of several with the same code the last compiled. Empty when there is
  /// none.
  [[nodiscard]] std::string find(std::span<const std::byte> memory) const;

 private:
  using Code = std::vector<std::uint64_t>;
  struct Shader {
    std::string figures;
    Code code;
  };
  /// Of a thread, since its last line of figures: a compiler short of registers lists every
  /// attempt, and the one it keeps need not be the last.
  struct Pending {
    std::vector<Code> listings;
    bool in_listing = false;
  };

  Line add_figures(std::string_view line, Pending& pending);

  mutable std::mutex mutex_;
  std::map<std::thread::id, Pending> pending_;
  std::vector<Shader> shaders_;
};

}  // namespace sidecore::v3dsim
