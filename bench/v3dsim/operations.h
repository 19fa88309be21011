// Operations of the two ALUs and their properties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace sidecore::v3dsim {

enum class AddOp : std::uint8_t {
  nop,
  fadd,
  faddnf,
  vfpack,
  add,
  sub,
  fsub,
  min,
  max,
  umin,
  umax,
  shl,
  shr,
  asr,
  ror,
  fmin,
  fmax,
  vfmin,
  and_,
  or_,
  xor_,
  vadd,
  vsub,
  fcmp,
  vfmax,
  not_,
  neg,
  flapush,
  flbpush,
  flpop,
  recip,
  setmsf,
  setrevf,
  clz,
  tidx,
  eidx,
  lr,
  vfla,
  vflna,
  vflb,
  vflnb,
  msf,
  revf,
  iid,
  sampid,
  barrierid,
  tmuwt,
  vpmwt,
  flafirst,
  flnafirst,
  rsqrt,
  exp,
  log,
  sin,
  rsqrt2,
  ballot,
  bcastf,
  alleq,
  allfeq,
  fround,
  ftrunc,
  ffloor,
  fceil,
  ftoin,
  ftoiz,
  ftouz,
  ftoc,
  fdx,
  fdy,
  itof,
  utof,
  vpack,
  v8pack,
  v10pack,
  v11fpack,
  mov,
  fmov,
  rotq,
  rot,
  shuffle,
};

enum class MulOp : std::uint8_t {
  nop,
  add,
  sub,
  umul24,
  vfmul,
  smul24,
  multop,
  fmul,
  fmov,
  mov,
  ftounorm16,
  ftosnorm16,
  vftounorm8,
  vftosnorm8,
  vftounorm10lo,
  vftounorm10hi,
};

/// Interpretation of a result for the Z and N flags.
enum class ResultKind : std::uint8_t { none, integer, real };

/// Properties of one operation. `executed` is false if the behaviour is unknown or graphics-only:
/// such an instruction stops the job when it is reached.
struct OpInfo {
  std::string_view name;
  std::uint8_t sources;
  ResultKind result;
  bool executed;
};

inline constexpr OpInfo kAddOps[] = {
    {"nop", 0, ResultKind::none, true},          {"fadd", 2, ResultKind::real, true},
    {"faddnf", 2, ResultKind::real, false},      {"vfpack", 2, ResultKind::integer, true},
    {"add", 2, ResultKind::integer, true},       {"sub", 2, ResultKind::integer, true},
    {"fsub", 2, ResultKind::real, true},         {"min", 2, ResultKind::integer, true},
    {"max", 2, ResultKind::integer, true},       {"umin", 2, ResultKind::integer, true},
    {"umax", 2, ResultKind::integer, true},      {"shl", 2, ResultKind::integer, true},
    {"shr", 2, ResultKind::integer, true},       {"asr", 2, ResultKind::integer, true},
    {"ror", 2, ResultKind::integer, true},       {"fmin", 2, ResultKind::real, true},
    {"fmax", 2, ResultKind::real, true},         {"vfmin", 2, ResultKind::real, false},
    {"and", 2, ResultKind::integer, true},       {"or", 2, ResultKind::integer, true},
    {"xor", 2, ResultKind::integer, true},       {"vadd", 2, ResultKind::integer, false},
    {"vsub", 2, ResultKind::integer, false},     {"fcmp", 2, ResultKind::real, true},
    {"vfmax", 2, ResultKind::real, false},       {"not", 1, ResultKind::integer, true},
    {"neg", 1, ResultKind::integer, true},       {"flapush", 1, ResultKind::integer, true},
    {"flbpush", 1, ResultKind::integer, true},   {"flpop", 1, ResultKind::integer, false},
    {"recip", 1, ResultKind::real, true},        {"setmsf", 1, ResultKind::integer, false},
    {"setrevf", 1, ResultKind::integer, false},  {"clz", 1, ResultKind::integer, true},
    {"tidx", 0, ResultKind::integer, true},      {"eidx", 0, ResultKind::integer, true},
    {"lr", 0, ResultKind::integer, false},       {"vfla", 0, ResultKind::integer, true},
    {"vflna", 0, ResultKind::integer, true},     {"vflb", 0, ResultKind::integer, true},
    {"vflnb", 0, ResultKind::integer, true},     {"msf", 0, ResultKind::integer, true},
    {"revf", 0, ResultKind::integer, false},     {"iid", 0, ResultKind::integer, false},
    {"sampid", 0, ResultKind::integer, false},   {"barrierid", 0, ResultKind::integer, true},
    {"tmuwt", 0, ResultKind::integer, true},     {"vpmwt", 0, ResultKind::integer, false},
    {"flafirst", 0, ResultKind::integer, true},  {"flnafirst", 0, ResultKind::integer, true},
    {"rsqrt", 1, ResultKind::real, true},        {"exp", 1, ResultKind::real, true},
    {"log", 1, ResultKind::real, true},          {"sin", 1, ResultKind::real, true},
    {"rsqrt2", 1, ResultKind::real, true},       {"ballot", 1, ResultKind::integer, true},
    {"bcastf", 1, ResultKind::integer, true},    {"alleq", 1, ResultKind::integer, true},
    {"allfeq", 1, ResultKind::integer, true},    {"fround", 1, ResultKind::real, true},
    {"ftrunc", 1, ResultKind::real, true},       {"ffloor", 1, ResultKind::real, true},
    {"fceil", 1, ResultKind::real, true},        {"ftoin", 1, ResultKind::integer, true},
    {"ftoiz", 1, ResultKind::integer, true},     {"ftouz", 1, ResultKind::integer, true},
    {"ftoc", 1, ResultKind::integer, false},     {"fdx", 1, ResultKind::real, false},
    {"fdy", 1, ResultKind::real, false},         {"itof", 1, ResultKind::real, true},
    {"utof", 1, ResultKind::real, true},         {"vpack", 2, ResultKind::integer, true},
    {"v8pack", 2, ResultKind::integer, false},   {"v10pack", 2, ResultKind::integer, false},
    {"v11fpack", 2, ResultKind::integer, false}, {"mov", 1, ResultKind::integer, true},
    {"fmov", 1, ResultKind::real, true},         {"rotq", 2, ResultKind::integer, true},
    {"rot", 2, ResultKind::integer, true},       {"shuffle", 2, ResultKind::integer, true},
};
static_assert(std::size(kAddOps) == static_cast<std::size_t>(AddOp::shuffle) + 1);

