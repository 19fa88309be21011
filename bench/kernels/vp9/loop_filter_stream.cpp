#include "kernels/vp9/loop_filter_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/vp9/loop_filter_workload.h"

namespace sidecore::bench {
namespace {

// Positions of a picture's planes in one joined plane with luma's stride.
struct JoinedPlanes {
  struct Place {
    std::size_t x = 0;
    std::size_t y = 0;
  };

  explicit JoinedPlanes(const video::Picture& picture)
      : stride(picture.layout().planes[0].stride / picture.format().pixel.bytes_per_sample()) {
    const video::PictureFormat& format = picture.format();
    const auto luma_rows = static_cast<std::size_t>(format.height);
    const auto width = static_cast<std::size_t>(format.plane_width(1));
    const auto height = static_cast<std::size_t>(format.plane_height(1));
    const bool side_by_side = 2 * width <= stride;
    corners[1] = {0, luma_rows};
    corners[2] = side_by_side ? Place{width, luma_rows} : Place{0, luma_rows + height};
    rows = luma_rows + (side_by_side ? 1 : 2) * height;
  }

  [[nodiscard]] std::size_t plane_at(std::size_t x, std::size_t y) const {
    if (y < corners[1].y) return 0;
    return y >= corners[2].y && x >= corners[2].x ? 2 : 1;
  }

  std::size_t stride;
  std::size_t rows = 0;
  std::array<Place, 3> corners{};
};

// Groups of 4x4 samples that edges already touch, for each copy of the joined planes.
class CopyMap {
 public:
  explicit CopyMap(const JoinedPlanes& planes)
      : columns_(planes.stride / kCell), cells_(columns_ * (planes.rows / kCell)) {}

  /// Returns the first copy in which no edge touches `touched`, and marks `touched` in that copy.
  std::size_t take(const JoinedPlanes::Place& corner, const vp9::TouchedSamples& touched) {
    for (std::size_t copy = 0;; ++copy) {
      if (copy == copies_.size()) copies_.emplace_back(cells_);
      if (mark(copies_[copy], corner, touched)) return copy;
    }
  }
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }

 private:
  static constexpr std::size_t kCell = 4;

  bool mark(std::vector<bool>& taken, const JoinedPlanes::Place& corner,
            const vp9::TouchedSamples& touched) const {
    const std::size_t left = (corner.x + static_cast<std::size_t>(touched.left)) / kCell;
    const std::size_t top = (corner.y + static_cast<std::size_t>(touched.top)) / kCell;
    const std::size_t right = left + static_cast<std::size_t>(touched.right - touched.left) / kCell;
    const std::size_t bottom = top + static_cast<std::size_t>(touched.bottom - touched.top) / kCell;
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) {
        if (taken[y * columns_ + x]) return false;
      }
    }
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) taken[y * columns_ + x] = true;
    }
    return true;
  }

  std::size_t columns_;
  std::size_t cells_;
  std::vector<std::vector<bool>> copies_;
};

struct FrameEdges {
  std::size_t copies = 0;
  // Edges copy after copy, each in the scalar definition's order.
  std::vector<vp9::LoopFilterEdge> edges;
};

FrameEdges edges_of(vp9::LoopFilterKind kind, const CapturedFrame& frame,
                    const JoinedPlanes& planes) {
  CopyMap map(planes);
  std::vector<std::pair<std::size_t, vp9::LoopFilterEdge>> placed;
  for (vp9::LoopFilterEdge edge : frame.edges) {
    if (edge.kind() != kind) continue;
    const JoinedPlanes::Place& corner = planes.corners[edge.plane];
    const std::size_t copy = map.take(corner, vp9::TouchedSamples(edge));
    const std::size_t y = copy * planes.rows + corner.y + edge.y;
    if (y > std::numeric_limits<std::uint16_t>::max()) {
      throw usage_error("frame {} is too high: {} copies of it have an edge at row {}",
                        frame.number, copy + 1, y);
    }
    edge.x = static_cast<std::uint16_t>(corner.x + edge.x);
    edge.y = static_cast<std::uint16_t>(y);
    edge.plane = 0;
    placed.emplace_back(copy, edge);
  }
  std::ranges::stable_sort(placed, {}, &std::pair<std::size_t, vp9::LoopFilterEdge>::first);
  FrameEdges result{map.copies(), {}};
  result.edges.reserve(placed.size());
  for (const auto& [copy, edge] : placed) result.edges.push_back(edge);
  return result;
}

LoopFilterWork work_of(vp9::LoopFilterKind kind, const CapturedFrame& frame,
                       const JoinedPlanes& planes, FrameEdges edges) {
  const video::PixelFormat& pixel = frame.samples.format().pixel;
  const std::size_t stride = planes.stride * pixel.bytes_per_sample();
  const std::size_t rows = edges.copies * planes.rows;
  LoopFilterWork work;
  work.planes.planes[0] = {0, stride, rows};
  work.bytes = stride * rows;
  work.bits = pixel.bits;
  work.edges = std::move(edges.edges);
  work.sharpness = frame.sharpness;
  work.kind = kind;
  return work;
}

