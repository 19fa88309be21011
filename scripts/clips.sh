# Makes video clips with ffmpeg. Scripts source this file after lib.sh.
# shellcheck shell=bash

readonly FRAMES=48  # number of pictures of a reference

ffmpeg_make() {  # ffmpeg_make FILE ffmpeg-option...: makes FILE, which appears only when it is complete
  local file=$1 partial=${1%.*}.partial.${1##*.}
  shift
  quietly ffmpeg -v error -nostdin -y "$@" "$partial" ||
    fail $EXIT_USAGE "ffmpeg could not make ${file#"$SIDECORE_ROOT/"}: see its message above"
  mv "$partial" "$file"
}

# Makes the lossless reference. The picture is zoomed and panned, so that it moves by fractions of a sample, as with a
# camera. The scene changes after half of the frames.
make_reference() {  # FILE [CLIP]
  local file=$1 clip=${2:-} photographs=/usr/share/backgrounds half=$((FRAMES / 2))
  if [[ -n $clip ]]; then
    ffmpeg_make "$file" -i "$clip" -frames:v "$FRAMES" -an -sn -c:v ffv1 -pix_fmt yuv420p \
      -vf 'crop=trunc(iw/2)*2:trunc(ih/2)*2'
    return
  fi
  local pan="d=$half:s=1920x1080:fps=24,setsar=1"
  ffmpeg_make "$file" \
    -i "$photographs/picosdeeuropa_by_Aitzol_Berasategi.jpg" \
    -i "$photographs/life_by_Aitzol_Berasategi.jpg" \
    -filter_complex "[0]zoompan=z='1.30-0.004*on':x='200+6.3*on':y='420+2.2*on':$pan[mountain];
      [1]zoompan=z='1.20+0.006*on':x='120+3.7*on':y='90+4.1*on':$pan[stream];
      [mountain][stream]concat=n=2" \
    -c:v ffv1 -pix_fmt yuv420p
}
