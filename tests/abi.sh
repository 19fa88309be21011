# Shared by the tests that compare binary interfaces with libabigail.

# library_of OUT PREFIX MAP INCLUDE HEADER...: makes a shared object OUT with the functions PREFIX... that the HEADERs in
# the folder INCLUDE declare; they do nothing. MAP is a linker's version script.
library_of() {
  local out=$1 prefix=$2 map=$3 include=$4 header
  local -a includes=()
  for header in "${@:5}"; do
    includes+=(-include "$header")
  done
  # Gives each function a body. Function pointers do not match, because they have a parenthesis before their name.
  g++ -E -I"$include" "${includes[@]}" -x c++ /dev/null |
    PREFIX=$prefix perl -0pe 's/(\b$ENV{PREFIX}\w+\((?:[^;{}()]|\([^()]*\))*\));/$1 { __builtin_trap(); }/g' >"$out.cpp"
  g++ -g -O0 -shared -fPIC -w -fpreprocessed "-Wl,-soname,$(basename "$out")" "-Wl,--version-script=$map" \
    -o "$out" "$out.cpp"
}

# dump_of LIBRARY OUT [OPTION]...: writes the binary interface of LIBRARY as a file that abidiff reads.
dump_of() {
  abidw --short-locs --no-corpus-path --no-comp-dir-path --no-elf-needed "${@:3}" --out-file "$2" "$1"
}

# change_header HEADER CHANGE: copies $root/include to $work/include, and changes HEADER there by the perl script CHANGE.
# Fails if that changes nothing.
change_header() {
  rm -rf "$work/include"
  cp -r "$root/include" "$work/include"
  perl -0pi -e "$2" "$work/include/$1"
  ! cmp -s "$root/include/$1" "$work/include/$1" || { echo "changes nothing: $2" && exit 1; }
}
