// The gates' kernel for float_adm's sums.
#pragma once

#include "gates/kernel.h"

namespace sidecore::bench {

/// Unit: a row of the largest scale's bands with its share of the rows of the other scales, and
/// what is computed of it: the sums of those rows. A share of the units is computed on its own,
/// from the part of the pictures that it takes. Variant `strips`.
[[nodiscard]] const gates::Kernel& float_adm_kernel();

}  // namespace sidecore::bench
