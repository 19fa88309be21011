// VP9 intra prediction of waves of superblocks (VP9 specification, section 8.5.1), and the addition of the
// residual (section 8.6.2). Each superblock of 64x64 luma samples has kIntraLanes invocations, which process
// its runs of items, in all planes. Between runs, these invocations wait only for each other, because
// superblocks of a wave do not depend on each other. A dispatch of one workgroup processes several small
// waves in turn. A 4x4 block is one item. A larger block takes two steps of several items each: the first
// writes a line, which contains the block's rows; the second writes all squares of 4x4 samples.
//
// In all modes except DC and TM, every row of a block is a part of one or two lines. A line consists of the
// neighbours, of rounded means of two or of three neighbours, or of both kinds of means alternately. Means
// are computed on whole groups without unpacking the samples.

#include "vp9/intra_prediction.interface.h"

layout(local_size_x = 256) in;  // equals kIntraSuperblocks * kIntraLanes
layout(constant_id = kIntraLockstepConstant) const uint kLockstep = 0u;

layout(set = 0, binding = 0, std430) coherent buffer Planes { Group planes[]; };
layout(set = 0, binding = 1, std430) readonly buffer Residuals { Residual residual[]; };
layout(set = 0, binding = 2, std430) readonly buffer Items { uint items[]; };
layout(set = 0, binding = 3, std430) readonly buffer Blocks { uvec4 blocks[]; };
layout(set = 0, binding = 4, std430) readonly buffer Superblocks { uvec2 superblocks[]; };
layout(set = 0, binding = 5, std430) coherent buffer Lines { Group lines[]; };
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
  uint at;  // position in the planes, in groups
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
// Returns (a + 2b + c + 2) >> 2 for each sample: the mean of a and c, rounded down, then its mean with b,
// rounded up.
Group mean_of_3(Group a, Group b, Group c) {
  return mean_of_2((a & c) + (((a ^ c) & kAllButLowest) >> 1), b);
}

Group true_motion_row(Group above, int left_less_corner) {
  uint s[4];
  [[unroll]] for (uint column = 0u; column < 4u; ++column) {
    s[column] = uint(clamp(int(sample_of(above, column)) + left_less_corner, 0, kMaxSample));
  }
  return group_of(s[0], s[1], s[2], s[3]);
}

Group with_residual(Group row, Residual more) {
  uint s[4];
  [[unroll]] for (int column = 0; column < 4; ++column) {
    s[column] = uint(clamp(int(sample_of(row, uint(column))) + residual_of(more, column), 0, kMaxSample));
  }
  return group_of(s[0], s[1], s[2], s[3]);
}

