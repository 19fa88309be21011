#include "qpu/spirv_reflection.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "qpu/spirv_format.h"

namespace sidecore::qpu {
namespace {

using Words = std::span<const std::uint32_t>;

// Deeper nesting of types than any shader has; recursion over hostile files ends here.
constexpr int kMaxTypeDepth = 64;
// Sizes saturate here, far above every limit, so that products of hostile lengths cannot wrap.
constexpr std::uint64_t kHugeSize = std::uint64_t{1} << 40U;

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > kHugeSize / a ? kHugeSize : std::min(a * b, kHugeSize);
}

struct Definition {
  std::uint32_t opcode = 0;
  Words operands;  // without the instruction's first word
};

struct Decorations {
  std::optional<std::uint32_t> spec_id;
  std::optional<std::uint32_t> array_stride;
  std::optional<std::uint32_t> matrix_stride;
  std::optional<std::uint32_t> builtin;
  std::optional<std::uint32_t> binding;
  std::optional<std::uint32_t> set;
  std::optional<std::uint32_t> offset;
  bool buffer_block = false;
  bool non_writable = false;
  bool non_readable = false;
};

Access access_of(bool non_writable, bool non_readable) {
  if (non_writable == non_readable) return Access::read_write;
  return non_writable ? Access::read : Access::write;
}

class Reflector {
 public:
  Reflector(Words words, const Specialization& specialization)
      : words_(words), specialization_(specialization) {}

  SpirvReflection run() {
    read_declarations();
    if (entry_points_ != 1) {
      throw usage_error("SPIR-V has {} compute entry points called 'main', expected 1",
                        entry_points_);
    }
    result_.local_size = local_size();
    for (const auto& [id, operands] : variables_) reflect_variable(id, operands);
    collect_bindings();
    for (const auto& [id, decorations] : decorations_) {
      if (decorations.spec_id) result_.specialization_ids.push_back(*decorations.spec_id);
    }
    std::sort(result_.specialization_ids.begin(), result_.specialization_ids.end());
    return std::move(result_);
  }

 private:
  void read_declarations() {
    if (words_.size() < spirv::kHeaderWords || words_[0] != spirv::kMagic) {
      throw usage_error("not SPIR-V: it does not start with the magic number {:#x}", spirv::kMagic);
    }
    std::size_t at = spirv::kHeaderWords;
    while (at < words_.size()) {
      const std::uint32_t length = words_[at] >> 16U;
      const std::uint32_t opcode = words_[at] & 0xffffU;
      if (length == 0 || length > words_.size() - at) {
        throw usage_error("malformed SPIR-V: instruction {} at word {} claims {} words of {} left",
                          opcode, at, length, words_.size() - at);
      }
      // Every declaration stands before the first function.
      if (opcode == spirv::kFunction) return;
      position_ = at;
      read_instruction(opcode, words_.subspan(at + 1, length - 1));
      at += length;
    }
  }

  static void require(const Words& operands, std::size_t count, std::size_t position) {
    if (operands.size() < count) {
      throw usage_error("malformed SPIR-V: the instruction at word {} has {} operands, needs {}",
                        position, operands.size(), count);
    }
  }

  void read_instruction(std::uint32_t opcode, Words operands) {
    switch (opcode) {
      case spirv::kCapability:
        require(operands, 1, position_);
        result_.capabilities.push_back(operands[0]);
        break;
      case spirv::kEntryPoint:
        read_entry_point(operands);
        break;
      case spirv::kExecutionMode:
      case spirv::kExecutionModeId:
        require(operands, 2, position_);
        if (operands[1] == spirv::kLocalSize || operands[1] == spirv::kLocalSizeId) {
          require(operands, 5, position_);
          local_size_mode_ = operands.subspan(1);
        }
        break;
      case spirv::kTypeBool:
      case spirv::kTypeInt:
      case spirv::kTypeFloat:
      case spirv::kTypeVector:
      case spirv::kTypeMatrix:
      case spirv::kTypeArray:
      case spirv::kTypeRuntimeArray:
      case spirv::kTypeStruct:
      case spirv::kTypePointer:
        require(operands, least_operands(opcode), position_);
        definitions_[operands[0]] = {opcode, operands};
        break;
      case spirv::kConstantTrue:
      case spirv::kConstantFalse:
      case spirv::kConstant:
      case spirv::kConstantComposite:
      case spirv::kSpecConstantTrue:
      case spirv::kSpecConstantFalse:
      case spirv::kSpecConstant:
      case spirv::kSpecConstantComposite:
      case spirv::kSpecConstantOp:
        require(operands, least_operands(opcode), position_);
        definitions_[operands[1]] = {opcode, operands};
        break;
      case spirv::kVariable:
        require(operands, 3, position_);
        variables_.emplace_back(operands[1], operands);
        break;
      case spirv::kDecorate:
        require(operands, 2, position_);
        decorate(decorations_[operands[0]], operands.subspan(1));
        break;
      case spirv::kMemberDecorate:
        require(operands, 3, position_);
        decorate(members_[{operands[0], operands[1]}], operands.subspan(2));
        break;
      case spirv::kGroupDecorate:
      case spirv::kGroupMemberDecorate:
        throw usage_error("SPIR-V uses decoration groups, which are deprecated and not read here");
      default:
        break;
    }
  }

