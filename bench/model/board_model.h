// A Raspberry Pi's CPU as a model: what its cores take for the frames whose kernels were counted.
// Nothing in it was measured, on no board.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/costs.h"
#include "model/predictor.h"
#include "vp9/kernel_calls.h"

namespace sidecore::model {

/// What the model says of a board's cores.
struct BoardCosts {
  /// As kernel_cycles() of its core and NEON: kernel, input, bits.
  using Kernel = std::function<std::optional<Cycles>(std::string_view kernel,
                                                     std::string_view input, int bits)>;
  Board board;
  Kernel kernel;
  StreamCosts stream;
  /// As memory_cycles(): of a frame of so many luma samples and bits.
  std::function<Cycles(int width, int height, int bits)> memory;
};
[[nodiscard]] BoardCosts board_costs(const Board& board);

/// What the decoder calls for one frame.
struct KernelCounts : vp9::KernelCalls {
  EdgeCounts edges{};
};

struct CountedFrame {
  KernelCounts counts;
  EdgeMix mix;
};

/// Of counts.prediction_calls, for each of which `counts` has one block.
[[nodiscard]] double intra_calls(const KernelCounts& counts);

/// Decodes the sample once, on one thread, with tables that count; as many as it has frames. Throws
/// Error (usage) that names the stream when it is damaged.
[[nodiscard]] std::vector<CountedFrame> count_sample(const Stream& stream, std::size_t least_edges);

/// "pi4", "pi5"; nothing for another name.
[[nodiscard]] std::optional<Board> board_of(std::string_view name);
/// Of its QPUs: "4.2", "7.1".
[[nodiscard]] std::string_view v3d_of(const Board& board);

/// Seconds on one thread, by ClockRow. Throws Error (environment) that names a kernel of which the
/// model says nothing.
using ModelledStages = std::array<Estimate, kClockRows.size()>;
[[nodiscard]] ModelledStages modelled_stages(const KernelCounts& counts, const FrameWork& work,
                                             const Stream& stream, const BoardCosts& costs);

/// Seconds of an edge on one NEON thread: the mean of the six kinds whose mask is met, as expected.
[[nodiscard]] double modelled_edge(const BoardCosts& costs, int bits);

/// Of an edge NEON reads and writes four samples on either side of its 8 lines, as the published
/// figures of docs/armsim.md are counted: nothing of a frame that fits the last cache.
[[nodiscard]] SharedMemory shared_memory(const Stream& stream, const BoardCosts& costs);

/// On up to all cores of the board. How threads help is known between bounds only: they divide all
/// stages perfectly, or all but parsing.
[[nodiscard]] CpuCost modelled_cpu_cost(const Stream& stream, std::span<const CountedFrame> frames,
                                        const BoardCosts& costs);

}  // namespace sidecore::model
