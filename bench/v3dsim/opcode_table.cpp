#include "v3dsim/opcode_table.h"

namespace sidecore::v3dsim {
namespace {

using enum AddOp;

constexpr FixedOpcode<AddOp> kAdd42[] = {
    {add, 56},
    {sub, 60},
    {min, 120},
    {max, 121},
    {umin, 122},
    {umax, 123},
    {shl, 124},
    {shr, 125},
    {asr, 126},
    {ror, 127},
    {and_, 181},
    {or_, 182},
    {xor_, 183},
    {vadd, 184},
    {vsub, 185},
    {not_, 186, 0},
    {neg, 186, 1},
    {flapush, 186, 2},
    {flbpush, 186, 3},
    {flpop, 186, 4},
    {recip, 186, 5},
    {setmsf, 186, 6},
    {setrevf, 186, 7},
    {nop, 187, 0, 0},
    {tidx, 187, 0, 1},
    {eidx, 187, 0, 2},
    {lr, 187, 0, 3},
    {vfla, 187, 0, 4},
    {vflna, 187, 0, 5},
    {vflb, 187, 0, 6},
    {vflnb, 187, 0, 7},
    {msf, 187, 2, 0},
    {revf, 187, 2, 1},
    {iid, 187, 2, 2},
    {sampid, 187, 2, 3},
    {barrierid, 187, 2, 4},
    {tmuwt, 187, 2, 5},
    {vpmwt, 187, 2, 6},
    {flafirst, 187, 2, 7},
    {flnafirst, 187, 3, 0},
    {rsqrt, 188, 3},
    {exp, 188, 4},
    {log, 188, 5},
    {sin, 188, 6},
    {rsqrt2, 188, 7},
    {itof, 252, 0},
    {utof, 252, 4},
    {clz, 252, 3},
};

constexpr FixedOpcode<AddOp> kAdd71[] = {
    {add, 56},        {sub, 60},         {min, 120},          {max, 121},
    {umin, 122},      {umax, 123},       {shl, 124},          {shr, 125},
    {asr, 126},       {ror, 127},        {and_, 181},         {or_, 182},
    {xor_, 183},      {vadd, 184},       {vsub, 185},         {not_, 186, 0},
    {neg, 186, 1},    {flapush, 186, 2}, {flbpush, 186, 3},   {flpop, 186, 4},
    {clz, 186, 5},    {setmsf, 186, 6},  {setrevf, 186, 7},   {nop, 187, 0},
    {tidx, 187, 1},   {eidx, 187, 2},    {lr, 187, 3},        {vfla, 187, 4},
    {vflna, 187, 5},  {vflb, 187, 6},    {vflnb, 187, 7},     {msf, 187, 10},
    {revf, 187, 11},  {iid, 187, 12},    {sampid, 187, 13},   {barrierid, 187, 14},
    {tmuwt, 187, 15}, {vpmwt, 187, 16},  {flafirst, 187, 17}, {flnafirst, 187, 18},
    {recip, 188, 32}, {rsqrt, 188, 33},  {exp, 188, 34},      {log, 188, 35},
    {sin, 188, 36},   {rsqrt2, 188, 37}, {ballot, 188, 38},   {bcastf, 188, 39},
    {alleq, 188, 40}, {allfeq, 188, 41}, {itof, 246, 32},     {utof, 246, 36},
    {vpack, 247},     {v8pack, 248},     {v10pack, 250},      {v11fpack, 251},
    {rotq, 252},      {rot, 253},        {shuffle, 254},
};

constexpr FixedOpcode<MulOp> kMul42[] = {
    {MulOp::add, 1},     {MulOp::sub, 2},        {MulOp::umul24, 3},  {MulOp::smul24, 9},
    {MulOp::multop, 10}, {MulOp::nop, 15, 4, 0}, {MulOp::mov, 15, 7},
};

constexpr FixedOpcode<MulOp> kMul71[] = {
    {MulOp::add, 1},
    {MulOp::sub, 2},
    {MulOp::umul24, 3},
    {MulOp::smul24, 9},
    {MulOp::multop, 10},
    {MulOp::ftounorm16, 14, 32},
    {MulOp::ftosnorm16, 14, 33},
    {MulOp::vftounorm8, 14, 34},
    {MulOp::vftosnorm8, 14, 35},
    {MulOp::vftounorm10lo, 14, 48},
    {MulOp::vftounorm10hi, 14, 49},
    {MulOp::nop, 14, 63},
};

using namespace signal;  // NOLINT(google-build-using-namespace): thirty-two rows of its names

constexpr std::uint32_t kSignals42[32] = {
    0,
    kThrsw,
    kLdunif,
    kThrsw | kLdunif,
    kLdtmu,
    kThrsw | kLdtmu,
    kLdtmu | kLdunif,
    kThrsw | kLdtmu | kLdunif,
    kLdvary,
    kThrsw | kLdvary,
    kLdvary | kLdunif,
    kThrsw | kLdvary | kLdunif,
    kLdunifrf,
    kThrsw | kLdunifrf,
    kSmallB | kLdvary,
    kSmallB,
    kLdtlb,
    kLdtlbu,
    kWrtmuc,
    kThrsw | kWrtmuc,
    kLdvary | kWrtmuc,
    kThrsw | kLdvary | kWrtmuc,
    kUcb,
    kRotate,
    kLdunifa,
    kLdunifarf,
    kReservedSignal,
    kReservedSignal,
    kReservedSignal,
    kReservedSignal,
    kReservedSignal,
    kSmallB | kLdtmu,
};

constexpr std::uint32_t kSignals71[32] = {
    0,
    kThrsw,
    kLdunif,
    kThrsw | kLdunif,
    kLdtmu,
    kThrsw | kLdtmu,
    kLdtmu | kLdunif,
    kThrsw | kLdtmu | kLdunif,
    kLdvary,
    kThrsw | kLdvary,
    kLdvary | kLdunif,
    kThrsw | kLdvary | kLdunif,
    kLdunifrf,
    kThrsw | kLdunifrf,
    kSmallA,
    kSmallB,
    kLdtlb,
    kLdtlbu,
    kWrtmuc,
    kThrsw | kWrtmuc,
    kLdvary | kWrtmuc,
    kThrsw | kLdvary | kWrtmuc,
    kUcb,
    kReservedSignal,
    kLdunifa,
    kLdunifarf,
    kLdtmu | kWrtmuc,
    kThrsw | kLdtmu | kWrtmuc,
    kReservedSignal,
    kReservedSignal,
    kSmallC,
    kSmallD,
};

}  // namespace

std::span<const FixedOpcode<AddOp>> fixed_add_opcodes(Version version) {
  if (version == Version::v42) return kAdd42;
  return kAdd71;
}

std::span<const FixedOpcode<MulOp>> fixed_mul_opcodes(Version version) {
  if (version == Version::v42) return kMul42;
  return kMul71;
}

std::span<const std::uint32_t, 32> signal_patterns(Version version) {
  if (version == Version::v42) return kSignals42;
  return kSignals71;
}

}  // namespace sidecore::v3dsim
