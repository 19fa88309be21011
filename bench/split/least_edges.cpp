#include "split/propose.h"

#include <fmt/format.h>

#include "split/step_price.h"

namespace sidecore::split {
namespace {

struct Priced {
  StepPrice price;
  const char* dispatch;  ///< source of price.dispatch
  const char* edge;      ///< source of price.edge
};

/// Returns the middle of the model's interval for the cost of one dispatch, in seconds.
double modelled_dispatch(const model::PictureModel& model) {
  const model::ModelledLines lines = model::fit_lines(model.levels, model.dispatch_overhead());
  return (lines.low.per_part + lines.high.per_part) / 2;
}

Priced find_costs(const model::Stream& stream, const ProposeOptions& options) {
  constexpr const char* kHere = "measured here";
  const int bits = stream.pixel.bits;
  if (options.model) {
    const double dispatch = modelled_dispatch(*options.model);
    constexpr const char* kModel = "model, not measured";
    if (options.board_costs) {
      return {{dispatch, model::modelled_edge(*options.board_costs, bits)}, kModel, kModel};
    }
    if (options.board && !options.board->this_machine) {
      return {{dispatch, options.board->neon_edge()}, kModel, "M3 of the board"};
    }
    return {{dispatch, measure_neon_edge(bits)}, kModel, kHere};
  }
  if (options.rates) {
    if (options.rates->neon_edge > 0) {
      return {{options.rates->dispatch, options.rates->neon_edge}, "M5", "M3"};
    }
    return {{options.rates->dispatch, measure_neon_edge(bits)}, "M5", kHere};
  }
  return {measure_step_price(**options.device, bits), kHere, kHere};
}

}  // namespace

LeastEdges choose_least_edges(const model::Stream& stream, const ProposeOptions& options) {
  if (options.least_edges) return {*options.least_edges, "given by --least-edges"};
  if (!options.model && !options.rates && !options.device) return {};
  const Priced known = find_costs(stream, options);
  return {
      known.price.least_edges(),
      fmt::format("a dispatch costs {:.1f} us ({}), an edge on one NEON thread {:.1f} ns ({})",
                  known.price.dispatch * 1e6, known.dispatch, known.price.edge * 1e9, known.edge)};
}

}  // namespace sidecore::split
