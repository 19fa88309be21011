// Inter prediction of strips of 8-bit samples; inter_prediction_strip.glsl has the code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/inter_prediction_strip.glsl"
