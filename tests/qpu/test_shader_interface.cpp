// Compares the SPIR-V reader of the build and the library with SPIRV-Cross, an independent reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <spirv_cross.hpp>
#include <vector>

#include "qpu/qpu_fixtures.h"
#include "qpu/shader_interface.h"
#include "qpu/shader_library.h"

namespace sidecore::qpu::test_shader_interface {
namespace {

/// SPIRV-Cross without a target language. Derived from it to read variables in shared memory, which
/// it does not list as resources.
class SpirvCross : public spirv_cross::Compiler {
 public:
  SpirvCross(const Shader& shader, const Specialization& specialization)
      : Compiler(shader.spirv.data(), shader.spirv.size()) {
    set_entry_point("main", spv::ExecutionModelGLCompute);
    for (const spirv_cross::SpecializationConstant& constant : get_specialization_constants()) {
      ids_.push_back(constant.constant_id);
      for (const auto& [id, value] : specialization.constants) {
        if (id == constant.constant_id) get_constant(constant.id).m.c[0].r[0].u32 = value;
      }
    }
    std::sort(ids_.begin(), ids_.end());
  }

  [[nodiscard]] const std::vector<std::uint32_t>& specialization_ids() const { return ids_; }

  [[nodiscard]] std::vector<std::uint32_t> capabilities() const {
    const auto& declared = get_declared_capabilities();
    return {declared.begin(), declared.end()};
  }

  [[nodiscard]] std::array<std::uint32_t, 3> workgroup_size() const {
    std::array<spirv_cross::SpecializationConstant, 3> specialized;
    get_work_group_size_specialization_constants(specialized[0], specialized[1], specialized[2]);
    std::array<std::uint32_t, 3> size{};
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      size[axis] = specialized[axis].id != spirv_cross::ConstantID(0)
                       ? get_constant(specialized[axis].id).scalar()
                       : get_execution_mode_argument(spv::ExecutionModeLocalSize, axis);
    }
    return size;
  }

  [[nodiscard]] std::uint32_t push_constant_bytes() const {
    std::size_t bytes = 0;
    for (const spirv_cross::Resource& block : get_shader_resources().push_constant_buffers) {
      bytes = std::max(bytes, get_declared_struct_size(get_type(block.base_type_id)));
    }
    return static_cast<std::uint32_t>(bytes);
  }

  /// Returns the access to the storage buffers of set 0, without arrays of buffers.
  [[nodiscard]] std::vector<Access> bindings() {
    std::vector<Access> bindings;
    for (const spirv_cross::Resource& buffer : get_shader_resources().storage_buffers) {
      if (!get_type(buffer.type_id).array.empty()) continue;
      const std::size_t binding = get_decoration(buffer.id, spv::DecorationBinding);
      if (binding >= bindings.size()) bindings.resize(binding + 1);
      const spirv_cross::Bitset flags = get_buffer_block_flags(buffer.id);
      const bool reads = !flags.get(spv::DecorationNonReadable);
      const bool writes = !flags.get(spv::DecorationNonWritable);
      const Access access = reads == writes ? Access::read_write
                            : reads         ? Access::read
                                            : Access::write;
      Access& known = bindings[binding];
      known = known == Access::none || known == access ? access : Access::read_write;
    }
    return bindings;
  }

  [[nodiscard]] std::uint64_t shared_memory_bytes() {
    std::uint64_t bytes = 0;
    ir.for_each_typed_id<spirv_cross::SPIRVariable>(
        [&](std::uint32_t, const spirv_cross::SPIRVariable& variable) {
          if (variable.storage == spv::StorageClassWorkgroup) {
            bytes += size_of(get_type(variable.basetype));
          }
        });
    return bytes;
  }

 private:
  [[nodiscard]] std::uint64_t size_of(const spirv_cross::SPIRType& type) const {
    std::uint64_t size = 0;
    if (type.basetype == spirv_cross::SPIRType::Struct) {
      for (const spirv_cross::TypeID member : type.member_types) size += size_of(get_type(member));
    } else {
      size = std::uint64_t{type.width / 8U} * type.vecsize * type.columns;
    }
    for (std::size_t i = 0; i < type.array.size(); ++i) {
      size *= type.array_size_literal[i] ? type.array[i] : evaluate_constant_u32(type.array[i]);
    }
    return size;
  }

