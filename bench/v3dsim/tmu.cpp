#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "v3dsim/noise.h"
#include "v3dsim/thread.h"

namespace sidecore::v3dsim {
namespace {

static_assert(std::endian::native == std::endian::little, "GPU words are little-endian");

enum class Type : std::uint8_t { i8, i16, vec2, vec3, vec4, u8, u16, word };

/// A request as encoded by its config byte.
struct Request {
  unsigned op;
  Type type;
  bool per_pixel;

  explicit Request(std::uint32_t config)
      : op((config >> 3) & 15),
        type(static_cast<Type>(config & 7)),
        per_pixel((config & 0x80) != 0) {}

  [[nodiscard]] unsigned components() const {
    switch (type) {
      case Type::vec2:
        return 2;
      case Type::vec3:
        return 3;
      case Type::vec4:
        return 4;
      default:
        return 1;
    }
  }
  [[nodiscard]] unsigned component_bytes() const {
    switch (type) {
      case Type::i8:
      case Type::u8:
        return 1;
      case Type::i16:
      case Type::u16:
        return 2;
      default:
        return 4;
    }
  }
  [[nodiscard]] unsigned bytes() const { return components() * component_bytes(); }
};

constexpr unsigned kCompareExchange = 3;
constexpr unsigned kLoadStore = 15;

/// Makes every host access a relaxed atomic, so that a data race in the GPU program is not a data
/// race in the C++ code.
template <class T>
T load(std::byte* at) {
  return std::atomic_ref<T>(*reinterpret_cast<T*>(at)).load(std::memory_order_relaxed);
}
template <class T>
void store(std::byte* at, T value) {
  std::atomic_ref<T>(*reinterpret_cast<T*>(at)).store(value, std::memory_order_relaxed);
}

std::uint32_t load_component(std::byte* at, Type type) {
  switch (type) {
    case Type::i8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(load<std::uint8_t>(at)));
    case Type::u8:
      return load<std::uint8_t>(at);
    case Type::i16:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(load<std::uint16_t>(at)));
    case Type::u16:
      return load<std::uint16_t>(at);
    default:
      return load<std::uint32_t>(at);
  }
}

void store_component(std::byte* at, Type type, std::uint32_t value) {
  switch (type) {
    case Type::i8:
    case Type::u8:
      return store(at, static_cast<std::uint8_t>(value));
    case Type::i16:
    case Type::u16:
      return store(at, static_cast<std::uint16_t>(value));
    default:
      return store(at, value);
  }
}

/// Applies `change` to the word atomically, and retries after concurrent changes. Returns the old
/// word.
template <class Change>
std::uint32_t update(std::byte* at, Change change) {
  const std::atomic_ref<std::uint32_t> word(*reinterpret_cast<std::uint32_t*>(at));
  std::uint32_t old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, change(old), std::memory_order_relaxed)) {
  }
  return old;
}

std::uint32_t atomic_with_data(std::byte* at, unsigned op, std::uint32_t x, std::uint32_t y) {
  const auto is_signed = [](std::uint32_t value) { return std::bit_cast<std::int32_t>(value); };
  switch (op) {
    case 0:
      return update(at, [x](std::uint32_t old) { return old + x; });
    case 1:
      return update(at, [x](std::uint32_t old) { return old - x; });
    case 2:
      return update(at, [x](std::uint32_t) { return x; });
    case kCompareExchange:
      return update(at, [x, y](std::uint32_t old) { return old == x ? y : old; });
    case 4:
      return update(at, [x](std::uint32_t old) { return std::min(old, x); });
    case 5:
      return update(at, [x](std::uint32_t old) { return std::max(old, x); });
    case 6:
      return update(at, [&](std::uint32_t old) { return is_signed(old) < is_signed(x) ? old : x; });
    case 7:
      return update(at, [&](std::uint32_t old) { return is_signed(old) > is_signed(x) ? old : x; });
    case 8:
      return update(at, [x](std::uint32_t old) { return old & x; });
    case 9:
      return update(at, [x](std::uint32_t old) { return old | x; });
    case 10:
      return update(at, [x](std::uint32_t old) { return old ^ x; });
    default:
      raise(FaultKind::tmu, fmt::format("unknown TMU operation {} with data", op));
  }
}

