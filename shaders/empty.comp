// Does nothing. The time of a submission of this shader is the cost of submitting (gate M5).
#version 450

layout(local_size_x = 1) in;

void main() {}
