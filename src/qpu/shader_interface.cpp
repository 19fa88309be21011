// Reads a shader's declarations from its SPIR-V (Khronos, "SPIR-V Specification"). The build runs
// this code for embedded shaders, the library for replacements from users.
#include "qpu/shader_interface.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

/// Reader of one module. All declarations that it reads precede the first function. For any input
/// words, it reads no other memory and terminates.
class Reader {
 public:
  /// Splits the words into instructions. The words and the specialization must outlive the reader.
  /// Throws Error (usage) if the words are not a SPIR-V module.
  Reader(std::span<const std::uint32_t> spirv, const Specialization& specialization)
      : specialization_(specialization) {
    if (spirv.size() < kHeaderWords || spirv[0] != kMagic) refuse("it has no header");
    declarations_ = spirv.subspan(kHeaderWords);
    std::size_t count = 0;
    for (std::size_t at = 0; at < declarations_.size(); at += declarations_[at] >> 16U) {
      const std::size_t words = declarations_[at] >> 16U;
      if (words == 0 || words > declarations_.size() - at) refuse("an instruction has no end");
      if ((declarations_[at] & 0xffffU) == kFunction) {
        declarations_ = declarations_.first(at);
        break;
      }
      // A limit on the number of declarations bounds the time, because they are searched linearly.
      // The largest shader of sidecore has 2,400.
      if (++count > kMaxDeclarations) refuse("it has too many declarations");
    }
  }

  /// Reads the declarations. Throws Error (usage) as read_interface() does, except for words that
  /// are not a SPIR-V module.
  ShaderInterface run() {
    read_module();
    // Types and constants precede the variables that use them, but decorations precede both.
    for_each([&](const Instruction& instruction) {
      if (instruction.operation() == kVariable) read_variable(instruction);
    });
    std::sort(result_.specialization_ids.begin(), result_.specialization_ids.end());
    return result_;
  }

 private:
  // Numbers that the SPIR-V specification defines, in sections 3.3, 3.6, 3.7, 3.20, 3.21 and 3.32.
  static constexpr std::uint32_t kMagic = 0x07230203;
  static constexpr std::size_t kHeaderWords = 5;
  static constexpr std::size_t kMaxDeclarations = 32'768;
  static constexpr int kMaxSearches = 4'096;
  // A size above every device's limit of shared memory.
  static constexpr std::uint64_t kHuge = 0x8000'0000U;
  static constexpr std::uint32_t kNameMain = 0x6e69616d;
  static constexpr std::uint32_t kGlCompute = 5;
  static constexpr std::uint32_t kModeLocalSize = 17;
  static constexpr std::uint32_t kBuiltInWorkgroupSize = 25;
  enum Operation : std::uint32_t {
    kEntryPoint = 15,
    kExecutionMode = 16,
    kCapability = 17,
    kTypeBool = 20,
    kTypeInt = 21,
    kTypeFloat = 22,
    kTypeVector = 23,
    kTypeMatrix = 24,
    kTypeArray = 28,
    kTypeRuntimeArray = 29,
    kTypeStruct = 30,
    kTypePointer = 32,
    kConstantTrue = 41,
    kConstantFalse = 42,
    kConstant = 43,
    kConstantComposite = 44,
    kConstantNull = 46,
    kSpecConstantTrue = 48,
    kSpecConstantFalse = 49,
    kSpecConstant = 50,
    kSpecConstantComposite = 51,
    kSpecConstantOp = 52,
    kFunction = 54,
    kVariable = 59,
    kDecorate = 71,
    kMemberDecorate = 72,
    kDecorationGroup = 73,
  };
  enum Decoration : std::uint32_t {
    kSpecId = 1,
    kBufferBlock = 3,
    kRowMajor = 4,
    kArrayStride = 6,
    kMatrixStride = 7,
    kBuiltIn = 11,
    kNonWritable = 24,
    kNonReadable = 25,
    kBinding = 33,
    kDescriptorSet = 34,
    kOffset = 35,
  };
  enum StorageClass : std::uint32_t {
    kUniformConstant = 0,
    kUniform = 2,
    kWorkgroup = 4,
    kPushConstant = 9,
    kAtomicCounter = 10,
    kStorageBuffer = 12,
  };

