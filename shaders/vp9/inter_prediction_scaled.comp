// inter_prediction_scaled.glsl for samples of 8 bits.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/inter_prediction_scaled.glsl"
