// Functions that find a plane of `push` by its number or by a row of its blocks. Comparisons select it,
// because the Raspberry Pi's driver mishandles push constants that a variable indexes (docs/v3dsim.md,
// "Driver facts").

HvsPlane plane_at(uint index) {
  HvsPlane plane = push.planes[0];
  if (index == 1u) plane = push.planes[1];
  if (index == 2u) plane = push.planes[2];
  return plane;
}

uint plane_of_row(uint row) {
  return (row >= push.planes[1].first_row ? 1u : 0u) + (row >= push.planes[2].first_row ? 1u : 0u);
}
