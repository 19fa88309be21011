// All outside headers of the inner loop. A variant includes this before it changes the target.
// Otherwise inline functions of shared headers could use instructions that the host's CPU lacks.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "v3dsim/core/variants.h"
#include "v3dsim/half_float.h"
#include "v3dsim/special_functions.h"
#include "v3dsim/thread.h"