// Predicts the rows of a 4x4 block. Its neighbours form a line of samples. Index 0 is the corner, indices
// from 1 go right along the row above, indices from -1 go down along the column to the left.
void predict_small(Block block, out Group rows[4]) {
  const bool above = has(block, kIntraAbove);
  const bool left = has(block, kIntraLeft);
  // Each neighbour is read only if it exists.
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
    // Groups of the line: samples -4 to -1, from 0, from 4, and then the repeated last sample.
    const Group up_left = group_of(l[3], l[2], l[1], l[0]);
    const Group from_0 = after_3(repeated(c), a0);
    const Group from_4 = after_3(a0, a1);
    const Group from_8 = repeated(last_of(a1));
    const Group down = repeated(l[3]);
    // x0, x1 and x2 are three consecutive groups of the line; `before` is the group before x0.
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
      rows[3] = after_1(three_1, from_8);  // the last sample is not a mean
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

// Returns the sample at `index` of the line of a larger block's neighbours (0: corner, > 0: above, < 0:
// left).
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

// Ways to make a group of a line from consecutive samples of the line of neighbours. kLineCopy takes the
// samples themselves.
const uint kLineCopy = 0u;
const uint kLineTwo = 1u;          // means of two samples
const uint kLineThree = 2u;        // means of three samples
const uint kLineTurns = 3u;        // means of two and of three samples alternately
const uint kLineTurn = 4u;         // one mean of two samples, then means of three
const uint kLineEverySecond = 5u;  // means of three, around every second sample

// Computes group `part` of a larger block's line. D63 and D117 have a second line for odd rows, after the
// line for even rows.
//
// The group is made from consecutive samples of the line of neighbours. Values, not branches, choose these
// samples and their averaging: what a branch computes would stay in registers through the whole loop over
// the steps.
Group line_group(Block block, uint part) {
  const uint size = (block.flags >> kIntraSizeShift) & 3u;
  const int side = 4 << size;
  const uint mode = block.mode;
  const uint groups_of_parity = 3u << (size - 1u);
  const bool odd = (mode == kD63 || mode == kD117) && part >= groups_of_parity;
  const int t = 4 * int(odd ? part - groups_of_parity : part);

  // Index of the first neighbour, direction along the neighbours, and the way in which the group is made.
  int start = 1 + t;
  int step = 1;
  uint make = kLineCopy;
  if (mode == kDc || mode == kHorizontal || (mode == kTrueMotion && t >= side)) {
    start = mode != kTrueMotion ? -1 - t : t < 2 * side ? side - 1 - t : 0;
    step = -1;
  }
  if (mode == kD45) make = kLineThree;
  if (mode == kD63) make = odd ? kLineThree : kLineTwo;
  if (mode == kD135) {
    start = t - side - 1;
    make = kLineThree;
  }
  if (mode == kD207) {
    start = -1 - t / 2;
    step = -1;
    make = kLineTurns;
  }
  if (mode == kD153) {
    const int column = t - 2 * side;
    start = column > 0 ? column - 2 : column / 2 - 1;
    make = column > 0 ? kLineThree : column == 0 ? kLineTurn : kLineTurns;
  }
  if (mode == kD117) {
    const int column = t - side / 2;
    start = (column < 0 ? 2 * column : column) - (odd ? 1 : 0);
    make = column < 0 ? kLineEverySecond : odd ? kLineThree : kLineTwo;
  }

  // A loop loads eight or twelve neighbours, because without a loop the position of each neighbour would
  // occupy registers until that neighbour is loaded.
  Group n0 = repeated(0u);
  Group n4 = n0;
  Group n8 = n0;
  const int last = start + step * (make == kLineEverySecond ? 12 : 8);
  [[dont_unroll]] for (int index = start; index != last; index += kNeighboursAtOnce * step) {
    const uint a = neighbour(block, index);
    const uint b = neighbour(block, index + step);
    if (kNeighboursAtOnce == 4) {
      n0 = n4;
      n4 = n8;
      n8 = group_of(a, b, neighbour(block, index + 2 * step), neighbour(block, index + 3 * step));
    } else {
      n0 = after_2(n0, n4);
      n4 = after_2(n4, n8);
      n8 = after_2(n8, group_of(a, b, 0u, 0u));
    }
  }
  // Three consecutive neighbours make a sample of the line: `first`, `second` and `third` have one of them
  // for each sample.
  Group first = n4;
  Group second = after_1(n4, n8);
  Group third = after_2(n4, n8);
  if (make == kLineEverySecond) {
    first = evens_of(n0, n4);
    second = odds_of(n0, n4);
    third = after_1(first, n8);
  }
  const Group two = mean_of_2(first, second);
  const Group three = mean_of_3(first, second, third);
  Group result = make == kLineCopy ? first : make == kLineTwo ? two : three;
  if (make == kLineTurns) result = low_by_turns(two, three);
  if (make == kLineTurn) result = after_3(repeated(sample_of(two, 0u)), three);
  if (mode == kDc) {
    const bool above = has(block, kIntraAbove);
    const uint most = (block.flags >> kIntraColumnsShift) & 7u;
    const Group there = planes[above ? block.at - block.stride + min(part, most) : block.at];
    const uint of_above =
        sum_of(above ? (part > most ? repeated(last_of(there)) : there) : repeated(kMiddle - 1u));
    const uint of_left = sum_of(first);
    const uint sum = above == has(block, kIntraLeft) ? of_above + of_left : 2u * (above ? of_above : of_left);
    result = sum_group(part < 1u << size ? sum : 0u);
  }
  return result;
}

// Location of the four rows of a 4x4 square in the block's line, which is stored in groups of four samples.
// Each row lies within two consecutive groups, which begin at group `first` or at group `second`.
struct Window {
  uint first;
  uint second;
  // Five bits per row, from the lowest: first sample, 0 to 4; plus kSecond if the row begins at `second`.
  uint rows;
};
uint window_rows(uint r0, uint r1, uint r2, uint r3) {
  return r0 | (r1 << 5) | (r2 << 10) | (r3 << 15);
}
const uint kSecond = 8u;

Window window_of(uint mode, uint size, uint group, uint row_group) {
  const uint parity = 3u << (size - 1u);
  const uint groups = 1u << size;
  const bool whole = (row_group & 1u) == 0u;
  Window window = Window(group, group, 0u);  // mode V
  if (mode == kHorizontal) window = Window(row_group, row_group, 0u);
  if (mode == kTrueMotion) window.second = groups + row_group;
  if (mode == kD45) window = Window(row_group + group, 0u, window_rows(0u, 1u, 2u, 3u));
  if (mode == kD135) {
    window = Window(group + groups - row_group - 1u, 0u, window_rows(4u, 3u, 2u, 1u));
  }
  if (mode == kD207) {
    const uint at = group + 2u * row_group;
    window = Window(at, at + 1u, window_rows(0u, 2u, kSecond, kSecond + 2u));
  }
  if (mode == kD153) {
    const uint at = group + 2u * (groups - row_group) - 2u;
    window = Window(at, at + 1u, window_rows(kSecond + 4u, kSecond + 2u, 4u, 2u));
  }
  if (mode == kD63) {
    const uint at = group + row_group / 2u;
    window = Window(at, at + parity,
                    whole ? window_rows(0u, kSecond, 1u, kSecond + 1u)
                          : window_rows(2u, kSecond + 2u, 3u, kSecond + 3u));
  }
  if (mode == kD117) {  // each further group of rows begins two samples earlier
    const uint at = group + (groups - row_group) / 2u - (whole ? 1u : 0u);
    window = Window(at, at + parity,
                    whole ? window_rows(4u, kSecond + 4u, 3u, kSecond + 3u)
                          : window_rows(2u, kSecond + 2u, 1u, kSecond + 1u));
  }
  return window;
}

void predict_square(Block block, uint line, uint part, out Group rows[4]) {
  const uint size = (block.flags >> kIntraSizeShift) & 3u;
  const uint mode = block.mode;
  if (mode == kDc) {
    uint sum = 2u << size;  // rounding term: half of the number of samples
    sum *= 2u;
    [[unroll]] for (uint index = 0u; index < kIntraSums; ++index) sum += sum_in(lines[line + index]);
    const Group mean = repeated(sum >> (size + 3u));
    [[unroll]] for (int row = 0; row < 4; ++row) rows[row] = mean;
  } else {
    const Window window = window_of(mode, size, part & 7u, part >> 3);
    const Group first_0 = lines[line + window.first];
    const Group first_1 = lines[line + window.first + 1u];
    const Group second_0 = lines[line + window.second];
    // In mode TM this group holds the corner sample.
    const Group second_1 = lines[line + (mode == kTrueMotion ? 2u << size : window.second + 1u)];
    if (mode == kTrueMotion) {
      const int corner = int(sample_of(second_1, 0u));
      [[unroll]] for (uint row = 0u; row < 4u; ++row) {
        rows[row] = true_motion_row(first_0, int(sample_of(second_0, row)) - corner);
      }
    } else {
      [[unroll]] for (int row = 0; row < 4; ++row) {
        const uint how = window.rows >> (5 * row);
        const Group low = (how & kSecond) != 0u ? second_0 : first_0;
        const Group high = (how & kSecond) != 0u ? second_1 : first_1;
        const Group along = (how & 4u) != 0u ? high : after(low, high, how & 3u);
        rows[row] = mode == kHorizontal ? repeated(sample_of(first_0, uint(row))) : along;
      }
    }
  }
}

// The function has no early return, because the V3D compiler turns a function with one into a loop in which
// every move is conditional and every value keeps its register throughout.
void predict_item(uint item) {
  const uint kind = item >> kIntraKindShift;
  if (kind != kIntraNothing) {
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
    } else {
      Group rows[4];
      if (kind == kIntraSmall) {
        predict_small(block, rows);
      } else {
        predict_square(block, packed_block.w, part, rows);
      }
      const uint column = part & 7u;
      const uint first_row = (part >> 3) * 4u;
      const uint to = block.at + first_row * block.stride + column;
      if (has(block, kIntraHasResidual)) {
        const uint groups = 1u << ((flags >> kIntraSizeShift) & 3u);
        const uint from = packed_block.z + first_row * groups + column;
        [[unroll]] for (uint row = 0u; row < 4u; ++row) {
          rows[row] = with_residual(rows[row], residual[from + row * groups]);
        }
      }
      [[unroll]] for (uint row = 0u; row < 4u; ++row) planes[to + row * block.stride] = rows[row];
    }
  }
}

