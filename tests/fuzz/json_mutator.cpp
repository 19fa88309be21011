// Mutates the values of JSON documents, so that most inputs remain valid JSON. Mutations of bytes
// alone would rarely pass the parser; they are used for one input in four.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& element : value) collect(element, all);
}

std::size_t below(std::size_t count, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

Json strange_value(Random& random) {
  static const std::vector<Json> kValues{nullptr,
                                         true,
                                         false,
                                         0,
                                         -1,
                                         1,
                                         2,
                                         1.5,
                                         1e300,
                                         -1e300,
                                         1e-300,
                                         -0.0,
                                         1e19,
                                         INT32_MAX,
                                         INT64_MIN,
                                         UINT64_MAX,
                                         4294967296,
                                         2147483648,
                                         "",
                                         "1",
                                         "true",
                                         Json::array(),
                                         Json::object(),
                                         "<b>\"&'</b>",
                                         "\x1b[2J\r\n",
                                         {1, 2},
                                         {{"name", 1}}};
  return kValues[below(kValues.size(), random)];
}

void change_text(Json& value) {
  std::string text = value.get<std::string>();
  const std::size_t size = text.size();
  text.resize(size + 16);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  value = text;
}

void change_members(Json& value, const Json& other, Random& random) {
  if (value.empty()) {
    if (value.is_array()) value.push_back(other);
    return;
  }
  const auto place =
      std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size(), random)));
  switch (below(3, random)) {
    case 0:
      value.erase(place);
      break;
    case 1:
      if (value.is_array()) value.push_back(Json(*place));
      break;
    default:
      std::swap(*place, *std::next(value.begin(),
                                   static_cast<std::ptrdiff_t>(below(value.size(), random))));
  }
}

void change(Json& document, Random& random) {
  std::vector<Json*> all;
  collect(document, all);
  Json& value = *all[below(all.size(), random)];
  const Json other = *all[below(all.size(), random)];
  const std::size_t way = below(4, random);
  if (way == 0) {
    value = strange_value(random);
  } else if (way == 1 && other.size() < 64) {
    value = other;
  } else if (value.is_string()) {
    change_text(value);
  } else if (value.is_structured()) {
    change_members(value, other, random);
  } else if (value.is_number_integer()) {
    value = value.get<std::int64_t>() / 2 + static_cast<std::int64_t>(below(65, random)) - 32;
  } else {
    value = strange_value(random);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed) {
  Random random(seed);
  if (below(4, random) == 0) return LLVMFuzzerMutate(bytes, size, most);
  Json document = Json::parse(bytes, bytes + size, nullptr, false);
  if (document.is_discarded()) return LLVMFuzzerMutate(bytes, size, most);
  for (std::size_t count = 1 + below(3, random); count > 0; --count) change(document, random);
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(bytes, size, most);
  std::ranges::copy(text, bytes);
  return text.size();
}
