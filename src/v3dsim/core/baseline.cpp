#include "v3dsim/core/prelude.h"

#define V3DSIM_CORE core_baseline
#include "v3dsim/core/run.h"
