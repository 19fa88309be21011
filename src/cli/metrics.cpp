// Written in the commits that follow.
