// How a job is run: everything that must not change what a correct program computes.
#pragma once

#include <cstdint>

#include "v3dsim/special_functions.h"

namespace sidecore::v3dsim {

enum class Order : std::uint8_t {
  in_order,  ///< supergroup after supergroup; a thread runs until it ends or waits at a barrier
  random,    ///< supergroups in a random order, another random thread after every thread switch
};

struct Options {
  Order order = Order::in_order;
  std::uint64_t seed = 1;  ///< of the random order and of the poison
  /// Host threads over supergroups; 1 also whenever races are checked, the order is random or the
  /// job is indirect.
  unsigned host_threads = 1;
  /// Fills what the hardware leaves undefined with noise: registers at the start, accumulators,
  /// rtop and flag B at a thread switch, the data of lanes that take no part in a load. The fake
  /// device also fills new buffer objects, and with them shared and scratch memory.
  bool poison = false;
  Disturbance disturbance;
  /// Stops at the first two invocations that touch the same byte, one writing, without a barrier
  /// between them; two atomics never race.
  bool check_races = false;
  /// Takes the 16 invocations of one thread as going in step, for shaders that rely on it: those
  /// race only on what one has written and the thread has not waited for (memoryBarrierBuffer()).
  bool lanes_are_ordered = false;
  std::uint64_t instruction_limit = 200'000'000;  ///< per thread
  bool count_lines = true;  ///< the 64-byte line statistics, which cost time at every TMU request
};

}  // namespace sidecore::v3dsim
