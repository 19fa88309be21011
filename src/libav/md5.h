// MD5, by which decoders' outputs are usually compared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sidecore::libav {

class Md5 {
 public:
  Md5();
  ~Md5();
  Md5(const Md5&) = delete;
  Md5& operator=(const Md5&) = delete;

  void update(std::span<const std::byte> bytes);
  /// Returns the digest of all bytes so far as 32 lower-case hexadecimal digits, and starts a new
  /// digest.
  [[nodiscard]] std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sidecore::libav
