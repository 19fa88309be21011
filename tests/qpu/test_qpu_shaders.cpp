// Tests the parts of src/qpu that need no driver: SPIR-V, replacement shaders, hazards, cache
// files, device choice.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "qpu/hazard_tracker.h"
#include "qpu/pipeline_cache_file.h"
#include "qpu/qpu_fixtures.h"
#include "qpu/shader_interface.h"
#include "qpu/shader_library.h"

namespace sidecore::qpu::test_qpu_shaders {
namespace {

bool any_contains(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

DeviceInfo v3d_device() {
  DeviceInfo device;
  device.name = "V3D 7.1.7.0";
  device.type = DeviceType::integrated;
  device.limits = v3d_limits();
  device.storage_8bit = true;
  return device;
}

TEST(Reflection, ReadsBindingsAccessPushConstantsAndWorkgroup) {
  const ShaderInterface scale = read_interface(test_shader("scale").spirv, {{{1, 48}}});
  ASSERT_EQ(scale.bindings.size(), 2U);
  EXPECT_EQ(scale.bindings[0], Access::read);
  EXPECT_EQ(scale.bindings[1], Access::write);
  EXPECT_EQ(scale.push_constant_bytes, 8U);
  EXPECT_EQ(scale.workgroup_size, (std::array<std::uint32_t, 3>{48, 1, 1}));
  EXPECT_EQ(scale.specialization_ids, (ShortList<std::uint32_t, 16>{0, 1}));

  const ShaderInterface accumulate = read_interface(test_shader("accumulate").spirv, {});
  ASSERT_EQ(accumulate.bindings.size(), 1U);
  EXPECT_EQ(accumulate.bindings[0], Access::read_write);
  EXPECT_EQ(accumulate.workgroup_size, (std::array<std::uint32_t, 3>{64, 1, 1}));
}

TEST(Reflection, SizesSharedMemoryWithSpecializedLengths) {
  EXPECT_EQ(read_interface(test_shader("beyond_v3d").spirv, {}).shared_memory_bytes, 20480U);
  EXPECT_EQ(read_interface(test_shader("beyond_v3d").spirv, {{{0, 0}}}).shared_memory_bytes, 8192U);
}

TEST(Reflection, EveryShaderIsUnderstoodAndStaysWithinV3d) {
  for (const Shader& shader : embedded_shaders()) {
    const ShaderInterface reflection = read_interface(shader.spirv, {});
    // "empty" measures the cost of a dispatch; every other shader binds buffers.
    EXPECT_EQ(reflection.bindings.empty(), shader.name == "empty") << shader.name;
    EXPECT_TRUE(reflection.foreign_resources.empty()) << shader.name;
    const auto missing = find_missing_features(v3d_device(), v3d_limits(), reflection);
    EXPECT_TRUE(missing.empty()) << shader.name << ": " << missing.front();
    EXPECT_EQ(validate_spirv(shader.spirv), std::nullopt) << shader.name;
  }
}

/// Returns true if a variable index selects a push constant anywhere.
bool indexes_push_constants(std::span<const std::uint32_t> spirv) {
  enum : std::uint32_t { kConstant = 43, kSpecConstantOp = 52, kVariable = 59 };
  enum : std::uint32_t { kAccessChain = 65, kInBoundsAccessChain = 66, kPushConstant = 9 };
  constexpr std::size_t kHeaderWords = 5;
  std::set<std::uint32_t> constants;
  std::set<std::uint32_t> push_constants;
  for (std::size_t at = kHeaderWords; at < spirv.size(); at += spirv[at] >> 16U) {
    const auto words = spirv.subspan(at, spirv[at] >> 16U);
    const std::uint32_t operation = words[0] & 0xffffU;
    if (operation >= kConstant && operation <= kSpecConstantOp) constants.insert(words[2]);
    if (operation == kVariable && words[3] == kPushConstant) push_constants.insert(words[2]);
    if (operation != kAccessChain && operation != kInBoundsAccessChain) continue;
    if (!push_constants.contains(words[3])) continue;
    push_constants.insert(words[2]);
    for (const std::uint32_t index : words.subspan(4)) {
      if (!constants.contains(index)) return true;
    }
  }
  return false;
}

// The Raspberry Pi's driver copies indexed push constants into a page and overruns its end
// (docs/v3dsim.md, "Driver facts").
TEST(Reflection, NoShaderIndexesPushConstants) {
  for (const Shader& shader : embedded_shaders()) {
    EXPECT_FALSE(indexes_push_constants(shader.spirv)) << shader.name;
  }
  for (const Shader& shader : test_shaders()) {
    EXPECT_EQ(indexes_push_constants(shader.spirv), shader.name == "indexed_push") << shader.name;
  }
}

TEST(Reflection, NeverCrashesOnModulesThatTheValidatorLetsPass) {
  constexpr std::uint64_t kSeed = 20261121;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  std::vector<std::span<const std::uint32_t>> originals;
  for (const Shader& shader : test_shaders()) originals.push_back(shader.spirv);
  std::size_t understood = 0;
  constexpr std::size_t kRounds = 5'000;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const auto original = originals[random.below(static_cast<std::uint32_t>(originals.size()))];
    const auto words = static_cast<std::uint32_t>(original.size());
    const std::size_t kept = random.below(4) == 0 ? random.below(words + 1) : words;
    std::vector<std::uint32_t> mutated(original.begin(),
                                       original.begin() + static_cast<std::ptrdiff_t>(kept));
    for (std::uint32_t i = random.below(6); i > 0 && !mutated.empty(); --i) {
      // Declarations are at the front of the code, so only its first words are mutated.
      const std::uint32_t reach = std::min<std::uint32_t>(static_cast<std::uint32_t>(kept), 300);
      std::uint32_t& word = mutated[random.below(reach)];
      word = random.below(2) == 0 ? random() : word ^ (1U << random.below(32));
    }
    if (validate_spirv(mutated)) continue;
    try {
      (void)read_interface(mutated, {{{0, random()}}});
      ++understood;
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::usage);
    }
  }
  EXPECT_GT(understood, kRounds / 10);
  EXPECT_LT(understood, kRounds);
}

TEST(Drift, NamesEachDifference) {
  const ShaderInterface scale = read_interface(test_shader("scale").spirv, {});
  EXPECT_TRUE(find_interface_differences(scale, scale, {{{0, 5}, {1, 64}}}).empty());

  ShaderInterface host = scale;
  host.bindings = {Access::read_write, Access::write, Access::read};
  host.push_constant_bytes = 12;
  host.capabilities = read_interface(test_shader("copy_bytes").spirv, {}).capabilities;
  const auto drift = find_interface_differences(scale, host, {{{7, 1}}});
  EXPECT_EQ(drift.size(), 5U);
  EXPECT_TRUE(any_contains(
      drift, "binding 0 is read by the shader, but the host expects read and written"));
  EXPECT_TRUE(any_contains(drift, "the host has binding 2, but the shader does not use it"));
  EXPECT_TRUE(any_contains(drift, "the shader has 8 bytes of push constants, but the host has 12"));
  EXPECT_TRUE(any_contains(drift, "8-bit storage"));
  EXPECT_TRUE(any_contains(drift, "constant_id 7"));

  host = scale;
  host.bindings.pop_back();
  EXPECT_TRUE(any_contains(find_interface_differences(scale, host, {}),
                           "uses binding 1, but the host has 1"));
  EXPECT_TRUE(any_contains(
      find_interface_differences(read_interface(test_shader("beyond_v3d").spirv, {}), scale, {}),
      "the shader uses a resource that is not one storage buffer at set 0 binding 1"));
}

TEST(MissingFor, SaysWhatTheDeviceLacksInWords) {
  const auto missing_on = [](const DeviceInfo& device, std::string_view shader) {
    return find_missing_features(device, device.limits,
                                 read_interface(test_shader(shader).spirv, {}));
  };
  const auto missing = missing_on(v3d_device(), "beyond_v3d");
  EXPECT_TRUE(
      any_contains(missing, "needs 512 invocations per workgroup, but the device allows 256"));
  EXPECT_TRUE(
      any_contains(missing, "needs 20480 bytes of shared memory, but the device has 16384"));
  EXPECT_TRUE(any_contains(missing, "needs 64-bit integers (Int64)"));

  DeviceInfo without = v3d_device();
  EXPECT_TRUE(missing_on(without, "copy_bytes").empty());
  without.storage_8bit = false;
  EXPECT_TRUE(any_contains(missing_on(without, "copy_bytes"), "VK_KHR_8bit_storage"));
  expect_error(ErrorKind::usage, "no shader is called 'nonsense'",
               [&] { (void)find_missing_features(without, "nonsense"); });
}

TEST(ShaderDirectory, IsRefusedWhenItCannotReplaceAnything) {
  const TemporaryDirectory directory;
  expect_error(ErrorKind::usage, "does not exist",
               [&] { ShaderDirectory(directory.path() / "missing"); });
  directory.write("file", {});
  expect_error(ErrorKind::usage, "is not a directory",
               [&] { ShaderDirectory(directory.path() / "file"); });
  expect_error(ErrorKind::usage, "has no NAME.spv", [&] { ShaderDirectory(directory.path()); });
}

TEST(ShaderDirectory, ChecksFilesBeforeADriverSeesThem) {
  const TemporaryDirectory directory;
  const Shader shader = embedded_shaders().front();
  const std::string file = std::string(shader.name) + ".spv";
  directory.write(file, std::as_bytes(shader.spirv));
  const ShaderDirectory replacements(directory.path());
  const auto found = replacements.find(shader.name);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::equal(found->begin(), found->end(), shader.spirv.begin(), shader.spirv.end()));
  EXPECT_FALSE(replacements.find("another").has_value());

