// loop_filter_step.glsl for samples of 8 bits, four per word.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/loop_filter_step.glsl"
