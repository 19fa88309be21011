#include "qpu/vp9/loop_filter.h"

#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "qpu/workgroup_grid.h"
#include "vp9/loop_filter_h_4_8.interface.h"

namespace sidecore::qpu {
namespace {

constexpr std::uint32_t kPushBytes = sizeof(shader::LoopFilterPush);

vp9::SampleAccess sample_access(LoopFilterVariant variant) {
  return variant == LoopFilterVariant::word ? vp9::SampleAccess::words : vp9::SampleAccess::bytes;
}

std::uint32_t invocations_per_edge_log2(LoopFilterVariant variant) {
  return variant == LoopFilterVariant::word ? shader::kWordInvocationsPerEdgeLog2
                                            : shader::kByteInvocationsPerEdgeLog2;
}

std::size_t range_bytes(const BufferRange& range) {
  return range.size != 0 ? range.size : range.buffer->size() - range.offset;
}

}  // namespace

const ProgramInterface& loop_filter_h_4_8_interface(LoopFilterVariant variant) {
  static const ProgramInterface byte{.shader = "loop_filter_h_4_8_byte",
                                     .bindings = {Access::read_write, Access::read},
                                     .push_constant_bytes = kPushBytes,
                                     .needs_8bit_storage = true};
  static const ProgramInterface word{.shader = "loop_filter_h_4_8_word",
                                     .bindings = {Access::read_write, Access::read},
                                     .push_constant_bytes = kPushBytes,
                                     .needs_8bit_storage = false};
  return variant == LoopFilterVariant::word ? word : byte;
}

LoopFilterH48::LoopFilterH48(std::shared_ptr<Device> device, LoopFilterVariant variant)
    : device_(std::move(device)),
      variant_(variant),
      program_(device_->program(loop_filter_h_4_8_interface(variant), {})) {}

LoopFilterH48::Edges LoopFilterH48::make_edges(std::span<const vp9::LoopFilterEdge> edges,
                                               std::size_t plane_bytes, std::size_t stride) const {
  if (plane_bytes > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("plane of {} bytes is beyond the shader's 32-bit offsets", plane_bytes);
  }
  vp9::check_edges_h4(edges, plane_bytes, stride, sample_access(variant_));
  Edges made;
  made.count_ = edges.size();
  made.plane_bytes_ = plane_bytes;
  made.stride_ = stride;
  if (!edges.empty()) {
    made.buffer_ = device_->create_buffer(edges.size_bytes());
    std::memcpy(made.buffer_->bytes().data(), edges.data(), edges.size_bytes());
  }
  return made;
}

void LoopFilterH48::record_upload(CommandList& list, const Edges& edges) const {
  if (edges.count_ != 0) list.upload({.buffer = edges.buffer_.get()});
}

void LoopFilterH48::record(CommandList& list, const BufferRange& plane, const Edges& edges) const {
  if (edges.count_ == 0) return;
  if (range_bytes(plane) < edges.plane_bytes_) {
    throw usage_error(
        "plane range of {} bytes is smaller than the {} bytes its edges were made for",
        range_bytes(plane), edges.plane_bytes_);
  }
  const shader::LoopFilterPush push{.edge_count = static_cast<std::uint32_t>(edges.count_),
                                    .stride = static_cast<std::uint32_t>(edges.stride_)};
  const std::size_t per_workgroup =
      program_->workgroup_size()[0] >> invocations_per_edge_log2(variant_);
  const std::size_t workgroups = (edges.count_ + per_workgroup - 1) / per_workgroup;
  const BufferRange bindings[] = {plane, {.buffer = edges.buffer_.get()}};
  list.dispatch(*program_, bindings, push, workgroup_grid(workgroups, device_->limits()));
}

}  // namespace sidecore::qpu