  /// Words of one SPIR-V instruction. The first word holds the number of words and the operation.
  class Instruction {
   public:
    explicit Instruction(std::span<const std::uint32_t> words) : words_(words) {}
    [[nodiscard]] std::uint32_t operation() const { return words_[0] & 0xffffU; }
    [[nodiscard]] std::size_t size() const { return words_.size(); }
    [[nodiscard]] std::uint32_t operator[](std::size_t i) const {
      if (i >= words_.size()) refuse("an instruction lacks an operand");
      return words_[i];
    }

   private:
    std::span<const std::uint32_t> words_;
  };

  [[noreturn]] static void refuse(const char* reason) {
    throw usage_error("SPIR-V cannot be read: {}", reason);
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t at = 0; at < declarations_.size(); at += declarations_[at] >> 16U) {
      visit(Instruction(declarations_.subspan(at, declarations_[at] >> 16U)));
    }
  }

  /// Returns the index of an instruction's result id: after the result type, or first if the
  /// instruction declares a type.
  static std::size_t result_operand(std::uint32_t operation) {
    if (operation >= kTypeBool && operation <= kTypePointer) return 1;
    if (operation >= kConstantTrue && operation <= kSpecConstantOp) return 2;
    return 0;  // result 0: callers never look up results of other operations
  }

  /// Limits the number of searches: types and constants can refer to the same one many times.
  void count_search() {
    if (++searches_ > kMaxSearches) refuse("it has too many types and constants");
  }

  [[nodiscard]] Instruction definition(std::uint32_t id) {
    count_search();
    for (std::size_t at = 0; at < declarations_.size(); at += declarations_[at] >> 16U) {
      const Instruction instruction(declarations_.subspan(at, declarations_[at] >> 16U));
      const std::size_t operand = result_operand(instruction.operation());
      if (operand != 0 && instruction[operand] == id) return instruction;
    }
    refuse("an instruction uses an undeclared id");
  }

  /// Returns the first operand of the decoration `wanted` that follows the words `before`; 1 if it
  /// has no operand, `fallback` if there is no such decoration.
  [[nodiscard]] std::uint32_t find_decoration(std::initializer_list<std::uint32_t> before,
                                              Decoration wanted, std::uint32_t fallback) {
    count_search();
    const std::uint32_t operation = before.size() == 1 ? kDecorate : kMemberDecorate;
    std::uint32_t result = fallback;
    for_each([&](const Instruction& instruction) {
      if (instruction.operation() != operation) return;
      std::size_t at = 1;
      for (const std::uint32_t word : before) {
        if (instruction[at++] != word) return;
      }
      if (instruction[at++] == wanted) result = instruction.size() > at ? instruction[at] : 1;
    });
    return result;
  }
  [[nodiscard]] std::uint32_t decoration(std::uint32_t id, Decoration wanted,
                                         std::uint32_t fallback) {
    return find_decoration({id}, wanted, fallback);
  }

  void read_module() {
    std::size_t mains = 0;
    for_each([&](const Instruction& instruction) {
      switch (instruction.operation()) {
        case kCapability:
          if (!result_.capabilities.full() && !result_.capabilities.contains(instruction[1])) {
            result_.capabilities.push_back(instruction[1]);
          }
          break;
        case kEntryPoint:
          if (instruction[1] == kGlCompute && instruction[3] == kNameMain && instruction[4] == 0) {
            main_ = instruction[2];
            ++mains;
          }
          break;
        case kExecutionMode:
          if (mains != 0 && instruction[1] == main_ && instruction[2] == kModeLocalSize) {
            result_.workgroup_size = {instruction[3], instruction[4], instruction[5]};
          }
          break;
        // The fault is reported because decoration groups are deprecated and current compilers emit
        // none.
        case kDecorationGroup:
          refuse("it uses decoration groups");
        case kDecorate:
          if (instruction[2] == kSpecId) add_specialization_id(instruction[3]);
          if (instruction[2] == kBuiltIn && instruction[3] == kBuiltInWorkgroupSize) {
            workgroup_size_ = instruction[1];
          }
          break;
        default:
          break;
      }
    });
    if (mains != 1) {
      throw usage_error("SPIR-V has {} compute entry points called 'main', expected 1", mains);
    }
    if (workgroup_size_ == 0) return;
    const Instruction size = definition(workgroup_size_);
    if (size.operation() != kSpecConstantComposite && size.operation() != kConstantComposite) {
      refuse("the workgroup size is not a constant");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result_.workgroup_size[axis] = evaluate(size[3 + axis]);
    }
  }

  void add_specialization_id(std::uint32_t id) {
    if (result_.specialization_ids.contains(id)) return;
    if (result_.specialization_ids.full()) refuse("it has too many specialization constants");
    result_.specialization_ids.push_back(id);
  }

  void read_variable(const Instruction& variable) {
    const std::uint32_t id = variable[2];
    switch (variable[3]) {
      case kStorageBuffer:
        read_buffer(id, type_of(variable));
        break;
      case kUniform:
        if (decoration(type_of(variable), kBufferBlock, 0) != 0) {
          read_buffer(id, type_of(variable));
        } else {
          add_foreign(id, false);
        }
        break;
      case kUniformConstant:
      case kAtomicCounter:
        add_foreign(id, false);
        break;
      case kPushConstant:
        result_.push_constant_bytes =
            std::max(result_.push_constant_bytes,
                     static_cast<std::uint32_t>(size_in_block(type_of(variable))));
        break;
      case kWorkgroup:
        result_.shared_memory_bytes =
            std::min(result_.shared_memory_bytes + size_in_shared_memory(type_of(variable)), kHuge);
        break;
      default:  // not a resource
        break;
    }
  }

  [[nodiscard]] std::uint32_t type_of(const Instruction& variable) {
    const Instruction pointer = definition(variable[1]);
    if (pointer.operation() != kTypePointer) refuse("a variable's type is not a pointer");
    return pointer[3];
  }

  void read_buffer(std::uint32_t id, std::uint32_t type) {
    const Instruction block = definition(type);
    const std::uint32_t binding = decoration(id, kBinding, 0);
    if (block.operation() != kTypeStruct) {
      add_foreign(id, false);  // the type is an array of buffers, which sidecore cannot bind
    } else if (decoration(id, kDescriptorSet, 0) != 0 || binding >= result_.bindings.capacity()) {
      add_foreign(id, true);
    } else {
      while (binding >= result_.bindings.size()) result_.bindings.push_back(Access::none);
      // Two variables may share one binding; the binding then has the access of both.
      Access& access = result_.bindings[binding];
      const Access also = access_to(id, type, block);
      access = access == Access::none || access == also ? also : Access::read_write;
    }
  }

  /// Returns the access to a buffer. NonReadable and NonWritable may decorate the variable or all
  /// members of its block.
  [[nodiscard]] Access access_to(std::uint32_t id, std::uint32_t type, const Instruction& block) {
    const auto all_have = [&](Decoration wanted) {
      if (decoration(id, wanted, 0) != 0) return true;
      std::size_t members = 0;
      for_each([&](const Instruction& instruction) {
        if (instruction.operation() == kMemberDecorate && instruction[1] == type &&
            instruction[3] == wanted) {
          ++members;
        }
      });
      return members != 0 && members + 2 >= block.size();
    };
    const bool reads = !all_have(kNonReadable);
    const bool writes = !all_have(kNonWritable);
    if (reads == writes) return Access::read_write;
    return reads ? Access::read : Access::write;
  }

  void add_foreign(std::uint32_t id, bool is_storage_buffer) {
    if (result_.foreign_resources.full()) return;
    result_.foreign_resources.push_back(
        {decoration(id, kDescriptorSet, 0), decoration(id, kBinding, 0), is_storage_buffer});
  }

  /// Returns the size of a scalar or vector in bytes; 0 for other types.
  [[nodiscard]] std::uint64_t plain_size(const Instruction& type) {
    switch (type.operation()) {
      case kTypeBool:
        return 4;
      case kTypeInt:
      case kTypeFloat:
        return type[2] / 8;
      case kTypeVector: {
        const Instruction component = definition(type[2]);
        const bool scalar = component.operation() < kTypeVector;
        return scalar ? std::min(type[3] * plain_size(component), kHuge) : 0;
      }
      default:
        return 0;
    }
  }

  /// Returns the size in bytes of a type in a block, from the declared offsets and strides of its
  /// members.
  std::uint64_t size_in_block(std::uint32_t id) {
    const Instruction type = definition(id);
    if (type.operation() == kTypeArray) {
      return std::min(std::uint64_t{decoration(id, kArrayStride, 0)} * evaluate(type[3]), kHuge);
    }
    if (type.operation() != kTypeStruct) {
      const std::uint64_t size = plain_size(type);
      if (size == 0) refuse("a push constant has no size");
      return size;
    }
    std::uint64_t end = 0;
    for_each([&](const Instruction& instruction) {
      if (instruction.operation() != kMemberDecorate || instruction[1] != id) return;
      if (instruction[3] != kOffset) return;
      end = std::max(end, std::min(instruction[4] + size_of_member(type, instruction[2]), kHuge));
    });
    return end;
  }

  std::uint64_t size_of_member(const Instruction& block, std::uint32_t member) {
    const std::uint32_t type = block[std::size_t{2} + member];
    const Instruction matrix = definition(type);
    if (matrix.operation() != kTypeMatrix) return size_in_block(type);
    const bool rows = find_decoration({block[1], member}, kRowMajor, 0) != 0;
    const std::uint64_t vectors = rows ? definition(matrix[2])[3] : matrix[3];
    return vectors * find_decoration({block[1], member}, kMatrixStride, 0);
  }

  /// Returns the size in bytes of a type in shared memory, at most kHuge. The type has no declared
  /// layout, so it is counted as packed.
  std::uint64_t size_in_shared_memory(std::uint32_t id) {
    const Instruction type = definition(id);
    std::uint64_t size = 0;
    switch (type.operation()) {
      case kTypeStruct:
        for (std::size_t member = 2; member < type.size(); ++member) {
          size = std::min(size + size_in_shared_memory(type[member]), kHuge);
        }
        return size;
      case kTypeArray:
        return std::min(size_in_shared_memory(type[2]) * evaluate(type[3]), kHuge);
      case kTypeMatrix:
        size = type[3] * plain_size(definition(type[2]));
        break;
      default:
        size = plain_size(type);
    }
    if (size == 0) refuse("a variable in shared memory has no size");
    return std::min(size, kHuge);
  }

  /// Returns the value of a 32-bit constant.
  std::uint32_t evaluate(std::uint32_t id) {
    const Instruction constant = definition(id);
    switch (constant.operation()) {
      case kConstantTrue:
        return 1;
      case kConstantFalse:
      case kConstantNull:
        return 0;
      case kConstant:
        return constant[3];
      case kSpecConstantTrue:
        return specialized(id, 1);
      case kSpecConstantFalse:
        return specialized(id, 0);
      case kSpecConstant:
        return specialized(id, constant[3]);
      case kSpecConstantOp:
        return operate(constant);
      default:
        refuse("a size is not a constant");
    }
  }

  std::uint32_t specialized(std::uint32_t id, std::uint32_t value) {
    constexpr std::uint32_t kNone = 0xffff'ffffU;
    const std::uint32_t constant_id = decoration(id, kSpecId, kNone);
    if (constant_id == kNone) return value;
    result_.sizes_are_specialized = true;
    for (const auto& [set, given] : specialization_.constants) {
      if (set == constant_id) return given;
    }
    return value;
  }

  std::uint32_t operate(const Instruction& constant) {
    enum : std::uint32_t {
      kSNegate = 126,
      kIAdd = 128,
      kISub = 130,
      kIMul = 132,
      kUDiv = 134,
      kSDiv = 135,
      kUMod = 137,
      kSRem = 138,
      kLogicalEqual = 164,
      kLogicalNotEqual = 165,
      kLogicalOr = 166,
      kLogicalAnd = 167,
      kLogicalNot = 168,
      kSelect = 169,
      kIEqual = 170,
      kINotEqual = 171,
      kUGreaterThan = 172,
      kSGreaterThan = 173,
      kUGreaterThanEqual = 174,
      kSGreaterThanEqual = 175,
      kULessThan = 176,
      kSLessThan = 177,
      kULessThanEqual = 178,
      kSLessThanEqual = 179,
      kShiftRightLogical = 194,
      kShiftRightArithmetic = 195,
      kShiftLeftLogical = 196,
      kBitwiseOr = 197,
      kBitwiseXor = 198,
      kBitwiseAnd = 199,
      kNot = 200,
    };
    const std::uint32_t operation = constant[3];
    const std::uint32_t a = evaluate(constant[4]);
    if (operation == kSNegate) return 0U - a;
    if (operation == kLogicalNot) return a == 0 ? 1 : 0;
    if (operation == kNot) return ~a;
    if (operation == kSelect) return evaluate(constant[a != 0 ? 5 : 6]);
    const std::uint32_t b = evaluate(constant[5]);
    // The operands are extended to 64 bits, so that no quotient overflows.
    const std::int64_t signed_a = static_cast<std::int32_t>(a);
    const std::int64_t signed_b = static_cast<std::int32_t>(b);
    switch (operation) {
      case kIAdd:
        return a + b;
      case kISub:
        return a - b;
      case kIMul:
        return a * b;
      case kUDiv:
      case kSDiv:
      case kUMod:
      case kSRem:
        if (b == 0) refuse("a constant is divided by 0");
        if (operation == kUDiv) return a / b;
        if (operation == kUMod) return a % b;
        return static_cast<std::uint32_t>(operation == kSDiv ? signed_a / signed_b
                                                             : signed_a % signed_b);
      case kLogicalEqual:
      case kIEqual:
        return a == b ? 1 : 0;
      case kLogicalNotEqual:
      case kINotEqual:
        return a != b ? 1 : 0;
      case kUGreaterThan:
        return a > b ? 1 : 0;
      case kUGreaterThanEqual:
        return a >= b ? 1 : 0;
      case kULessThan:
        return a < b ? 1 : 0;
      case kULessThanEqual:
        return a <= b ? 1 : 0;
      case kSGreaterThan:
        return signed_a > signed_b ? 1 : 0;
      case kSGreaterThanEqual:
        return signed_a >= signed_b ? 1 : 0;
      case kSLessThan:
        return signed_a < signed_b ? 1 : 0;
      case kSLessThanEqual:
        return signed_a <= signed_b ? 1 : 0;
      case kShiftRightLogical:
        return a >> (b & 31U);
      case kShiftRightArithmetic:
        return static_cast<std::uint32_t>(signed_a >> (b & 31U));
      case kShiftLeftLogical:
        return a << (b & 31U);
      case kLogicalOr:
      case kBitwiseOr:
        return a | b;
      case kBitwiseXor:
        return a ^ b;
      case kLogicalAnd:
      case kBitwiseAnd:
        return a & b;
      default:
        refuse("a constant uses an unknown operation");
    }
  }

  std::span<const std::uint32_t> declarations_;
  const Specialization& specialization_;
  ShaderInterface result_;
  std::uint32_t main_ = 0;
  std::uint32_t workgroup_size_ = 0;
  int searches_ = 0;
};

}  // namespace

ShaderInterface read_interface(std::span<const std::uint32_t> spirv,
                               const Specialization& specialization) {
  return Reader(spirv, specialization).run();
}

}  // namespace sidecore::qpu