  static std::size_t least_operands(std::uint32_t opcode) {
    switch (opcode) {
      case spirv::kTypeBool:
      case spirv::kTypeStruct:
        return 1;
      case spirv::kTypeInt:
      case spirv::kTypeVector:
      case spirv::kTypeMatrix:
      case spirv::kTypeArray:
      case spirv::kTypePointer:
      case spirv::kConstant:
      case spirv::kSpecConstant:
      case spirv::kSpecConstantOp:
        return 3;
      default:
        return 2;
    }
  }

  void read_entry_point(Words operands) {
    require(operands, 3, position_);
    char name[8] = {};
    const std::size_t name_words = std::min<std::size_t>(2, operands.size() - 2);
    std::memcpy(name, &operands[2], name_words * sizeof(std::uint32_t));
    if (operands[0] == spirv::kGlCompute &&
        std::string_view(name, 5) == std::string_view("main", 5))
      ++entry_points_;
  }

  void decorate(Decorations& target, Words decoration) const {
    const auto literal = [&] {
      require(decoration, 2, position_);
      return decoration[1];
    };
    switch (decoration[0]) {
      case spirv::kSpecId:
        target.spec_id = literal();
        break;
      case spirv::kArrayStride:
        target.array_stride = literal();
        break;
      case spirv::kMatrixStride:
        target.matrix_stride = literal();
        break;
      case spirv::kBuiltIn:
        target.builtin = literal();
        break;
      case spirv::kBinding:
        target.binding = literal();
        break;
      case spirv::kDescriptorSet:
        target.set = literal();
        break;
      case spirv::kOffset:
        target.offset = literal();
        break;
      case spirv::kBufferBlock:
        target.buffer_block = true;
        break;
      case spirv::kNonWritable:
        target.non_writable = true;
        break;
      case spirv::kNonReadable:
        target.non_readable = true;
        break;
      default:
        break;
    }
  }

  [[nodiscard]] const Definition* find(std::uint32_t id) const {
    const auto found = definitions_.find(id);
    return found == definitions_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] const Decorations* decorations_of(std::uint32_t id) const {
    const auto found = decorations_.find(id);
    return found == decorations_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] const Decorations* member(std::uint32_t structure, std::uint32_t index) const {
    const auto found = members_.find({structure, index});
    return found == members_.end() ? nullptr : &found->second;
  }

  // Value of a 32-bit integer or boolean constant, specialization applied.
  [[nodiscard]] std::optional<std::uint32_t> value_of(std::uint32_t id, int depth = 0) const {
    const Definition* constant = find(id);
    if (constant == nullptr || depth > kMaxTypeDepth) return std::nullopt;
    const Decorations* decorations = decorations_of(id);
    if (decorations != nullptr && decorations->spec_id) {
      for (const auto& [constant_id, value] : specialization_.constants) {
        if (constant_id == *decorations->spec_id) return value;
      }
    }
    switch (constant->opcode) {
      case spirv::kConstantTrue:
      case spirv::kSpecConstantTrue:
        return 1;
      case spirv::kConstantFalse:
      case spirv::kSpecConstantFalse:
        return 0;
      case spirv::kConstant:
      case spirv::kSpecConstant:
        return constant->operands[2];
      case spirv::kSpecConstantOp:
        return operation(constant->operands.subspan(2), depth);
      default:
        return std::nullopt;
    }
  }

