// Fuzzes the inputs of `sidecore split` other than the clip with any bytes. Gate results must give
// rates and a board's model must be accepted, or an Error must be thrown.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "model/gate_results.h"
#include "model/picture_model.h"

namespace {

using namespace sidecore;

void read_results(const std::string& file) {
  const std::span<const std::string> names(&file, 1);
  const std::vector<gates::GateReport> results = model::read_results(names);
  // An error is ignored here, because the document may lack what one of the two functions needs.
  try {
    static_cast<void>(model::gate_rates(results, names, results[0].before));
  } catch (const Error&) {
    static_cast<void>(model::board_cpu(results, names, results[0].before, "7.1"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const fuzz::MemoryFile kFile;
  if (!kFile.fill(bytes, size)) return -1;
  try {
    read_results(kFile.path());
    return 0;
  } catch (const Error&) {
  }
  try {
    static_cast<void>(model::read_picture_model(kFile.path()));
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
