// CDEF of the AV1 decoder dav1d on captured frames, from its static library.
#pragma once

#include "av1/cdef_capture.h"

namespace sidecore::bench {

/// Filters a frame of 8 or 10 bits with the functions that dav1d chooses for this CPU, called as
/// dav1d calls them. `to` holds the samples before the filter.
void run_dav1d_cdef_8(const av1::CdefCapture& capture, video::Picture& to);
void run_dav1d_cdef_16(const av1::CdefCapture& capture, video::Picture& to);

}  // namespace sidecore::bench