  // The operations that array lengths are made of. Operand trees of hostile files may branch, so
  // depth is spent twice as fast as it is bounded elsewhere: at most 2^8 visits.
  [[nodiscard]] std::optional<std::uint32_t> operation(Words operands, int depth) const {
    if (operands.size() != 3) return std::nullopt;
    const auto a = value_of(operands[1], depth + kMaxTypeDepth / 8);
    const auto b = value_of(operands[2], depth + kMaxTypeDepth / 8);
    if (!a || !b) return std::nullopt;
    switch (operands[0]) {
      case spirv::kIAdd:
        return *a + *b;
      case spirv::kISub:
        return *a - *b;
      case spirv::kIMul:
        return *a * *b;
      case spirv::kUDiv:
        return *b == 0 ? std::nullopt : std::optional(*a / *b);
      case spirv::kShiftRightLogical:
        return *b > 31 ? std::nullopt : std::optional(*a >> *b);
      case spirv::kShiftLeftLogical:
        return *b > 31 ? std::nullopt : std::optional(*a << *b);
      default:
        return std::nullopt;
    }
  }

  std::uint64_t size_of(std::uint32_t type, int depth = 0) {
    const Definition* definition = find(type);
    if (definition == nullptr) return 0;
    if (depth > kMaxTypeDepth) throw usage_error("malformed SPIR-V: types nest too deeply");
    const auto known = sizes_.find(type);
    if (known != sizes_.end()) return known->second;
    // A type that contains itself is malformed; its inner self counts as nothing.
    sizes_[type] = 0;
    const std::uint64_t size = compute_size(type, *definition, depth);
    sizes_[type] = size;
    return size;
  }

  std::uint64_t compute_size(std::uint32_t type, const Definition& definition, int depth) {
    const Words operands = definition.operands;
    switch (definition.opcode) {
      case spirv::kTypeBool:
        return 4;
      case spirv::kTypeInt:
      case spirv::kTypeFloat:
        return operands[1] / 8;
      case spirv::kTypeVector:
      case spirv::kTypeMatrix:
        return saturating_product(size_of(operands[1], depth + 1), operands[2]);
      case spirv::kTypeArray: {
        const Decorations* decorations = decorations_of(type);
        const std::uint64_t stride = decorations != nullptr && decorations->array_stride
                                         ? *decorations->array_stride
                                         : size_of(operands[1], depth + 1);
        return saturating_product(stride, value_of(operands[2]).value_or(0));
      }
      case spirv::kTypeStruct:
        return struct_size(type, operands.subspan(1), depth);
      default:
        return 0;
    }
  }

  std::uint64_t struct_size(std::uint32_t type, Words member_types, int depth) {
    std::uint64_t end = 0;
    for (std::size_t index = 0; index < member_types.size(); ++index) {
      const Decorations* decorations = member(type, static_cast<std::uint32_t>(index));
      std::uint64_t size = size_of(member_types[index], depth + 1);
      const Definition* member_type = find(member_types[index]);
      if (decorations != nullptr && decorations->matrix_stride && member_type != nullptr &&
          member_type->opcode == spirv::kTypeMatrix) {
        size = saturating_product(*decorations->matrix_stride, member_type->operands[2]);
      }
      const std::uint64_t start =
          decorations != nullptr && decorations->offset ? *decorations->offset : end;
      end = std::min(std::max(end, start + size), kHugeSize);
    }
    return end;
  }

  std::array<std::uint32_t, 3> local_size() const {
    // A constant decorated WorkgroupSize, which local_size_x_id makes, goes before the execution
    // mode.
    for (const auto& [id, decorations] : decorations_) {
      if (decorations.builtin != spirv::kBuiltInWorkgroupSize) continue;
      const Definition* constant = find(id);
      if (constant == nullptr || constant->operands.size() != 5) continue;
      return three_values(constant->operands.subspan(2));
    }
    if (local_size_mode_.empty()) throw usage_error("SPIR-V declares no workgroup size");
    const Words sizes = local_size_mode_.subspan(1);
    if (local_size_mode_[0] == spirv::kLocalSizeId) return three_values(sizes);
    return {sizes[0], sizes[1], sizes[2]};
  }

