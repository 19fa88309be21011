#include "tools/captured_edges.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/error.h"

namespace sidecore::bench {

void write_captured_edges(const std::filesystem::path& path, std::span<const CapturedEdges> edges) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(edges.data()),
             static_cast<std::streamsize>(edges.size_bytes()));
  if (!file.flush()) throw environment_error("cannot write '{}'", path.string());
}

std::vector<CapturedEdges> read_captured_edges(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw usage_error("cannot open '{}'", path.string());
  std::vector<CapturedEdges> edges;
  CapturedEdges next;
  while (file.read(reinterpret_cast<char*>(&next), sizeof next)) {
    const bool known = std::ranges::count(vp9::kLoopFilterKinds, next.kind) == 1;
    if (!known || next.count < 1 || next.count > 2) break;
    edges.push_back(next);
  }
  if (edges.empty() || file.gcount() != 0) {
    throw usage_error(
        "'{}' must hold captured edges, as written by capture_edges, and nothing else",
        path.string());
  }
  return edges;
}

}  // namespace sidecore::bench
