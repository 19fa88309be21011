#include "qpu/shader_interface.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <spirv_cross.hpp>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

// Above any device's; keeps a replacement's binding from filling memory.
constexpr std::uint32_t kMaxBindings = 256;

Access access_of(const spirv_cross::Bitset& decorations) {
  const bool reads = !decorations.get(spv::DecorationNonReadable);
  const bool writes = !decorations.get(spv::DecorationNonWritable);
  if (reads == writes) return Access::read_write;
  return reads ? Access::read : Access::write;
}

/// SPIRV-Cross without a target language. Derived from it for the module's variables in shared
/// memory, which it does not count among the resources.
class Reader : public spirv_cross::Compiler {
 public:
  explicit Reader(std::span<const std::uint32_t> spirv) : Compiler(spirv.data(), spirv.size()) {}

  ShaderInterface run(const Specialization& specialization) {
    enter_main();
    specialize(specialization);
    read_workgroup_size();
    read_resources();
    for (const spv::Capability capability : get_declared_capabilities()) {
      result_.capabilities.push_back(capability);
    }
    ir.for_each_typed_id<spirv_cross::SPIRVariable>(
        [&](std::uint32_t, const spirv_cross::SPIRVariable& variable) {
          if (variable.storage == spv::StorageClassWorkgroup) {
            result_.shared_memory_bytes += size_of(get_type(variable.basetype));
          }
        });
    return std::move(result_);
  }

 private:
  void enter_main() {
    std::size_t found = 0;
    for (const spirv_cross::EntryPoint& entry : get_entry_points_and_stages()) {
      if (entry.name == "main" && entry.execution_model == spv::ExecutionModelGLCompute) ++found;
    }
    if (found != 1) {
      throw usage_error("SPIR-V has {} compute entry points called 'main', expected 1", found);
    }
    set_entry_point("main", spv::ExecutionModelGLCompute);
  }

  void specialize(const Specialization& specialization) {
    for (const spirv_cross::SpecializationConstant& constant : get_specialization_constants()) {
      result_.specialization_ids.push_back(constant.constant_id);
      for (const auto& [id, value] : specialization.constants) {
        if (id == constant.constant_id) get_constant(constant.id).m.c[0].r[0].u32 = value;
      }
    }
    std::sort(result_.specialization_ids.begin(), result_.specialization_ids.end());
  }

  void read_workgroup_size() {
    std::array<spirv_cross::SpecializationConstant, 3> specialized;
    get_work_group_size_specialization_constants(specialized[0], specialized[1], specialized[2]);
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      result_.workgroup_size[axis] =
          specialized[axis].id != spirv_cross::ConstantID(0)
              ? get_constant(specialized[axis].id).scalar()
              : get_execution_mode_argument(spv::ExecutionModeLocalSize, axis);
    }
  }

  void read_resources() {
    const spirv_cross::ShaderResources resources = get_shader_resources();
    for (const spirv_cross::Resource& block : resources.push_constant_buffers) {
      result_.push_constant_bytes = std::max(
          result_.push_constant_bytes,
          static_cast<std::uint32_t>(get_declared_struct_size(get_type(block.base_type_id))));
    }
    for (const spirv_cross::Resource& buffer : resources.storage_buffers) read_buffer(buffer);
    for (const auto* foreign :
         {&resources.uniform_buffers, &resources.storage_images, &resources.sampled_images,
          &resources.separate_images, &resources.separate_samplers, &resources.subpass_inputs,
          &resources.acceleration_structures, &resources.atomic_counters}) {
      for (const spirv_cross::Resource& resource : *foreign) refuse(resource);
    }
  }

  void read_buffer(const spirv_cross::Resource& buffer) {
    const std::uint32_t set = get_decoration(buffer.id, spv::DecorationDescriptorSet);
    const std::uint32_t binding = get_decoration(buffer.id, spv::DecorationBinding);
    if (!get_type(buffer.type_id).array.empty()) {
      refuse(buffer);
    } else if (set != 0 || binding >= kMaxBindings) {
      result_.foreign_resources.push_back(
          fmt::format("a storage buffer at set {} binding {}", set, binding));
    } else {
      if (binding >= result_.bindings.size()) result_.bindings.resize(binding + 1);
      // Two variables may view one binding; together they may do what either may.
      Access& access = result_.bindings[binding];
      const Access also = access_of(get_buffer_block_flags(buffer.id));
      access = access == Access::none || access == also ? also : Access::read_write;
    }
  }

  void refuse(const spirv_cross::Resource& resource) {
    result_.foreign_resources.push_back(
        fmt::format("a resource that is not one storage buffer at set {} binding {}",
                    get_decoration(resource.id, spv::DecorationDescriptorSet),
                    get_decoration(resource.id, spv::DecorationBinding)));
  }

  // In shared memory, which has no declared layout: packed.
  [[nodiscard]] std::uint64_t size_of(const spirv_cross::SPIRType& type) const {
    std::uint64_t size = 0;
    if (type.basetype == spirv_cross::SPIRType::Struct) {
      for (const spirv_cross::TypeID member : type.member_types) size += size_of(get_type(member));
    } else {
      const std::uint64_t bits = type.basetype == spirv_cross::SPIRType::Boolean ? 32 : type.width;
      size = bits / 8 * type.vecsize * type.columns;
    }
    for (std::size_t i = 0; i < type.array.size(); ++i) {
      const std::uint64_t length =
          type.array_size_literal[i] ? type.array[i] : evaluate_constant_u32(type.array[i]);
      // Saturates far above every limit, so that the product of hostile lengths cannot wrap.
      constexpr std::uint64_t kHuge = std::uint64_t{1} << 31U;
      size = std::min(size, kHuge) * length;
    }
    return size;
  }

  ShaderInterface result_;
};

}  // namespace

ShaderInterface read_interface(std::span<const std::uint32_t> spirv,
                               const Specialization& specialization) {
  try {
    return Reader(spirv).run(specialization);
  } catch (const spirv_cross::CompilerError& error) {
    throw usage_error("SPIR-V cannot be read: {}", error.what());
  }
}

}  // namespace sidecore::qpu
