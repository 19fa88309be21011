#include "v3dsim/statistics.h"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "v3dsim/fault.h"
#include "v3dsim/instruction.h"
#include "v3dsim/memory.h"

namespace sidecore::v3dsim {

std::string listing(const Statistics& statistics, const Memory& memory) {
  WindowCache cache(memory);
  std::string text;
  for (std::size_t i = 0; i < statistics.executed.size(); ++i) {
    if (statistics.executed[i] == 0) continue;
    const auto address = statistics.first_address + static_cast<std::uint32_t>(i * 8);
    const std::byte* bytes = cache.find(address, 8);
    if (bytes == nullptr) {
      throw Fault(FaultKind::out_of_bounds,
                  fmt::format("the buffer with the code at {:#x} was freed", address), address);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    fmt::format_to(std::back_inserter(text), "{:9.3f}  {:08x}  {:016x}  {}\n",
                   statistics.per_thread(statistics.executed[i]), address, word,
                   disassemble(word, statistics.version));
  }
  return text;
}

}  // namespace sidecore::v3dsim
