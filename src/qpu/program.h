// Compute shaders and the programs made from them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sidecore::qpu {

/// Access of a shader to a storage buffer. Barriers are derived from it.
enum class Access : std::uint8_t { none, read, write, read_write };

/// List of at most `kMax` elements. It allocates nothing, so that it can be a compile-time
/// constant.
template <class T, std::size_t kMax>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> elements) {
    for (const T& element : elements) push_back(element);
  }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] static constexpr std::size_t capacity() { return kMax; }
  [[nodiscard]] constexpr bool full() const { return size_ == kMax; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return elements_[i]; }
  [[nodiscard]] constexpr T& operator[](std::size_t i) { return elements_[i]; }
  [[nodiscard]] constexpr const T* begin() const { return elements_.data(); }
  [[nodiscard]] constexpr const T* end() const { return elements_.data() + size_; }
  [[nodiscard]] constexpr T* begin() { return elements_.data(); }
  [[nodiscard]] constexpr T* end() { return elements_.data() + size_; }
  /// Adds an element; must not be called if full().
  constexpr void push_back(const T& element) { elements_.at(size_++) = element; }
  /// Removes the last element; must not be called if empty().
  constexpr void pop_back() { elements_[--size_] = {}; }
  [[nodiscard]] constexpr bool contains(const T& element) const {
    return std::find(begin(), end(), element) != end();
  }
  constexpr bool operator==(const ShortList&) const = default;

 private:
  std::array<T, kMax> elements_{};
  std::size_t size_ = 0;
};

/// Resource that sidecore cannot bind: anything but a storage buffer of set 0 whose binding fits
/// into ShaderInterface::bindings.
struct ForeignResource {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  bool is_storage_buffer = false;
  constexpr bool operator==(const ForeignResource&) const = default;
};

/// Declarations of a shader, read from its SPIR-V, so that the host code does not repeat them.
/// Sizes are in bytes. For embedded shaders the build reads them and generates constants.
struct ShaderInterface {
  ShortList<Access, 32> bindings;  ///< access to each storage buffer of set 0; at most 8 on V3D
  /// Size of the push constants up to the end of the last member; at most 128 on V3D.
  std::uint32_t push_constant_bytes = 0;
  std::array<std::uint32_t, 3> workgroup_size{1, 1, 1};
  /// Size of shared memory, capped at 2^31, which stands for any larger size.
  std::uint64_t shared_memory_bytes = 0;
  /// SPIR-V capability numbers that the shader needs. V3D supports four. Only the first 16 are
  /// kept.
  ShortList<std::uint32_t, 16> capabilities;
  /// Ids of the specialization constants, ascending.
  ShortList<std::uint32_t, 16> specialization_ids;
  /// The first four resources that sidecore cannot bind.
  ShortList<ForeignResource, 4> foreign_resources;
  /// True if specialization constants can change a size that this structure states.
  bool sizes_are_specialized = false;
  constexpr bool operator==(const ShaderInterface&) const = default;
};

/// A compute shader: either an embedded one, given by its name, or one with its own SPIR-V.
struct Shader {
  // NOLINTNEXTLINE(google-explicit-constructor): a name is all that most callers have to say.
  constexpr Shader(const char* embedded) : name(embedded) {}
  constexpr Shader(std::string_view own_name, std::span<const std::uint32_t> own_spirv,
                   const ShaderInterface* own_interface = nullptr)
      : name(own_name), spirv(own_spirv), interface(own_interface) {}

  std::string_view name;  ///< stem of its source file's name, e.g. "ssim_rows"
  /// Valid SPIR-V module that outlives the programs made from it. If empty, the embedded shader of
  /// that name is used.
  std::span<const std::uint32_t> spirv;
  /// Declarations of `spirv` without specialization. If null, they are read from the SPIR-V each
  /// time a program is made from the shader.
  const ShaderInterface* interface = nullptr;
};

/// Values of the shader's 32-bit specialization constants, by constant_id.
struct Specialization {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constants;
  bool operator==(const Specialization&) const = default;
};

/// Figure of a compiled shader under the driver's own name, for example "Instruction Count" or
/// "Thread Count".
struct CompilerFigure {
  std::string name;
  std::uint64_t value = 0;
};

/// A compute pipeline, made by Device::program().
class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< the shader's name
  [[nodiscard]] virtual const ShaderInterface& interface() const = 0;
  [[nodiscard]] virtual const Specialization& specialization() const = 0;
  /// Returns the integer figures that the driver's compiler reports for the machine code
  /// (VK_KHR_pipeline_executable_properties). Empty unless DeviceOptions::compiler_figures is set
  /// and the driver has that extension.
  [[nodiscard]] virtual std::vector<CompilerFigure> compiler_figures() const = 0;

  [[nodiscard]] const std::array<std::uint32_t, 3>& workgroup_size() const {
    return interface().workgroup_size;
  }
};

}  // namespace sidecore::qpu