  std::array<std::uint32_t, 3> three_values(Words ids) const {
    std::array<std::uint32_t, 3> values{};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto value = value_of(ids[i]);
      if (!value) throw usage_error("malformed SPIR-V: the workgroup size is not a constant");
      values[i] = *value;
    }
    return values;
  }

  void reflect_variable(std::uint32_t id, Words operands) {
    const Definition* pointer = find(operands[0]);
    if (pointer == nullptr || pointer->opcode != spirv::kTypePointer) {
      throw usage_error("malformed SPIR-V: variable {} is not of a pointer type", id);
    }
    const std::uint32_t type = pointer->operands[2];
    switch (operands[2]) {
      case spirv::kWorkgroup:
        result_.shared_memory_bytes =
            std::min(result_.shared_memory_bytes + size_of(type), kHugeSize);
        break;
      case spirv::kPushConstant:
        result_.push_constant_bytes = std::max(result_.push_constant_bytes, size_of(type));
        break;
      case spirv::kUniformConstant:
      case spirv::kUniform:
      case spirv::kStorageBuffer:
        reflect_resource(id, type, operands[2]);
        break;
      default:
        break;
    }
  }

  void reflect_resource(std::uint32_t id, std::uint32_t type, std::uint32_t storage) {
    const Decorations* decorations = decorations_of(id);
    const Decorations* block = decorations_of(type);
    const Definition* definition = find(type);
    const std::uint32_t set = decorations == nullptr ? 0 : decorations->set.value_or(0);
    const std::uint32_t binding = decorations == nullptr ? 0 : decorations->binding.value_or(0);
    const bool is_storage_buffer =
        storage == spirv::kStorageBuffer ||
        (storage == spirv::kUniform && block != nullptr && block->buffer_block);
    if (!is_storage_buffer || definition == nullptr || definition->opcode != spirv::kTypeStruct) {
      result_.foreign_resources.push_back(fmt::format(
          "a resource that is not one storage buffer at set {} binding {}", set, binding));
      return;
    }
    if (set != 0) {
      result_.foreign_resources.push_back(
          fmt::format("a storage buffer at set {} binding {}", set, binding));
      return;
    }
    bool non_writable = decorations != nullptr && decorations->non_writable;
    bool non_readable = decorations != nullptr && decorations->non_readable;
    const std::size_t count = definition->operands.size() - 1;
    non_writable = non_writable || every_member(type, count, &Decorations::non_writable);
    non_readable = non_readable || every_member(type, count, &Decorations::non_readable);
    result_.bindings.push_back({binding, access_of(non_writable, non_readable)});
  }

  [[nodiscard]] bool every_member(std::uint32_t type, std::size_t count,
                                  bool Decorations::*flag) const {
    if (count == 0) return false;
    for (std::size_t index = 0; index < count; ++index) {
      const Decorations* decorations = member(type, static_cast<std::uint32_t>(index));
      if (decorations == nullptr || !(decorations->*flag)) return false;
    }
    return true;
  }

  // Two variables may view one binding; together they may do what either may.
  void collect_bindings() {
    auto& bindings = result_.bindings;
    std::stable_sort(bindings.begin(), bindings.end(),
                     [](const auto& a, const auto& b) { return a.binding < b.binding; });
    std::vector<ReflectedBinding> unique;
    for (const ReflectedBinding& binding : bindings) {
      if (unique.empty() || unique.back().binding != binding.binding) {
        unique.push_back(binding);
      } else if (unique.back().access != binding.access) {
        unique.back().access = Access::read_write;
      }
    }
    bindings = std::move(unique);
  }

  Words words_;
  const Specialization& specialization_;
  SpirvReflection result_;
  std::size_t position_ = 0;
  std::size_t entry_points_ = 0;
  Words local_size_mode_;
  std::unordered_map<std::uint32_t, Definition> definitions_;
  std::unordered_map<std::uint32_t, Decorations> decorations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Decorations> members_;
  std::unordered_map<std::uint32_t, std::uint64_t> sizes_;
  std::vector<std::pair<std::uint32_t, Words>> variables_;
};

}  // namespace

SpirvReflection reflect_spirv(std::span<const std::uint32_t> words,
                              const Specialization& specialization) {
  return Reflector(words, specialization).run();
}

}  // namespace sidecore::qpu
