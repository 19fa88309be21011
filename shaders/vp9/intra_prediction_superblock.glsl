// VP9 intra prediction of one wave of superblocks (VP9 specification, section 8.5.1), and the
// residual (8.6.2) on top of it. A workgroup takes a superblock of 64x64 luma samples and goes
// through its steps, in all planes; between them it waits for its own invocations alone. A 4x4 block
// is an invocation's work of one step. A larger block takes two: one writes the line that its rows
// are parts of (IntraLine), the next all of its squares of 4x4.
//
// But for the mean and TM, every row is a part of one or two lines of neighbours, rounded means of
// two or three of them, or these by turns; means are made of whole groups, without unpacking them.

#include "vp9/intra_prediction.interface.h"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) coherent buffer Planes { Group planes[]; };
layout(set = 0, binding = 1, std430) readonly buffer Residuals { Residual residual[]; };
layout(set = 0, binding = 2, std430) readonly buffer Steps { uint steps[]; };
layout(set = 0, binding = 3, std430) readonly buffer Items { uint items[]; };
layout(set = 0, binding = 4, std430) readonly buffer Blocks { uvec4 blocks[]; };
layout(set = 0, binding = 5, std430) readonly buffer Superblocks { uvec2 superblocks[]; };
layout(set = 0, binding = 6, std430) coherent buffer Lines { Group lines[]; };
layout(push_constant, std430) uniform Push { IntraPredictionPush push; };

const uint kDc = 0u;
const uint kVertical = 1u;
const uint kHorizontal = 2u;
const uint kD45 = 3u;
const uint kD135 = 4u;
const uint kD117 = 5u;
const uint kD153 = 6u;
const uint kD207 = 7u;
const uint kD63 = 8u;
const uint kTrueMotion = 9u;

struct Block {
  uint at;  // in the planes
  uint flags;
  uint stride;
  uint mode;
};

bool has(Block block, uint flag) {
  return (block.flags & flag) != 0u;
}

Group mean_of_2(Group a, Group b) {
  return (a | b) - (((a ^ b) & kAllButLowest) >> 1);
}
// (a + 2b + c + 2) >> 2 of each sample: the sum of a and c, halved, not rounded, then with b, rounded.
Group mean_of_3(Group a, Group b, Group c) {
  return mean_of_2((a & c) + (((a ^ c) & kAllButLowest) >> 1), b);
}

Group true_motion_row(Group above, int left_less_corner) {
  uint s[4];
  [[unroll]] for (uint column = 0u; column < 4u; ++column) {
    s[column] = uint(clamp(int(sample_of(above, column)) + left_less_corner, 0, kMost));
  }
  return group_of(s[0], s[1], s[2], s[3]);
}

Group with_residual(Group row, Residual more) {
  uint s[4];
  [[unroll]] for (int column = 0; column < 4; ++column) {
    s[column] = uint(clamp(int(sample_of(row, uint(column))) + residual_of(more, column), 0, kMost));
  }
  return group_of(s[0], s[1], s[2], s[3]);
}

