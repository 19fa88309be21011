// Work of one picture: recorded once, submitted many times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "qpu/buffer.h"
#include "qpu/program.h"

namespace sidecore::qpu {

/// Records dispatches and the copies that staging needs. Barriers are the recorder's business: one
/// is placed before a command exactly when it touches bytes that an earlier unsynchronised command
/// of the list writes, or writes bytes that such a command reads; and at the end, towards the host,
/// when the list wrote host-visible memory. One more stands at the start of every list, because
/// what was submitted before it is not known when it is recorded. Keeps buffers and programs alive.
class CommandList {
 public:
  virtual ~CommandList() = default;

  /// Time the whole list on the GPU (Ticket::gpu_time()). Before the first command.
  virtual void time_on_gpu() = 0;

  /// Makes host writes to the range visible to later dispatches: a copy on staged memory, nothing
  /// on unified memory.
  virtual void upload(const BufferRange& range) = 0;
  /// Makes what dispatches wrote visible in bytes() once the ticket is done.
  virtual void download(const BufferRange& range) = 0;

  /// groups: workgroup counts. A count of 0 in any dimension records nothing.
  /// Throws Error (usage) when bindings, push-constant size or counts do not fit the program or the
  /// device's limits.
  virtual void dispatch(Program& program, std::span<const BufferRange> bindings,
                        std::span<const std::byte> push_constants,
                        std::array<std::uint32_t, 3> groups) = 0;

  template <class Push>
  void dispatch(Program& program, std::span<const BufferRange> bindings, const Push& push,
                std::array<std::uint32_t, 3> groups) {
    static_assert(std::is_trivially_copyable_v<Push>);
    dispatch(program, bindings, std::as_bytes(std::span(&push, 1)), groups);
  }

  /// Ends recording. Needed before submit; nothing can be added afterwards.
  virtual void finish() = 0;

  [[nodiscard]] virtual std::uint32_t dispatch_count() const = 0;
  /// The program of every dispatch, in the order of recording. They live as long as the list.
  [[nodiscard]] virtual std::span<const Program* const> dispatched() const = 0;
  /// Barriers between commands: without the one at the list's start and the one towards the host.
  [[nodiscard]] virtual std::uint32_t barrier_count() const = 0;
};

}  // namespace sidecore::qpu
