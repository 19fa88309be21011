// The numbers of the SPIR-V specification (1.3, "Binary Form") that reflection looks at.
#pragma once

#include <cstdint>

namespace sidecore::qpu::spirv {

inline constexpr std::uint32_t kMagic = 0x07230203;
inline constexpr std::size_t kHeaderWords = 5;
inline constexpr std::uint32_t kGlCompute = 5;

enum Op : std::uint32_t {
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
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kSpecConstantOp = 52,
  kFunction = 54,
  kVariable = 59,
  kDecorate = 71,
  kMemberDecorate = 72,
  kGroupDecorate = 74,
  kGroupMemberDecorate = 75,
  kIAdd = 128,
  kISub = 130,
  kIMul = 132,
  kUDiv = 134,
  kShiftRightLogical = 194,
  kShiftLeftLogical = 196,
  kExecutionModeId = 331,
};

enum Decoration : std::uint32_t {
  kSpecId = 1,
  kBlock = 2,
  kBufferBlock = 3,
  kArrayStride = 6,
  kMatrixStride = 7,
  kBuiltIn = 11,
  kNonWritable = 24,
  kNonReadable = 25,
  kBinding = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};
inline constexpr std::uint32_t kBuiltInWorkgroupSize = 25;

enum Mode : std::uint32_t { kLocalSize = 17, kLocalSizeId = 38 };

enum Storage : std::uint32_t {
  kUniformConstant = 0,
  kUniform = 2,
  kWorkgroup = 4,
  kPushConstant = 9,
  kStorageBuffer = 12,
};

enum Capability : std::uint32_t {
  kMatrix = 0,
  kShader = 1,
  kGroupNonUniform = 61,  // subgroup "basic"
  kStorageBuffer8BitAccess = 4448,
};

}  // namespace sidecore::qpu::spirv
