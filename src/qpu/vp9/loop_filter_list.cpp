#include "qpu/vp9/loop_filter_list.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

using vp9::LoopFilterEdge;
using vp9::LoopFilterKind;

std::size_t range_bytes(const BufferRange& range) {
  return range.size != 0 ? range.size : range.buffer->size() - range.offset;
}

}  // namespace

LoopFilterList::LoopFilterList(std::shared_ptr<Device> device,
                               std::span<const LoopFilterKind> kinds, int bits)
    : device_(std::move(device)),
      kinds_(kinds.begin(), kinds.end()),
      sample_bytes_(bits == 8 ? 1 : 2),
      filter_(*device_, kinds_, bits) {}

LoopFilterList::Edges LoopFilterList::make_edges(std::span<const LoopFilterEdge> edges,
                                                 std::size_t plane_samples,
                                                 std::size_t stride) const {
  vp9::check_edges(edges, plane_samples, stride, vp9::SampleAccess::words);
  for (std::size_t index = 0; index < edges.size(); ++index) {
    if (std::ranges::find(kinds_, edges[index].kind) == kinds_.end()) {
      throw usage_error("edge {}: the filter was not made for kind {}", index,
                        to_string(edges[index].kind));
    }
  }
  Edges made;
  made.count_ = edges.size();
  made.plane_bytes_ = plane_samples * sample_bytes_;
  made.stride_bytes_ = stride * sample_bytes_;
  if (edges.empty()) return made;
  std::vector<LoopFilterEdge> sorted(edges.begin(), edges.end());
  std::ranges::stable_sort(sorted, {}, &LoopFilterEdge::kind);
  made.edges_ = device_->create_buffer(sorted.size() * sizeof(PackedEdge));
  std::ranges::transform(sorted, made.edges_->as<PackedEdge>().begin(),
                         [this](const LoopFilterEdge& edge) {
                           return pack_edge(edge.offset * sample_bytes_, edge.kind, edge.limits, 0);
                         });
  made.step_ = device_->create_buffer(sizeof(PackedStep));
  made.step_->as<PackedStep>()[0] = {0, static_cast<std::uint32_t>(sorted.size())};
  return made;
}

void LoopFilterList::record_upload(CommandList& list, const Edges& edges) const {
  if (edges.count_ == 0) return;
  list.upload({.buffer = edges.edges_.get()});
  list.upload({.buffer = edges.step_.get()});
}

void LoopFilterList::record(CommandList& list, const BufferRange& plane, const Edges& edges) const {
  if (edges.count_ == 0) return;
  if (range_bytes(plane) < edges.plane_bytes_) {
    throw usage_error(
        "plane range of {} bytes is smaller than the {} bytes its edges were made for",
        range_bytes(plane), edges.plane_bytes_);
  }
  filter_.record_step(list, {plane, edges.edges_.get(), edges.step_.get()}, 0,
                      {edges.stride_bytes_, edges.stride_bytes_});
}

}  // namespace sidecore::qpu