class FrameWorkload final : public LoopFilterWorkload {
 public:
  FrameWorkload(LoopFilterWork work, video::Picture samples, const JoinedPlanes& planes,
                std::size_t copies)
      : LoopFilterWorkload(std::move(work)),
        samples_(std::move(samples)),
        planes_(planes),
        copies_(copies) {}

 private:
  void fill(std::span<std::byte> plane) const override {
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      if (samples_.format().pixel.bits == 8) {
        fill_copy<std::uint8_t>(plane, copy);
      } else {
        fill_copy<std::uint16_t>(plane, copy);
      }
    }
  }

  template <class Sample>
  void fill_copy(std::span<std::byte> plane, std::size_t copy) const {
    auto* const first = reinterpret_cast<Sample*>(plane.data());
    for (std::size_t index = 0; index < planes_.corners.size(); ++index) {
      const auto from = samples_.plane<Sample>(static_cast<int>(index));
      const JoinedPlanes::Place& corner = planes_.corners[index];
      Sample* to = first + (copy * planes_.rows + corner.y) * planes_.stride + corner.x;
      for (int y = 0; y < from.height; ++y, to += planes_.stride) {
        std::copy_n(from.row(y), from.width, to);
      }
    }
  }

  [[nodiscard]] std::string place(std::size_t /*joined*/, std::size_t x,
                                  std::size_t y) const override {
    const std::size_t copy = y / planes_.rows;
    y %= planes_.rows;
    const std::size_t plane = planes_.plane_at(x, y);
    std::string text = fmt::format("{}, x {}, y {}", kPlaneNames[plane],
                                   x - planes_.corners[plane].x, y - planes_.corners[plane].y);
    if (copies_ > 1) text += fmt::format(", copy {}", copy);
    return text;
  }

  video::Picture samples_;
  JoinedPlanes planes_;
  std::size_t copies_;
};

class StreamWorkloads final : public gates::ClipWorkloads {
 public:
  StreamWorkloads(std::optional<vp9::LoopFilterKind> kind,
                  std::unique_ptr<video::PacketSource> packets, std::optional<std::size_t> frames)
      : kind_(kind), capture_(std::move(packets)), frames_(frames) {}

  [[nodiscard]] std::unique_ptr<gates::Workload> next() override {
    while (!frames_ || seen_ < *frames_) {
      std::optional<CapturedFrame> frame = capture_.next();
      if (!frame) break;
      ++seen_;
      const std::uint64_t number = frame->number;
      if (auto workload = make_frame_workload(kind_, *std::move(frame))) {
        origin_ = fmt::format("frame {} of {}", number, capture_.name());
        return workload;
      }
    }
    if (origin_.empty()) throw none();
    return nullptr;
  }
  [[nodiscard]] const std::string& origin() const override { return origin_; }

 private:
  [[nodiscard]] Error none() const {
    if (seen_ == 0) return usage_error("{} has no frame", capture_.name());
    if (!kind_) {
      return usage_error("{}: none of its {} frames has an edge to filter", capture_.name(), seen_);
    }
    const bool vertical = vp9::direction_of(*kind_) == vp9::EdgeDirection::vertical;
    return usage_error("{}: none of its {} frames has a {} edge {} samples wide for {} to filter",
                       capture_.name(), seen_, vertical ? "vertical" : "horizontal",
                       vp9::width_of(*kind_), to_string(*kind_));
  }

  std::optional<vp9::LoopFilterKind> kind_;
  FrameCapture capture_;
  std::optional<std::size_t> frames_;
  std::size_t seen_ = 0;
  std::string origin_;
};

}  // namespace

std::unique_ptr<gates::ClipWorkloads> open_loop_filter_stream(
    std::optional<vp9::LoopFilterKind> kind, const gates::ClipRequest& clip) {
  auto packets = open_vp9(clip.path, clip.start_at_key_frame);
  if (packets == nullptr) return nullptr;
  return std::make_unique<StreamWorkloads>(kind, std::move(packets), clip.frames);
}

std::unique_ptr<gates::Workload> make_frame_workload(std::optional<vp9::LoopFilterKind> kind,
                                                     CapturedFrame frame) {
  if (frame.edges.empty()) return nullptr;
  if (!kind) {
    return std::make_unique<LoopFilterPictureWorkload>(
        std::move(frame.samples), vp9::LoopFilterEdges(std::move(frame.edges)), frame.sharpness);
  }
  const JoinedPlanes planes(frame.samples);
  FrameEdges edges = edges_of(*kind, frame, planes);
  if (edges.edges.empty()) return nullptr;
  const std::size_t copies = edges.copies;
  LoopFilterWork work = work_of(*kind, frame, planes, std::move(edges));
  return std::make_unique<FrameWorkload>(std::move(work), std::move(frame.samples), planes, copies);
}

}  // namespace sidecore::bench
