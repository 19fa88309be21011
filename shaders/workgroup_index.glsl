// Returns the number of this workgroup in a grid that src/qpu/workgroup_grid.h laid out in rows.
uint workgroup_index() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
