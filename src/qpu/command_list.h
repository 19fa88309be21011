// Commands for one picture: recorded once, submitted many times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "qpu/buffer.h"
#include "qpu/program.h"

namespace sidecore::qpu {

/// Records dispatches and the copies that staging needs, and places the barriers. A barrier
/// precedes a command exactly when it is needed: the command touches bytes that an earlier
/// unsynchronised command of the list writes, or writes bytes that one reads. A barrier towards the
/// host ends the list if the list wrote host-visible memory. A barrier begins every list, because
/// earlier submissions are not known when the list is recorded. The list keeps its buffers and
/// programs alive.
class CommandList {
 public:
  virtual ~CommandList() = default;

  /// Measures the time of the whole list on the GPU (Ticket::gpu_time()). Must be called before the
  /// first command.
  virtual void time_on_gpu() = 0;

  /// Makes host writes to the range visible to later dispatches. Copies on staged memory, does
  /// nothing on unified memory.
  virtual void upload(const BufferRange& range) = 0;
  /// Makes the range as dispatches wrote it visible in bytes() after the ticket is done.
  virtual void download(const BufferRange& range) = 0;

  /// Records a dispatch of `groups` workgroups in x, y and z; a count of 0 in any dimension records
  /// nothing. Throws Error (usage) if bindings or push-constant size do not fit the program, Error
  /// (environment) if counts exceed the device's limits.
  virtual void dispatch(Program& program, std::span<const BufferRange> bindings,
                        std::span<const std::byte> push_constants,
                        std::array<std::uint32_t, 3> groups) = 0;

  template <class Push>
  void dispatch(Program& program, std::span<const BufferRange> bindings, const Push& push,
                std::array<std::uint32_t, 3> groups) {
    static_assert(std::is_trivially_copyable_v<Push>);
    dispatch(program, bindings, std::as_bytes(std::span(&push, 1)), groups);
  }

  /// Ends recording. Must be called before submit(); nothing can be added afterwards.
  virtual void finish() = 0;

  [[nodiscard]] virtual std::uint32_t dispatch_count() const = 0;
  /// Returns the program of every dispatch, in recording order. The programs live as long as the
  /// list.
  [[nodiscard]] virtual std::span<const Program* const> dispatched() const = 0;
  /// Returns the number of barriers between commands, without the barrier at the list's start and
  /// the barrier towards the host.
  [[nodiscard]] virtual std::uint32_t barrier_count() const = 0;
};

}  // namespace sidecore::qpu
