// Fuzzes the input of `sidecore report` with any bytes: the result must be a page and the answers,
// or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "fuzz/memory_file.h"
#include "report/inputs.h"
#include "report/page.h"
#include "report/summary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace sidecore::report;
  static const sidecore::fuzz::MemoryFile kFile;
  static const std::filesystem::path kPath = kFile.path();
  if (!kFile.fill(bytes, size)) return -1;
  try {
    const Inputs inputs = read_inputs({&kPath, 1});
    if (to_html(inputs, "1", {"sidecore", "report"}).empty()) std::abort();
    static_cast<void>(summary(inputs));
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
