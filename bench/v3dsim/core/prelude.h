// Every header the inner loop needs from outside. A variant includes this before it changes the
// target, so that no inline function of a shared header is compiled for a CPU that may be absent.
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
