// QPU twin of vp9/loop_filter.h: host side.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "vp9/loop_filter.h"

namespace sidecore::qpu {

/// How the shader touches memory.
enum class LoopFilterVariant {
  byte,  ///< one lane a row, 8 byte loads, up to 4 byte stores: the published design, the baseline
  word,  ///< one lane an edge, 2 word loads and up to 2 word stores a row
};

[[nodiscard]] const ProgramInterface& loop_filter_h_4_8_interface(LoopFilterVariant variant);

/// Filters edge lists of any length over planes in device-visible memory, a dispatch a list.
class LoopFilterH48 {
 public:
  LoopFilterH48(std::shared_ptr<Device> device, LoopFilterVariant variant);

  /// Checks the list against the contract (vp9::check_edges_h4(), words for
  /// LoopFilterVariant::word) for a plane of `plane_bytes` and `stride`, and copies it to
  /// device-visible memory. Throws Error (usage) for a bad list, in every build type.
  class Edges {
   public:
    [[nodiscard]] std::size_t count() const { return count_; }

   private:
    friend class LoopFilterH48;
    std::shared_ptr<Buffer> buffer_;
    std::size_t count_ = 0;
    std::size_t plane_bytes_ = 0;
    std::size_t stride_ = 0;
  };
  [[nodiscard]] Edges make_edges(std::span<const vp9::LoopFilterEdge> edges,
                                 std::size_t plane_bytes, std::size_t stride) const;

  /// Uploads the edges (where memory is staged). Once a list, before its first dispatch.
  void record_upload(CommandList& list, const Edges& edges) const;
  /// Records the dispatch. `plane` holds at least the plane_bytes that the edges were checked for.
  /// Nothing is recorded for an empty list.
  void record(CommandList& list, const BufferRange& plane, const Edges& edges) const;

 private:
  std::shared_ptr<Device> device_;
  LoopFilterVariant variant_;
  std::shared_ptr<Program> program_;
};

}  // namespace sidecore::qpu