std::uint32_t atomic_without_data(std::byte* at, unsigned op) {
  switch (op) {
    case 8:
      return update(at, [](std::uint32_t old) { return old + 1; });
    case 9:
      return update(at, [](std::uint32_t old) { return old - 1; });
    case 10:
      return update(at, [](std::uint32_t old) { return ~old; });
    default:
      raise(FaultKind::tmu,
            fmt::format("TMU operation {} without data (a cache operation) is not supported", op));
  }
}

/// Adds to a per-quad request every active lane of a quad in which any lane takes part.
LaneMask whole_quads(LaneMask lanes) {
  LaneMask any = lanes | (lanes >> 1);
  any = (any | (any >> 2)) & 0x1111;
  return any * 0xf;
}

/// Executes one request.
class Access {
 public:
  Access(Thread& thread, Context& context, const Lanes& address, LaneMask lanes, Request request)
      : thread_(thread), context_(context), address_(address), lanes_(lanes), request_(request) {}

  void run() {
    const unsigned data = thread_.tmu.data_words;
    const bool is_store = request_.op == kLoadStore && data > 0;
    if (request_.op == kLoadStore) {
      if (is_store && data != request_.components()) {
        raise(FaultKind::tmu, fmt::format("a TMU store of {} words got {} data words",
                                          request_.components(), data));
      }
    } else {
      check_atomic(data);
    }
    find_lanes(is_store ? "store" : (request_.op == kLoadStore ? "load" : "atomic"));
    if (is_store) {
      store_lanes();
      count(TmuKind::store);
    } else if (request_.op == kLoadStore) {
      load_lanes();
      count(TmuKind::load);
    } else {
      atomic_lanes(data);
      count(TmuKind::atomic);
    }
  }

 private:
  void check_atomic(unsigned data) const {
    const bool compare = request_.op == kCompareExchange && data > 0;
    if (request_.type != (compare ? Type::vec2 : Type::word)) {
      raise(FaultKind::tmu, fmt::format("TMU operation {} must not have type {} with {} data words",
                                        request_.op, static_cast<unsigned>(request_.type), data));
    }
    if (data > (compare ? 2U : 1U) || (compare && data != 2)) {
      raise(FaultKind::tmu,
            fmt::format("a TMU atomic of {} words got {} data words", compare ? 2 : 1, data));
    }
  }

  [[nodiscard]] unsigned bytes() const { return request_.op == kLoadStore ? request_.bytes() : 4; }

  template <class Visit>
  void for_each_lane(Visit visit) const {
    for (LaneMask rest = lanes_; rest != 0; rest &= rest - 1) {
      visit(static_cast<unsigned>(std::countr_zero(rest)));
    }
  }

  void find_lanes(const char* what) {
    const unsigned width = bytes();
    const std::uint32_t misaligned = request_.component_bytes() - 1;
    for_each_lane([&](unsigned lane) {
      const std::uint32_t address = address_.lane[lane];
      at_[lane] = context_.data.find(address, width);
      if (at_[lane] == nullptr || (address & misaligned) != 0) {
        throw Fault(
            FaultKind::out_of_bounds,
            fmt::format("{} of {} bytes at {:#x} by lane {}: {}", what, width, address, lane,
                        at_[lane] == nullptr ? "outside every buffer" : "not aligned"),
            address);
      }
    });
  }

  void load_lanes() {
    for (unsigned component = 0; component < request_.components(); ++component) {
      Lanes& out = push_output();
      for_each_lane([&](unsigned lane) {
        out.lane[lane] = load_component(at_[lane] + std::size_t{component} * 4, request_.type);
      });
    }
    check_races(RaceChecker::Access::read);
  }

