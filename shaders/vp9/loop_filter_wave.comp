// Loop filter by superblock waves for 8-bit samples, four per word; loop_filter_superblock.glsl has the code.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/loop_filter_superblock.glsl"