inline constexpr OpInfo kMulOps[] = {
    {"nop", 0, ResultKind::none, true},
    {"add", 2, ResultKind::integer, true},
    {"sub", 2, ResultKind::integer, true},
    {"umul24", 2, ResultKind::integer, true},
    {"vfmul", 2, ResultKind::real, false},
    {"smul24", 2, ResultKind::integer, false},
    {"multop", 2, ResultKind::integer, true},
    {"fmul", 2, ResultKind::real, true},
    {"fmov", 1, ResultKind::real, true},
    {"mov", 1, ResultKind::integer, true},
    {"ftounorm16", 1, ResultKind::integer, false},
    {"ftosnorm16", 1, ResultKind::integer, false},
    {"vftounorm8", 1, ResultKind::integer, false},
    {"vftosnorm8", 1, ResultKind::integer, false},
    {"vftounorm10lo", 1, ResultKind::integer, false},
    {"vftounorm10hi", 1, ResultKind::integer, false},
};
static_assert(std::size(kMulOps) == static_cast<std::size_t>(MulOp::vftounorm10hi) + 1);

[[nodiscard]] constexpr const OpInfo& info(AddOp op) {
  return kAddOps[static_cast<std::size_t>(op)];
}
[[nodiscard]] constexpr const OpInfo& info(MulOp op) {
  return kMulOps[static_cast<std::size_t>(op)];
}

/// Returns true for special functions: the slow unit evaluates them, and their results are known
/// only approximately.
[[nodiscard]] constexpr bool is_special_function(AddOp op) {
  return op == AddOp::recip || op == AddOp::rsqrt || op == AddOp::rsqrt2 || op == AddOp::exp ||
         op == AddOp::log || op == AddOp::sin;
}

/// Returns true for operations across lanes, which have the latency of special functions on 7.1.
[[nodiscard]] constexpr bool is_cross_lane(AddOp op) {
  return op == AddOp::ballot || op == AddOp::bcastf || op == AddOp::alleq || op == AddOp::allfeq ||
         op == AddOp::shuffle || op == AddOp::rot || op == AddOp::rotq;
}

}  // namespace sidecore::v3dsim
