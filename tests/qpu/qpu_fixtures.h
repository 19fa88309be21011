// Fixtures of the tests of src/qpu: the test shaders, and a temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "qpu/program.h"
#include "qpu/test_shaders.h"

namespace sidecore::qpu {

inline const Shader& test_shader(std::string_view name) {
  for (const Shader& shader : test_shaders()) {
    if (shader.name == name) return shader;
  }
  throw usage_error("no test shader is called '{}'", name);
}

/// New directory, removed by the destructor.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "sidecore-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw environment_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void write(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path path_;
};

/// Expects an Error of `kind` whose text contains `part`.
template <class Call>
void expect_error(ErrorKind kind, std::string_view part, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "no Error; expected one with '" << part << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos) << error.what();
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
  }
}

}  // namespace sidecore::qpu