  void store_lanes() {
    for (unsigned component = 0; component < request_.components(); ++component) {
      const Lanes& data = thread_.tmu.data[component];
      for_each_lane([&](unsigned lane) {
        store_component(at_[lane] + std::size_t{component} * 4, request_.type, data.lane[lane]);
      });
    }
    check_races(RaceChecker::Access::write);
  }

  void atomic_lanes(unsigned data) {
    Lanes& out = push_output();
    const TmuQueue& tmu = thread_.tmu;
    for_each_lane([&](unsigned lane) {
      out.lane[lane] = data == 0 ? atomic_without_data(at_[lane], request_.op)
                                 : atomic_with_data(at_[lane], request_.op, tmu.data[0].lane[lane],
                                                    tmu.data[1].lane[lane]);
    });
    check_races(RaceChecker::Access::atomic);
  }

  /// Adds a word to the output FIFO. Its value in lanes outside the request is unspecified.
  Lanes& push_output() {
    TmuQueue& tmu = thread_.tmu;
    if (tmu.output_count == context_.fifo_capacity) {
      raise(FaultKind::tmu, fmt::format("TMU output FIFO overflow: more than {} words outstanding",
                                        context_.fifo_capacity));
    }
    Lanes& out = tmu.output[(tmu.output_first + tmu.output_count++) % TmuQueue::kMaxOutput];
    out = {};
    if (context_.options->poison && lanes_ != kAllLanes) fill_with_noise(out, thread_.noise_key);
    return out;
  }

  void check_races(RaceChecker::Access access) {
    if (context_.races == nullptr) return;
    for_each_lane([&](unsigned lane) {
      context_.races->touch(thread_.first_invocation + lane, thread_.progress, address_.lane[lane],
                            bytes(), access);
    });
  }

  void count(TmuKind kind) {
    const unsigned words = request_.op == kLoadStore ? request_.components() : 1;
    const LineCache::Moved lines = context_.counters.count_request(
        kind, static_cast<unsigned>(request_.type), words, address_, lanes_, bytes());
    thread_.note(kind == TmuKind::store ? TraceEvent::Kind::store : TraceEvent::Kind::load, words,
                 lines);
  }

  Thread& thread_;
  Context& context_;
  const Lanes& address_;
  LaneMask lanes_;
  Request request_;
  std::byte* at_[kLanes] = {};
};

}  // namespace

void tmu_request(Thread& thread, Context& context, const Lanes& address, LaneMask lanes) {
  TmuQueue& tmu = thread.tmu;
  const Request request(tmu.config);
  tmu.config = (tmu.config >> 8) | 0xff000000U;
  if (!request.per_pixel) lanes = whole_quads(lanes & thread.active_mask);
  lanes &= thread.active_mask;
  if ((lanes & ~tmu.data_lanes) != 0) {
    raise(FaultKind::tmu,
          "a TMU request has lanes for which a conditional write left out the data");
  }
  Access(thread, context, address, lanes, request).run();
  tmu.data_words = 0;
  tmu.data_lanes = kAllLanes;
}

void tmu_push_data(TmuQueue& tmu, const Lanes& data, LaneMask lanes) {
  if (tmu.data_words == TmuQueue::kMaxData) {
    raise(FaultKind::tmu, "more than 4 TMU data words before a request");
  }
  tmu.data[tmu.data_words++] = data;
  tmu.data_lanes &= lanes;
}

const Lanes& tmu_pop(TmuQueue& tmu) {
  if (tmu.output_count == 0) raise(FaultKind::tmu, "ldtmu from an empty TMU output FIFO");
  const Lanes& word = tmu.output[tmu.output_first];
  tmu.output_first = (tmu.output_first + 1) % TmuQueue::kMaxOutput;
  --tmu.output_count;
  return word;
}

void tmu_check_empty(const TmuQueue& tmu) {
  if (tmu.output_count != 0) {
    raise(FaultKind::tmu,
          fmt::format("the thread ends with {} TMU result words not taken", tmu.output_count));
  }
  if (tmu.data_words != 0) {
    raise(FaultKind::tmu,
          fmt::format("the thread ends with {} TMU data words without a request", tmu.data_words));
  }
}

}  // namespace sidecore::v3dsim