  std::vector<std::uint32_t> ids_;
};

template <class List, class Expected>
void expect_same(const List& list, const Expected& expected) {
  EXPECT_TRUE(std::equal(list.begin(), list.end(), expected.begin(), expected.end()));
}

void expect_what_spirv_cross_reads(const ShaderInterface& interface, const Shader& shader,
                                   const Specialization& specialization) {
  SCOPED_TRACE(shader.name);
  SpirvCross expected(shader, specialization);
  expect_same(interface.bindings, expected.bindings());
  EXPECT_EQ(interface.push_constant_bytes, expected.push_constant_bytes());
  EXPECT_EQ(interface.workgroup_size, expected.workgroup_size());
  EXPECT_EQ(interface.shared_memory_bytes, expected.shared_memory_bytes());
  expect_same(interface.capabilities, expected.capabilities());
  expect_same(interface.specialization_ids, expected.specialization_ids());
}

TEST(ShaderInterface, OfEveryShaderOfTheBuildIsWhatSpirvCrossReads) {
  for (const auto shaders : {embedded_shaders(), test_shaders()}) {
    for (const Shader& shader : shaders) {
      ASSERT_NE(shader.interface, nullptr) << shader.name;
      expect_what_spirv_cross_reads(*shader.interface, shader, {});
      EXPECT_EQ(*shader.interface, read_interface(shader.spirv, {})) << shader.name;
    }
  }
}

TEST(ShaderInterface, FollowsEachSpecializationConstant) {
  std::size_t followed = 0;
  for (const auto shaders : {embedded_shaders(), test_shaders()}) {
    for (const Shader& shader : shaders) {
      for (const std::uint32_t id : shader.interface->specialization_ids) {
        const Specialization specialization{{{id, 24}}};
        const ShaderInterface interface = interface_of(shader, specialization);
        expect_what_spirv_cross_reads(interface, shader, specialization);
        if (interface != *shader.interface) ++followed;
      }
    }
  }
  // The two: the workgroup size of "scale" and the shared memory of "beyond_v3d".
  EXPECT_EQ(followed, 2U);
}

/// Makes a module of these instructions. Each instruction is given by its operation and its words
/// after the first; the first word is computed.
std::vector<std::uint32_t> module_of(
    std::initializer_list<std::pair<std::uint32_t, std::vector<std::uint32_t>>> instructions) {
  std::vector<std::uint32_t> words{0x07230203, 0x00010300, 0, 1000, 0};
  for (const auto& [operation, operands] : instructions) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16U | operation);
    words.insert(words.end(), operands.begin(), operands.end());
  }
  return words;
}

// Operation numbers, and complete instructions for the GLCompute entry point "main" and shared
// memory.
enum : std::uint32_t {
  kEntryPoint = 15,
  kTypeInt = 21,
  kTypeArray = 28,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstant = 43,
  kSpecConstantOp = 52,
  kVariable = 59,
};
const std::pair<std::uint32_t, std::vector<std::uint32_t>> kMain{kEntryPoint,
                                                                 {5, 1, 0x6e69616d, 0}};
constexpr std::uint32_t kShared = 4;

void expect_refusal(const std::vector<std::uint32_t>& words, std::string_view part) {
  expect_error(ErrorKind::usage, part, [&] { (void)read_interface(words, {}); });
}

TEST(ShaderInterface, OfWordsThatAreNoModuleIsRefused) {
  expect_refusal({}, "no header");
  expect_refusal({1, 2, 3, 4, 5}, "no header");
  expect_refusal(module_of({}), "0 compute entry points");
  expect_refusal(module_of({kMain, kMain}), "2 compute entry points");
  std::vector<std::uint32_t> cut = module_of({kMain});
  cut.pop_back();
  expect_refusal(cut, "no end");
  expect_refusal(module_of({kMain, {kVariable, {9, 10, kShared}}}), "undeclared id");
  expect_refusal(module_of({kMain, {kVariable, {9, 10}}}), "lacks an operand");
  expect_refusal(module_of({kMain, {kTypePointer, {2}}, {kVariable, {2, 3, kShared}}}), "lacks");
  std::vector<std::uint32_t> endless = module_of({kMain});
  endless.insert(endless.end(), 40'000, 0x00010000);  // OpNop
  expect_refusal(endless, "too many declarations");
}

// A validator rejects the first two modules. The third is valid, but has 2^60 members when
// unrolled.
TEST(ShaderInterface, OfTypesThatNameEachOtherComesToAnEnd) {
  expect_refusal(module_of({kMain,
                            {kTypeInt, {2, 32, 0}},
                            {kTypeArray, {3, 3, 4}},
                            {kConstant, {2, 4, 1}},
                            {kTypePointer, {5, kShared, 3}},
                            {kVariable, {5, 6, kShared}}}),
                 "too many types and constants");
  expect_refusal(module_of({kMain,
                            {kTypeInt, {2, 32, 0}},
                            {kSpecConstantOp, {2, 4, 128, 4, 4}},
                            {kTypeArray, {3, 2, 4}},
                            {kTypePointer, {5, kShared, 3}},
                            {kVariable, {5, 6, kShared}}}),
                 "too many types and constants");
  std::vector<std::uint32_t> words = module_of({kMain, {kTypeInt, {2, 32, 0}}});
  const auto append = [&](std::initializer_list<std::uint32_t> instruction) {
    words.insert(words.end(), instruction);
  };
  for (std::uint32_t id = 3; id <= 62; ++id) {
    append({4U << 16U | kTypeStruct, id, id - 1, id - 1});
  }
  append({4U << 16U | kTypePointer, 100, kShared, 62});
  append({4U << 16U | kVariable, 100, 101, kShared});
  expect_refusal(words, "too many types and constants");
}

}  // namespace
}  // namespace sidecore::qpu::test_shader_interface