  directory.write(file, std::as_bytes(shader.spirv).first(shader.spirv.size_bytes() - 1));
  expect_error(ErrorKind::usage, "multiple of 4", [&] { (void)replacements.find(shader.name); });
  directory.write(file, {});
  expect_error(ErrorKind::usage, "has 0 bytes", [&] { (void)replacements.find(shader.name); });
  const std::vector<std::uint32_t> noise(64, 0x12345678);
  directory.write(file, std::as_bytes(std::span(noise)));
  expect_error(ErrorKind::usage, "not SPIR-V", [&] { (void)replacements.find(shader.name); });
}

TEST(ShaderDirectory, ValidatesFiles) {
  const TemporaryDirectory directory;
  const Shader shader = embedded_shaders().front();
  // Without its last instruction, OpFunctionEnd, the module is well-formed and invalid.
  const auto damaged = shader.spirv.first(shader.spirv.size() - 1);
  directory.write(std::string(shader.name) + ".spv", std::as_bytes(damaged));
  const ShaderDirectory replacements(directory.path());
  expect_error(ErrorKind::usage, "not valid SPIR-V", [&] { (void)replacements.find(shader.name); });
}

TEST(Hazards, BarriersStandOnlyWhereDataFlows) {
  const auto needs_barrier = [](const MemoryAccess& first, const MemoryAccess& second) {
    HazardTracker tracker;
    EXPECT_FALSE(tracker.add(std::span(&first, 1)));
    return tracker.add(std::span(&second, 1));
  };
  const MemoryAccess write{1, 0, 256, true};
  const MemoryAccess read{1, 0, 256, false};
  EXPECT_TRUE(needs_barrier(write, read));
  EXPECT_TRUE(needs_barrier(read, write));
  EXPECT_TRUE(needs_barrier(write, write));
  EXPECT_FALSE(needs_barrier(read, read));
  // Access to another memory block needs no barrier.
  EXPECT_FALSE(needs_barrier(write, {2, 0, 256, true}));
  // Access to the bytes after the written ones needs no barrier.
  EXPECT_FALSE(needs_barrier(write, {1, 256, 512, true}));
  // Access to the last written byte needs a barrier.
  EXPECT_TRUE(needs_barrier(write, {1, 255, 256, false}));
}