void main() {
  const bool lockstep = kLockstep != 0u;
  const uint number = lockstep ? gl_SubgroupID : gl_LocalInvocationID.x / kIntraLanes;
  const uint lane = lockstep ? gl_SubgroupInvocationID : gl_LocalInvocationID.x % kIntraLanes;
  const uint mine = gl_WorkGroupID.x * kIntraSuperblocks + number;
  // Each loop has only one counter, because registers are scarce.
  for (uint first = push.first_superblock; first < push.end; first += kIntraSuperblocks) {
    const uvec2 superblock = superblocks[first + mine];
    uint at = superblock.x * kIntraLanes + lane;
    const uint end = at + superblock.y * kIntraLanes;
    // All superblocks of the round run the same number of iterations, and the V3D compiler must see that. In
    // a loop that lanes can leave one by one, it makes every move conditional. The compiler assumes that
    // `mine` differs between lanes. Therefore the count is read with `first`.
    for (uint left = superblocks[first].y; left != 0u; --left) {
      predict_item(at < end ? items[at] : kIntraNothing << kIntraKindShift);
      at += kIntraLanes;
      memoryBarrierBuffer();
      // Lockstep subgroups skip the barrier, because on the Pi even a subgroup's barrier would hold up the
      // whole workgroup.
      if (!lockstep) barrier();
    }
    if (lockstep) barrier();
  }
}
