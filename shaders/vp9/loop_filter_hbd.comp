// Loop filter by dependency levels for samples of 10 and 12 bits, two per word; loop_filter_step.glsl has the
// code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define HIGH_BIT_DEPTH
#include "vp9/loop_filter_step.glsl"