TEST(Hazards, OneBarrierCoversEverythingBeforeIt) {
  HazardTracker tracker;
  const MemoryAccess write_a{1, 0, 64, true};
  const MemoryAccess write_b{2, 0, 64, true};
  const MemoryAccess read_a{1, 0, 64, false};
  const MemoryAccess read_b{2, 0, 64, false};
  EXPECT_FALSE(tracker.add(std::span(&write_a, 1)));
  EXPECT_FALSE(tracker.add(std::span(&write_b, 1)));
  EXPECT_TRUE(tracker.add(std::span(&read_a, 1)));
  EXPECT_FALSE(tracker.add(std::span(&read_b, 1)));
  EXPECT_TRUE(tracker.add(std::span(&write_b, 1)));
}

TEST(PipelineCacheFile, IgnoresDamagedAndForeignFiles) {
  const TemporaryDirectory directory;
  DeviceInfo device = v3d_device();
  device.driver_uuid.fill(7);
  const PipelineCacheFile file(directory.path(), device);
  EXPECT_FALSE(file.load().has_value());
  const std::vector<std::byte> payload(1000, std::byte{42});
  file.save(payload);
  ASSERT_EQ(file.load(), payload);

  const auto size = std::filesystem::file_size(file.path());
  for (const std::uintmax_t offset :
       {std::uintmax_t{0}, std::uintmax_t{20}, std::uintmax_t{50}, size - 1}) {
    file.save(payload);
    std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put('\x55');
    stream.close();
    EXPECT_FALSE(file.load().has_value()) << "byte " << offset << " changed";
  }
  for (const std::uintmax_t kept :
       {std::uintmax_t{0}, std::uintmax_t{10}, std::uintmax_t{64}, size - 1}) {
    file.save(payload);
    std::filesystem::resize_file(file.path(), kept);
    EXPECT_FALSE(file.load().has_value()) << "cut to " << kept << " bytes";
  }

  DeviceInfo other = device;
  other.driver_version = 2;
  const PipelineCacheFile foreign(directory.path(), other);
  EXPECT_NE(foreign.path(), file.path());
  file.save(payload);
  std::filesystem::copy_file(file.path(), foreign.path());
  EXPECT_FALSE(foreign.load().has_value());
}

