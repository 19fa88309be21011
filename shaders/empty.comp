// Does nothing. The time of such a submission is the cost of submitting (gate M5).
#version 450

layout(local_size_x = 1) in;

void main() {}
