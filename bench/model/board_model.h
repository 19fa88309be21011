// A model of a Raspberry Pi's CPU: time for frames whose kernel calls were counted. All times are
// modelled; none was measured on a board.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/costs.h"
#include "model/predictor.h"
#include "vp9/kernel_calls.h"

namespace sidecore::model {

/// Modelled costs of a board's cores.
struct BoardCosts {
  /// Cycles of a kernel with NEON, as kernel_cycles() returns them for the board's core.
  using Kernel = std::function<std::optional<Cycles>(std::string_view kernel,
                                                     std::string_view input, int bits)>;
  Board board;
  Kernel kernel;
  StreamCosts stream;
  /// Cycles that a frame waits for memory, as memory_cycles() returns them; width and height are in
  /// luma samples.
  std::function<Cycles(int width, int height, int bits)> memory;
  /// Rates at the memory of the board's GPU.
  UncachedRates uncached{};
};
[[nodiscard]] BoardCosts board_costs(const Board& board);

/// Kernel calls of the decoder for one frame.
struct KernelCounts : vp9::KernelCalls {
  EdgeCounts edges{};
};

struct CountedFrame {
  KernelCounts counts;
  EdgeMix mix;
};

/// Returns how many of counts.prediction_calls are intra; each of them is one block.
[[nodiscard]] double intra_calls(const KernelCounts& counts);

/// Decodes the first frames of the stream (Stream::sample_frames) once, on one thread, with kernel
/// tables that count calls. Returns one element per frame. Throws Error (usage) that names the
/// stream if it is damaged.
[[nodiscard]] std::vector<CountedFrame> count_sample(const Stream& stream, std::size_t least_edges);

/// Returns the board named "pi4" or "pi5"; none for another name.
[[nodiscard]] std::optional<Board> board_of(std::string_view name);
/// Returns the version of the board's V3D: "4.2" or "7.1".
[[nodiscard]] std::string_view v3d_of(const Board& board);

/// Memory of a decoder's pictures. It is the GPU's under every plan with the QPU, and then all
/// stages on the CPU access samples there, the references included.
enum class PictureMemory : std::uint8_t {
  heap,  ///< ordinary memory, which caches hold
  gpu,   ///< memory of the GPU, which no cache holds (UncachedRates)
};

/// Seconds of each row of a frame, by ClockRow.
using ModelledStages = std::array<Estimate, kClockRows.size()>;
/// Returns the seconds of a frame on one thread. In the GPU's memory, the time of accesses
/// (count_traffic()) takes the place of waiting for ordinary memory. Throws Error (environment)
/// that names a kernel if the model has no row for it.
[[nodiscard]] ModelledStages modelled_stages(const KernelCounts& counts, const FrameWork& work,
                                             const Stream& stream, const BoardCosts& costs,
                                             PictureMemory pictures = PictureMemory::heap);

/// Returns the expected seconds per edge on one NEON thread that filters beside the QPU, in the
/// GPU's memory: the mean of the six kinds of edges, all of which pass the filter mask.
[[nodiscard]] double modelled_edge(const BoardCosts& costs, int bits);

/// Returns the memory traffic of a NEON thread that filters in the GPU's memory. Per edge it reads
/// and writes four samples on either side of 8 lines, as in the published figures of
/// docs/armsim.md.
[[nodiscard]] SharedMemory shared_memory(const Stream& stream, const BoardCosts& costs);

/// Returns the CPU's cost on one core and on all cores of the board. Only bounds are known for more
/// threads: all stages scale perfectly at the low end, and all but parsing at the high end.
[[nodiscard]] CpuCost modelled_cpu_cost(const Stream& stream, std::span<const CountedFrame> frames,
                                        const BoardCosts& costs);
/// Returns the cost of NEON's stages if pictures are in the GPU's memory, with the same bounds.
[[nodiscard]] NeonInGpuMemory modelled_neon_in_gpu_memory(const Stream& stream,
                                                          std::span<const CountedFrame> frames,
                                                          const BoardCosts& costs);

}  // namespace sidecore::model
