// Recorded commands and the objects that must live as long as they do.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "qpu/command_list.h"
#include "qpu/hazard_tracker.h"
#include "qpu/vulkan_buffer.h"
#include "qpu/vulkan_program.h"

namespace sidecore::qpu {

/// Objects that the device needs while a list is in flight, even if the list itself is destroyed.
struct Recording {
  explicit Recording(std::shared_ptr<VulkanContext> device_context);

  std::shared_ptr<VulkanContext> context;
  std::set<std::shared_ptr<VulkanBuffer>> buffers;
  std::set<std::shared_ptr<VulkanProgram>> programs;
  std::vector<vk::raii::DescriptorPool> descriptor_pools;
  vk::raii::CommandPool pool;
  vk::raii::CommandBuffer commands{nullptr};
  vk::raii::QueryPool timestamps{nullptr};
  vk::raii::QueryPool counters{nullptr};  ///< counter query; null unless the device counts
  /// Command buffer that resets `counters`, because a list must not reset its own queries.
  vk::raii::CommandBuffer counter_reset{nullptr};
  std::uint32_t dispatches = 0;
  std::uint32_t barriers = 0;
  std::uint64_t uploaded_bytes = 0;
  std::uint64_t downloaded_bytes = 0;
  std::weak_ptr<Ticket::State> last_submission;
};

class VulkanCommandList final : public CommandList {
 public:
  explicit VulkanCommandList(std::shared_ptr<VulkanContext> context);

  void time_on_gpu() override;
  void upload(const BufferRange& range) override;
  void download(const BufferRange& range) override;
  using CommandList::dispatch;
  void dispatch(Program& program, std::span<const BufferRange> bindings,
                std::span<const std::byte> push_constants,
                std::array<std::uint32_t, 3> groups) override;
  void finish() override;
  [[nodiscard]] std::uint32_t dispatch_count() const override { return recording_->dispatches; }
  [[nodiscard]] std::span<const Program* const> dispatched() const override { return dispatched_; }
  [[nodiscard]] std::uint32_t barrier_count() const override { return recording_->barriers; }

  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] const std::shared_ptr<Recording>& recording() const { return recording_; }

 private:
  /// Range with a known end, in a buffer of this device.
  struct Range {
    std::shared_ptr<VulkanBuffer> buffer;
    std::size_t offset = 0;
    std::size_t size = 0;
    friend bool operator<(const Range& a, const Range& b) {
      return std::tie(a.buffer, a.offset, a.size) < std::tie(b.buffer, b.offset, b.size);
    }
  };
  using SetKey = std::pair<vk::DescriptorSetLayout, std::vector<Range>>;

  void require_recording(const char* what) const;
  [[nodiscard]] Range resolve(const BufferRange& range, const char* what) const;
  [[nodiscard]] std::vector<Range> resolve_bindings(const VulkanProgram& program,
                                                    std::span<const BufferRange> bindings) const;
  void check_dispatch(const VulkanProgram& program, std::span<const std::byte> push_constants,
                      const std::array<std::uint32_t, 3>& groups) const;
  void begin_commands();
  void begin_counting();
  void order(std::span<const MemoryAccess> accesses);
  void copy(const Range& range, vk::Buffer from, vk::Buffer to);
  [[nodiscard]] vk::DescriptorSet descriptor_set(const VulkanProgram& program,
                                                 const std::vector<Range>& bindings);
  [[nodiscard]] vk::DescriptorSet allocate_set(vk::DescriptorSetLayout layout,
                                               std::size_t bindings);
  void barrier(vk::PipelineStageFlags to, vk::AccessFlags access);

  std::shared_ptr<Recording> recording_;
  std::vector<const Program*> dispatched_;
  HazardTracker hazards_;
  std::map<SetKey, vk::DescriptorSet> sets_;
  std::uint32_t sets_left_ = 0;       // free sets in the newest descriptor pool
  std::size_t descriptors_left_ = 0;  // free descriptors in the newest descriptor pool
  vk::Pipeline bound_pipeline_;
  bool begun_ = false;
  bool finished_ = false;
  bool timed_ = false;
  bool wrote_host_memory_ = false;
};

}  // namespace sidecore::qpu
