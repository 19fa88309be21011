// Errors that stop a job.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace sidecore::v3dsim {

enum class FaultKind : std::uint8_t {
  bad_job,        ///< the job's configuration words contradict each other
  bad_code,       ///< an unknown or unsupported instruction, or a broken rule of the machine
  out_of_bounds,  ///< an access outside every buffer, or not aligned
  tmu,            ///< FIFO underflow or overflow, wrong number of data words, unknown request
  barrier,        ///< some invocations reach a barrier that others do not
  runaway,        ///< the thread executed more instructions than the limit
  race,           ///< the race checker found two unordered accesses
};

/// Error that stops a job. what() is one line with all known details.
class Fault : public std::runtime_error {
 public:
  Fault(FaultKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Fault(FaultKind kind, const std::string& message, std::optional<std::uint32_t> address)
      : std::runtime_error(message), kind_(kind), address_(address) {}

  /// Returns this fault with its place appended to the message.
  [[nodiscard]] Fault at(const std::string& place, std::uint32_t code_address,
                         std::uint64_t word) const {
    Fault placed(kind_, std::string(what()) + "; " + place, address_);
    placed.code_address_ = code_address;
    placed.instruction_ = word;
    return placed;
  }

  [[nodiscard]] FaultKind kind() const noexcept { return kind_; }
  /// Returns the GPU address of the access, if the fault concerns one.
  [[nodiscard]] std::optional<std::uint32_t> address() const noexcept { return address_; }
  /// Address and word of the instruction, if the fault happened in one.
  [[nodiscard]] std::optional<std::uint32_t> code_address() const noexcept { return code_address_; }
  [[nodiscard]] std::optional<std::uint64_t> instruction() const noexcept { return instruction_; }

 private:
  FaultKind kind_;
  std::optional<std::uint32_t> address_;
  std::optional<std::uint32_t> code_address_;
  std::optional<std::uint64_t> instruction_;
};

}  // namespace sidecore::v3dsim
