// Log of the driver's compiler, in which a shader is found by its machine code.
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

/// Reads the driver's output under V3D_DEBUG=shaderdb,qpu: per shader a listing of its code, then
/// one line of figures. Threads may compile at the same time; all lines of a shader come from one
/// thread. Thread-safe.
class ShaderLog {
 public:
  enum class Line : std::uint8_t { foreign, code, figures };

  /// Returns true if a line with this start (its first printed piece) could be the driver's.
  [[nodiscard]] bool may_be_driver_line(std::string_view start) const;

  /// Adds a whole line of the calling thread, without its end.
  Line add(std::string_view line);

  /// Returns the figures of the program whose code is at the start of `memory`, as one JSON object
  /// with the driver's names: name (40 hexadecimal digits, or words for the driver's own shaders),
  /// stage, inst, threads, loops, uniforms, max_temps, spills, fills, sfu_stalls, inst_and_stalls,
  /// nops. If several shaders have the same code, the last compiled one counts. Empty if there is
  /// none.
  [[nodiscard]] std::string find(std::span<const std::byte> memory) const;

 private:
  using Code = std::vector<std::uint64_t>;
  struct Shader {
    std::string figures;
    Code code;
  };
  /// Listings of a thread since its last line of figures. If registers are short, the compiler
  /// lists every attempt and may keep an attempt other than the last.
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
