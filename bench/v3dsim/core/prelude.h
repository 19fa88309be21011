// All other headers that the inner loop needs. A variant includes this file before it changes the
// compiler's target. Otherwise inline functions of shared headers could use instructions that the
// host's CPU lacks.
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