// The rows of a 4x4 block. Its neighbours are a line of samples: 0 is the corner, from 1 on they go
// to the right along the row above, from -1 on down along the column to the left.
void predict_small(Block block, out Group rows[4]) {
  const bool above = has(block, kIntraAbove);
  const bool left = has(block, kIntraLeft);
  // What is not there is not read.
  const uint row_above = block.at - block.stride;
  const Group corner = planes[has(block, kIntraCorner) ? row_above - 1u : block.at];
  const Group found = planes[above ? row_above : block.at];
  const Group found_right = planes[has(block, kIntraAboveRight) ? row_above + 1u : block.at];
  const uint column = left ? block.at - 1u : block.at;
  const uint step = left ? block.stride : 0u;
  uint l[4];
  [[unroll]] for (uint row = 0u; row < 4u; ++row) {
    const uint there = last_of(planes[column + row * step]);
    l[row] = left ? there : kMiddle + 1u;
  }
  const Group a0 = above ? found : repeated(kMiddle - 1u);
  const Group a1 = has(block, kIntraAboveRight) ? found_right : repeated(last_of(a0));
  const uint c = has(block, kIntraCorner) ? last_of(corner) : above ? kMiddle + 1u : kMiddle - 1u;

  const uint mode = block.mode;
  if (mode == kDc) {
    const uint of_above = sum_of(a0);
    const uint of_left = l[0] + l[1] + l[2] + l[3];
    const uint sum = above == left ? of_above + of_left : 2u * (above ? of_above : of_left);
    const Group mean = repeated((sum + 4u) >> 3);
    [[unroll]] for (int row = 0; row < 4; ++row) rows[row] = mean;
  } else if (mode == kVertical) {
    [[unroll]] for (int row = 0; row < 4; ++row) rows[row] = a0;
  } else if (mode == kHorizontal) {
    [[unroll]] for (int row = 0; row < 4; ++row) rows[row] = repeated(l[row]);
  } else if (mode == kTrueMotion) {
    [[unroll]] for (int row = 0; row < 4; ++row) rows[row] = true_motion_row(a0, int(l[row]) - int(c));
  } else {
    // The line's groups: from -4 to -1, from 0, from 4, and what is repeated behind them.
    const Group up_left = group_of(l[3], l[2], l[1], l[0]);
    const Group from_0 = after_3(repeated(c), a0);
    const Group from_4 = after_3(a0, a1);
    const Group from_8 = repeated(last_of(a1));
    const Group down = repeated(l[3]);
    // Three groups that follow one another, and the one before them.
    const bool to_the_right = mode == kD45 || mode == kD63;
    const bool downwards = mode == kD207;
    const Group before = to_the_right ? up_left : down;
    const Group x0 = to_the_right ? from_0 : downwards ? group_of(l[0], l[1], l[2], l[3]) : up_left;
    const Group x1 = to_the_right ? from_4 : downwards ? down : from_0;
    const Group x2 = to_the_right ? from_8 : from_4;
    const Group next_0 = after_1(x0, x1);
    const Group next_1 = after_1(x1, x2);
    const Group two_0 = mean_of_2(x0, next_0);
    const Group two_1 = mean_of_2(x1, next_1);
    const Group three_0 = mean_of_3(after_3(before, x0), x0, next_0);
    const Group three_1 = mean_of_3(after_3(x0, x1), x1, next_1);
    const Group three_0_1 = after_1(three_0, three_1);
    const Group three_0_2 = after_2(three_0, three_1);
    const Group three_0_3 = after_3(three_0, three_1);
    if (mode == kD45) {
      rows[0] = three_0_2;
      rows[1] = three_0_3;
      rows[2] = three_1;
      rows[3] = after_1(three_1, from_8);  // the last one is no mean
    } else if (mode == kD63) {
      rows[0] = after_1(two_0, two_1);
      rows[1] = three_0_2;
      rows[2] = after_2(two_0, two_1);
      rows[3] = three_0_3;
    } else if (mode == kD135) {
      rows[0] = three_1;
      rows[1] = three_0_3;
      rows[2] = three_0_2;
      rows[3] = three_0_1;
    } else if (mode == kD117) {
      rows[0] = two_1;
      rows[1] = three_1;
      rows[2] = after_3(three_0, two_1);
      rows[3] = after_3(after_3(three_0, three_0), three_1);
    } else {
      const Group low = low_by_turns(two_0, three_0_1);
      const Group high = high_by_turns(two_0, three_0_1);
      rows[0] = downwards ? low : after_3(two_0, three_1);
      rows[1] = downwards ? after_2(low, high) : high;
      rows[2] = downwards ? high : after_2(low, high);
      rows[3] = downwards ? down : low;
    }
  }
}

// A sample of the line of a larger block's neighbours.
uint neighbour(Block block, int index) {
  const bool to_the_right = index > 0;
  const bool corner = index == 0;
  const bool there = corner ? has(block, kIntraCorner)
                            : has(block, to_the_right ? kIntraAbove : kIntraLeft);
  const uint most_columns = ((block.flags >> kIntraColumnsShift) & 7u) * 4u + 3u;
  const uint most_rows = ((block.flags >> kIntraRowsShift) & 7u) * 4u + 3u;
  const uint column = min(uint(index - 1), most_columns);
  const uint row = min(uint(-index - 1), most_rows);
  const uint at = to_the_right ? block.at - block.stride + (column >> 2)
                  : corner     ? block.at - block.stride - 1u
                               : block.at + row * block.stride - 1u;
  const Group group = planes[there ? at : block.at];
  const bool less = to_the_right || (corner && !has(block, kIntraAbove));
  return there ? sample_of(group, to_the_right ? column & 3u : 3u) : less ? kMiddle - 1u : kMiddle + 1u;
}

