// Kernel tables that record the calls of one stage's kernels and then run the scalar definition. A
// decoder uses them like any other table.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "vp9/dsp.h"

namespace sidecore::vp9 {

/// Kernel tables in which recording functions replace one stage's entries. A Noter must have
///   static auto& entries(auto& dsp), the stage's part of a table: an array of arrays of functions;
///   void note(row, column, arguments of the entry...).
template <class Noter>
class RecordingTables {
 public:
  /// Replaces the stage's entries by recording functions, for every bit depth.
  static void replace_entries(DspTables& tables) {
    put<8>(tables);
    put<10>(tables);
    put<12>(tables);
  }

  /// Passes this thread's calls of such tables to `noter` as long as the object exists.
  class CallRecordingScope {
   public:
    explicit CallRecordingScope(Noter& noter) : before_(std::exchange(current, &noter)) {}
    ~CallRecordingScope() { current = before_; }
    CallRecordingScope(const CallRecordingScope&) = delete;
    CallRecordingScope& operator=(const CallRecordingScope&) = delete;

   private:
    Noter* before_;
  };

 private:
  template <int bits>
  static auto& of_depth(auto& tables) {
    if constexpr (bits == 8) {
      return tables.bits_8;
    } else if constexpr (bits == 10) {
      return tables.bits_10;
    } else {
      return tables.bits_12;
    }
  }

  template <int bits, std::size_t row, std::size_t column, class... Arguments>
  static void note_and_run(Arguments... arguments) {
    current->note(row, column, arguments...);
    Noter::entries(of_depth<bits>(scalar_dsp()))[row][column](arguments...);
  }

  template <int bits>
  static void put(DspTables& tables) {
    auto& rows = Noter::entries(of_depth<bits>(tables));
    using Rows = std::remove_reference_t<decltype(rows)>;
    constexpr std::size_t kColumns = std::tuple_size_v<typename Rows::value_type>;
    const auto put_one = [&]<std::size_t entry>() {
      auto& function = rows[entry / kColumns][entry % kColumns];
      if (function != nullptr) function = note_and_run<bits, entry / kColumns, entry % kColumns>;
    };
    [&]<std::size_t... entry>(std::index_sequence<entry...>) {
      (put_one.template operator()<entry>(), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Rows> * kColumns>());
  }

  /// Recorder of this thread. It is a global because functions in a table get only their arguments.
  static inline thread_local Noter* current = nullptr;
};

}  // namespace sidecore::vp9
