// Options for running a job. None of them may change the result of a correct program.
#pragma once

#include <cstdint>

#include "v3dsim/special_functions.h"

namespace sidecore::v3dsim {

enum class Order : std::uint8_t {
  in_order,  ///< supergroups in order; a thread runs until it ends or waits at a barrier
  random,    ///< supergroups in random order; after each thread switch a random thread runs
};

struct Options {
  Order order = Order::in_order;
  std::uint64_t seed = 1;  ///< seed of the random order and of the poison
  /// Number of host threads that run supergroups. Only one is used if races are checked, the order
  /// is random or the job is indirect.
  unsigned host_threads = 1;
  /// Fills what the hardware leaves undefined with noise: registers at the start; accumulators,
  /// rtop and flag B at a thread switch; the data of lanes that take no part in a load. The fake
  /// device also fills new buffer objects with noise, which include shared and scratch memory.
  bool poison = false;
  Disturbance disturbance;
  /// Stops the job if two invocations access the same byte without a barrier between them and at
  /// least one writes. Two atomics never race.
  bool check_races = false;
  /// Treats the 16 invocations of one thread as running in lockstep, for shaders that rely on it.
  /// They then race only on bytes that one of them wrote before the thread waited for its stores
  /// (memoryBarrierBuffer()).
  bool lanes_are_ordered = false;
  std::uint64_t instruction_limit = 200'000'000;  ///< maximum number of instructions per thread
  /// Collects statistics of 64-byte lines, which slow down every TMU request.
  bool count_lines = true;
};

}  // namespace sidecore::v3dsim