// Which samples of the line (a + 2b + c + 2) >> 2 is made of, for sample `t` of what is stored.
ivec3 copy_of(int index) {
  return ivec3(index);
}
ivec3 two_from(int index) {
  return ivec3(index, index + 1, index);
}
ivec3 three_around(int index) {
  return ivec3(index - 1, index, index + 1);
}
ivec3 line_sources(uint mode, int size, bool odd, int t) {
  if (mode == kVertical) return copy_of(1 + t);
  if (mode == kHorizontal) return copy_of(-1 - t);
  if (mode == kTrueMotion) return copy_of(t < size ? 1 + t : t < 2 * size ? size - 1 - t : 0);
  if (mode == kD45) return three_around(t + 2);
  if (mode == kD63) return odd ? three_around(2 + t) : two_from(1 + t);
  if (mode == kD135) return three_around(t - size);
  if (mode == kD117) {
    const int v = t - size / 2;
    if (v >= 0) return odd ? three_around(v) : two_from(v);
    return three_around(odd ? 2 * v : 2 * v + 1);
  }
  if (mode == kD153) {
    const int u = t - 2 * size;
    if (u > 1) return three_around(u - 1);
    return (u & 1) == 0 ? two_from(u / 2 - 1) : three_around((u - 1) / 2);
  }
  if (mode == kD207) return (t & 1) == 0 ? two_from(-2 - t / 2) : three_around(-2 - t / 2);
  return ivec3(1 + t, 0, -1 - t);  // of the mean
}

// Group `part` of a larger block's line. Odd rows of D63 and D117 have one of their own behind that of even rows.
Group line_group(Block block, uint part) {
  const uint size = (block.flags >> kIntraSizeShift) & 3u;
  const int side = 4 << size;
  const uint groups_of_parity = 3u << (size - 1u);
  const bool odd = (block.mode == kD63 || block.mode == kD117) && part >= groups_of_parity;
  const int first = 4 * int(odd ? part - groups_of_parity : part);
  uint s[4];
  uint of_above = 0u;
  uint of_left = 0u;
  [[unroll]] for (int index = 0; index < 4; ++index) {
    const ivec3 sources = line_sources(block.mode, side, odd, first + index);
    const uint a = neighbour(block, sources.x);
    const uint c = neighbour(block, sources.z);
    s[index] = (a + 2u * neighbour(block, sources.y) + c + 2u) >> 2;
    of_above += a;
    of_left += c;
  }
  if (block.mode != kDc) return group_of(s[0], s[1], s[2], s[3]);
  const bool above = has(block, kIntraAbove);
  const uint sum = above == has(block, kIntraLeft) ? of_above + of_left : 2u * (above ? of_above : of_left);
  return sum_group(part < 1u << size ? sum : 0u);
}

// Where the rows of a square lie in the block's line: each within two groups that follow one another, the
// first ones or the second ones.
struct Window {
  uint first;
  uint second;
  uint rows;  // of each row, from the lowest bits, in five: first sample, 0 to 4; 8: of the second ones
};
uint window_rows(uint r0, uint r1, uint r2, uint r3) {
  return r0 | (r1 << 5) | (r2 << 10) | (r3 << 15);
}
const uint kSecond = 8u;

Window window_of(uint mode, uint size, uint group, uint row_group) {
  const uint parity = 3u << (size - 1u);
  const uint groups = 1u << size;
  if (mode == kVertical) return Window(group, group, 0u);
  if (mode == kHorizontal) return Window(row_group, row_group, 0u);
  if (mode == kTrueMotion) return Window(group, groups + row_group, 0u);
  if (mode == kD45) {
    const uint at = row_group + group;
    return Window(at, at, window_rows(0u, 1u, 2u, 3u));
  }
  if (mode == kD135) {
    const uint at = group + groups - row_group - 1u;
    return Window(at, at, window_rows(4u, 3u, 2u, 1u));
  }
  if (mode == kD207) {
    const uint at = group + 2u * row_group;
    return Window(at, at + 1u, window_rows(0u, 2u, kSecond, kSecond + 2u));
  }
  if (mode == kD153) {
    const uint at = group + 2u * (groups - row_group) - 2u;
    return Window(at, at + 1u, window_rows(kSecond + 4u, kSecond + 2u, 4u, 2u));
  }
  const bool whole = (row_group & 1u) == 0u;
  if (mode == kD63) {
    const uint at = group + row_group / 2u;
    return Window(at, at + parity,
                  whole ? window_rows(0u, kSecond, 1u, kSecond + 1u)
                        : window_rows(2u, kSecond + 2u, 3u, kSecond + 3u));
  }
  // D117, two samples less for each group of rows.
  const uint at = group + (groups - row_group) / 2u - (whole ? 1u : 0u);
  return Window(at, at + parity,
                whole ? window_rows(4u, kSecond + 4u, 3u, kSecond + 3u)
                      : window_rows(2u, kSecond + 2u, 1u, kSecond + 1u));
}

