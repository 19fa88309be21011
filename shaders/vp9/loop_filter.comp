// Loop filter by dependency levels for 8-bit samples, four per word; loop_filter_step.glsl has the code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/loop_filter_step.glsl"