TEST(PipelineCacheFile, DoesWithoutADirectory) {
  const TemporaryDirectory directory;
  directory.write("file", {});
  const PipelineCacheFile file(directory.path() / "file" / "below", v3d_device());
  file.save(std::vector<std::byte>(10));
  EXPECT_FALSE(file.load().has_value());
}

// A FIFO has no reader, and a device must not be written to.
TEST(PipelineCacheFile, LeavesWhatIsNoFileAlone) {
  const TemporaryDirectory directory;
  const PipelineCacheFile file(directory.path(), v3d_device());
  const std::vector<std::byte> payload(10);
  ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
  file.save(payload);
  EXPECT_FALSE(file.load().has_value());
  EXPECT_TRUE(std::filesystem::is_fifo(file.path()));
  std::filesystem::remove(file.path());
  std::filesystem::create_directory(file.path());
  file.save(payload);
  EXPECT_FALSE(file.load().has_value());
  std::filesystem::remove(file.path());
  std::filesystem::create_symlink("/dev/full", file.path());
  file.save(payload);
  EXPECT_FALSE(file.load().has_value());
  std::filesystem::remove(file.path());
  file.save(payload);
  EXPECT_EQ(file.load(), payload);
}

TEST(DeviceLimits, OfABrokenDriverAreRefusedByName) {
  EXPECT_NO_THROW(check_limits(v3d_limits(), "V3D"));
  const auto refused = [](auto member, auto value) {
    DeviceLimits limits = v3d_limits();
    limits.*member = value;
    EXPECT_THROW(check_limits(limits, "V3D"), Error);
  };
  refused(&DeviceLimits::max_workgroup_invocations, 0U);
  refused(&DeviceLimits::max_workgroup_size, std::array<std::uint32_t, 3>{256, 0, 256});
  refused(&DeviceLimits::max_workgroup_count, std::array<std::uint32_t, 3>{0, 1, 1});
  refused(&DeviceLimits::max_shared_memory_bytes, 0U);
  refused(&DeviceLimits::max_storage_buffers, 0U);
  refused(&DeviceLimits::max_push_constant_bytes, 0U);
  refused(&DeviceLimits::max_storage_buffer_range, 0U);
  refused(&DeviceLimits::min_storage_buffer_offset_alignment, 0U);
  refused(&DeviceLimits::min_storage_buffer_offset_alignment, 48U);
}

class Selection : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("SIDECORE_DEVICE");
    const DeviceType types[] = {DeviceType::cpu, DeviceType::discrete, DeviceType::integrated};
    const char* names[] = {"llvmpipe (LLVM 15)", "NVIDIA H200", "V3D 7.1.7.0"};
    for (std::size_t i = 0; i < 3; ++i) {
      DeviceInfo device;
      device.index = i;
      device.name = names[i];
      device.type = types[i];
      devices_.push_back(device);
    }
  }
  [[nodiscard]] std::size_t chosen(const std::string& selector) const {
    return choose_device(devices_, selector).index;
  }
  std::vector<DeviceInfo> devices_;
};

TEST_F(Selection, TakesIndexTypeOrPartOfTheName) {
  EXPECT_EQ(chosen(""), 2U);
  EXPECT_EQ(chosen("0"), 0U);
  EXPECT_EQ(chosen("cpu"), 0U);
  EXPECT_EQ(chosen("discrete"), 1U);
  EXPECT_EQ(chosen("gpu"), 2U);
  EXPECT_EQ(chosen("nvidia"), 1U);
  EXPECT_EQ(chosen("LLVMpipe"), 0U);
  ::setenv("SIDECORE_DEVICE", "1", 1);
  EXPECT_EQ(chosen(""), 1U);
  EXPECT_EQ(chosen("cpu"), 0U);
  ::unsetenv("SIDECORE_DEVICE");
}

TEST_F(Selection, ListsWhatThereIsWhenNothingMatches) {
  for (const char* selector : {"3", "virtual", "radeon"}) {
    expect_error(ErrorKind::environment, "2: V3D 7.1.7.0 (integrated)",
                 [&] { (void)chosen(selector); });
  }
}

}  // namespace
}  // namespace sidecore::qpu::test_qpu_shaders
