// Inter prediction from scaled references for 10- and 12-bit samples; inter_prediction_scaled.glsl has the
// code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define HIGH_BIT_DEPTH
#include "vp9/inter_prediction_scaled.glsl"
