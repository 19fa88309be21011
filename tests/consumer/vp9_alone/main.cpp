// Decodes the IVF file that it is given; exit status 0 when frames came out.
#include <cstdio>
#include <memory>

#include "base/error.h"
#include "video/packet_source.h"
#include "vp9/decoder.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const auto source =
        sidecore::video::open_ivf(std::make_unique<sidecore::video::ByteStream>(argv[1]));
    sidecore::vp9::Decoder decoder;
    sidecore::video::Packet packet;
    int frames = 0;
    while (source->read(packet)) decoder.decode(packet.bytes, [&](const auto&) { ++frames; });
    std::printf("%d frames\n", frames);
    return frames > 0 ? 0 : 1;
  } catch (const sidecore::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