void predict_square(Block block, uint line, uint part, out Group rows[4]) {
  const uint size = (block.flags >> kIntraSizeShift) & 3u;
  if (block.mode == kDc) {
    uint sum = 2u << size;  // half of the samples' number, for rounding
    sum *= 2u;
    [[unroll]] for (uint index = 0u; index < kIntraSums; ++index) sum += sum_in(lines[line + index]);
    const Group mean = repeated(sum >> (size + 3u));
    [[unroll]] for (int row = 0; row < 4; ++row) rows[row] = mean;
    return;
  }
  const Window window = window_of(block.mode, size, part & 7u, part >> 3);
  const Group first_0 = lines[line + window.first];
  const Group first_1 = lines[line + window.first + 1u];
  const Group second_0 = lines[line + window.second];
  const Group second_1 = lines[line + window.second + 1u];
  if (block.mode == kHorizontal) {
    [[unroll]] for (uint row = 0u; row < 4u; ++row) rows[row] = repeated(sample_of(first_0, row));
    return;
  }
  if (block.mode == kTrueMotion) {
    const int corner = int(sample_of(lines[line + (2u << size)], 0u));
    [[unroll]] for (uint row = 0u; row < 4u; ++row) {
      rows[row] = true_motion_row(first_0, int(sample_of(second_0, row)) - corner);
    }
    return;
  }
  [[unroll]] for (int row = 0; row < 4; ++row) {
    const uint how = window.rows >> (5 * row);
    const Group low = (how & kSecond) != 0u ? second_0 : first_0;
    const Group high = (how & kSecond) != 0u ? second_1 : first_1;
    rows[row] = (how & 4u) != 0u ? high : after(low, high, how & 3u);
  }
}

void do_item(uint item) {
  const uint kind = item >> kIntraKindShift;
  if (kind == kIntraNothing) return;
  const uvec4 packed_block = blocks[item & kIntraBlockMask];
  const uint flags = packed_block.y;
  Block block;
  block.at = packed_block.x;
  block.flags = flags;
  block.mode = flags & kIntraModeMask;
  block.stride = ((flags >> kIntraStrideShift) & 1u) != 0u ? push.strides[1] : push.strides[0];
  const uint part = (item >> kIntraPartShift) & kIntraPartMask;
  if (kind == kIntraLine) {
    lines[packed_block.w + part] = line_group(block, part);
    return;
  }
  Group rows[4];
  if (kind == kIntraSmall) {
    predict_small(block, rows);
  } else {
    predict_square(block, packed_block.w, part, rows);
  }
  const uint column = part & 7u;
  const uint first_row = (part >> 3) * 4u;
  if (has(block, kIntraHasResidual)) {
    const uint groups = 1u << ((flags >> kIntraSizeShift) & 3u);
    const uint from = packed_block.z + first_row * groups + column;
    [[unroll]] for (uint row = 0u; row < 4u; ++row) {
      rows[row] = with_residual(rows[row], residual[from + row * groups]);
    }
  }
  const uint to = block.at + first_row * block.stride + column;
  [[unroll]] for (uint row = 0u; row < 4u; ++row) planes[to + row * block.stride] = rows[row];
}

void main() {
  const uvec2 superblock = superblocks[push.first_superblock + gl_WorkGroupID.x];
  // As many rounds for all superblocks of the wave: through a loop that lanes leave one by one the
  // Pi's compiler moves every value by condition, and to it a workgroup's number differs from lane
  // to lane.
  const uint run = gl_LocalInvocationID.x / kIntraRun;
  for (uint index = 0u; index < push.steps; ++index) {
    const uint step = index < superblock.y ? steps[superblock.x + index] : 0u;
    const uint runs = step & ((1u << kIntraRunsBits) - 1u);
    const uint first = (step >> kIntraRunsBits) * kIntraRun;
    do_item(run < runs ? items[first + gl_LocalInvocationID.x] : kIntraNothing << kIntraKindShift);
    memoryBarrierBuffer();
    barrier();
  }
}
