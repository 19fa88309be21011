// Encodes a moving pattern with libvpx into streams that no option of vpxenc produces:
// - The size changes without a key frame, so that references have another size.
// - Parts of the picture are inactive.
// - Headers have a loop filter sharpness.
// - Segments change the quantiser, loop filter and references of regions.
// - Each packet holds several sizes.
//
// Usage: special_encoder OUT.ivf WIDTHxHEIGHT...          six frames of each size, the first is the
//                                                         largest
//        special_encoder OUT.ivf inactive WIDTHxHEIGHT... the same with inactive parts
//        special_encoder OUT.ivf deep WIDTHxHEIGHT...     the same with 10 bits
//        special_encoder OUT.ivf chroma-422 WIDTHxHEIGHT...
//                                                         the same with 4:2:2; or chroma-440
//        special_encoder OUT.ivf sharp-N WIDTHxHEIGHT...  key frames whose headers have sharpness N
//        special_encoder OUT.ivf regions-WHAT WIDTHxHEIGHT...
//                                                         with regions, see set_regions(); if WHAT
//                                                         has "first", only in frames of the first
//                                                         size
//        special_encoder OUT.ivf layers WIDTHxHEIGHT      three spatial layers, all of them shown
#include <vpx/vp8cx.h>
#include <vpx/vpx_encoder.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kFramesOfASize = 6;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "special_encoder: %s\n", what.c_str());
  std::exit(1);
}

void put(std::string& bytes, std::uint64_t value, int count) {
  for (int index = 0; index < count; ++index) {
    bytes.push_back(static_cast<char>(value >> (8 * index) & 0xff));
  }
}

/// Draws drifting waves, so that vectors are not zero, with some texture.
void draw(vpx_image_t& image, int number) {
  for (unsigned plane = 0; plane < 3; ++plane) {
    const unsigned shift_x = plane > 0 ? image.x_chroma_shift : 0;
    const unsigned shift_y = plane > 0 ? image.y_chroma_shift : 0;
    const unsigned width = (image.d_w + shift_x) >> shift_x;
    const unsigned height = (image.d_h + shift_y) >> shift_y;
    const unsigned drift = 3U * static_cast<unsigned>(number);
    for (unsigned y = 0; y < height; ++y) {
      for (unsigned x = 0; x < width; ++x) {
        // Coordinates are in 256ths of the picture, so that the content stays when the size
        // changes.
        const unsigned u = x * 256 / width + drift;
        const unsigned v = y * 256 / height + drift / 2;
        const unsigned texture = (u * u + v * 7) >> 4 & 15U;
        const unsigned tile = ((u >> 5) ^ (v >> 5)) & 1U;
        const unsigned sample = (u + v) % 128 + 64 * tile + texture;
        std::uint8_t* const row =
            image.planes[plane] + y * static_cast<unsigned>(image.stride[plane]);
        if (image.fmt == VPX_IMG_FMT_I42016) {
          reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(4 * sample + u % 4);
        } else {
          row[x] = static_cast<std::uint8_t>(sample);
        }
      }
    }
  }
}

class IvfFile {
 public:
  IvfFile(const char* path, unsigned width, unsigned height) : file_(path, std::ios::binary) {
    std::string header = "DKIF";
    put(header, 0, 2);
    put(header, 32, 2);
    header += "VP90";
    put(header, width, 2);
    put(header, height, 2);
    put(header, 25, 4);
    put(header, 1, 4);
    put(header, 0, 8);
    file_ << header;
  }
  void write(const void* bytes, std::size_t size) {
    std::string header;
    put(header, size, 4);
    put(header, number_++, 8);
    file_ << header;
    file_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }

 private:
  std::ofstream file_;
  std::uint64_t number_ = 0;
};

struct Size {
  unsigned width = 0;
  unsigned height = 0;
};

Size parse_size(const char* text) {
  Size size;
  if (std::sscanf(text, "%ux%u", &size.width, &size.height) != 2) fail("a size is WIDTHxHEIGHT");
  return size;
}

/// Makes every third square of 32 samples inactive: it is in a segment with skip and without loop
/// filter.
void set_active_map(vpx_codec_ctx_t& codec, const Size& size) {
  vpx_active_map_t map = {};
  map.rows = (size.height + 15) / 16;
  map.cols = (size.width + 15) / 16;
  std::vector<std::uint8_t> active(std::size_t{map.rows} * map.cols);
  for (unsigned row = 0; row < map.rows; ++row) {
    for (unsigned column = 0; column < map.cols; ++column) {
      active[std::size_t{row} * map.cols + column] = (row / 2 + column / 2) % 3 != 0 ? 1 : 0;
    }
  }
  map.active_map = active.data();
  if (vpx_codec_control(&codec, VP8E_SET_ACTIVEMAP, &map) != VPX_CODEC_OK)
    fail("libvpx rejects the map of active parts");
}

/// Assigns diagonal stripes of 24 samples to segments 0 to 3. `what` lists the differences between
/// segments: "filter" (levels on both sides of 32), "quantizer", "skip" and "reference".
/// Segmentation is never switched off.
void set_regions(vpx_codec_ctx_t& codec, const Size& size, const std::string& what) {
  constexpr int kSegments = 4;
  const auto has = [&](const char* name) { return what.find(name) != std::string::npos; };
  vpx_roi_map_t map = {};
  map.enabled = 1;
  map.rows = (size.height + 7) / 8;
  map.cols = (size.width + 7) / 8;
  std::vector<std::uint8_t> segments(std::size_t{map.rows} * map.cols);
  for (unsigned row = 0; row < map.rows; ++row) {
    for (unsigned column = 0; column < map.cols; ++column) {
      segments[std::size_t{row} * map.cols + column] = (row + column) / 3 % kSegments;
    }
  }
  map.roi_map = segments.data();
  std::fill(std::begin(map.ref_frame), std::end(map.ref_frame), -1);
  constexpr int kFilter[kSegments] = {0, -30, 20, 40};
  constexpr int kQuantizer[kSegments] = {0, -20, 12, -5};
  for (int segment = 0; segment < kSegments; ++segment) {
    if (has("filter")) map.delta_lf[segment] = kFilter[segment];
    if (has("quantizer")) map.delta_q[segment] = kQuantizer[segment];
  }
  if (has("skip")) map.skip[2] = 1;
  if (has("reference")) {
    map.ref_frame[1] = 2;  // segment 1 always uses the reference GOLDEN
    map.ref_frame[3] = 1;  // segment 3 always uses the reference LAST
  }
  if (vpx_codec_control(&codec, VP9E_SET_ROI_MAP, &map) != VPX_CODEC_OK)
    fail("libvpx rejects the regions");
}

/// Encodes three spatial layers, each half as large as the next, into one packet.
void set_layers(vpx_codec_ctx_t& codec, vpx_codec_enc_cfg_t& settings) {
  if (vpx_codec_control(&codec, VP9E_SET_SVC, 1) != VPX_CODEC_OK)
    fail("libvpx rejects spatial layers");
  vpx_svc_extra_cfg_t layers = {};
  for (unsigned layer = 0; layer < settings.ss_number_layers; ++layer) {
    layers.max_quantizers[layer] = 56;
    layers.min_quantizers[layer] = 4;
    layers.scaling_factor_num[layer] = 1;
    layers.scaling_factor_den[layer] = 1 << (settings.ss_number_layers - 1 - layer);
  }
  if (vpx_codec_control(&codec, VP9E_SET_SVC_PARAMETERS, &layers) != VPX_CODEC_OK) {
    fail("libvpx rejects the sizes of the layers");
  }
}

/// Writes sharpness_level (VP9 specification, 6.2.8) into the header of a key frame of profile 0
/// without a render size. libvpx filters with sharpness 0, so its references differ from those of a
/// decoder.
void set_sharpness(std::vector<std::uint8_t>& frame, unsigned sharpness) {
  const auto bits_at = [&](unsigned place, unsigned count) {
    unsigned value = 0;
    for (unsigned bit = place; bit < place + count; ++bit) {
      value = 2 * value + (frame.at(bit / 8) >> (7 - bit % 8) & 1U);
    }
    return value;
  };
  constexpr unsigned kFlags = 0, kSync = 8, kRenderSize = 68, kSharpness = 79;
  // These bits are frame marker 2, profile 0, a key frame, shown, not error resilient.
  if (bits_at(kFlags, 8) != 0x82 || bits_at(kSync, 24) != 0x498342 ||
      bits_at(kRenderSize, 1) != 0) {
    fail("the frame is not a key frame of profile 0 without a render size");
  }
  for (unsigned bit = 0; bit < 3; ++bit) {
    const unsigned place = kSharpness + bit;
    const auto mask = static_cast<std::uint8_t>(0x80U >> place % 8);
    frame.at(place / 8) &= static_cast<std::uint8_t>(~mask);
    if ((sharpness >> (2 - bit) & 1U) != 0) frame.at(place / 8) |= mask;
  }
}

void encode(vpx_codec_ctx_t& codec, vpx_image_t* image, int number, unsigned long deadline,
            unsigned sharpness, IvfFile& file) {
  if (vpx_codec_encode(&codec, image, number, 1, 0, deadline) != VPX_CODEC_OK) {
    fail(vpx_codec_error_detail(&codec) != nullptr ? vpx_codec_error_detail(&codec) : "encoding");
  }
  vpx_codec_iter_t iterator = nullptr;
  while (const vpx_codec_cx_pkt_t* packet = vpx_codec_get_cx_data(&codec, &iterator)) {
    if (packet->kind == VPX_CODEC_CX_FRAME_PKT) {
      const auto* const bytes = static_cast<const std::uint8_t*>(packet->data.frame.buf);
      std::vector<std::uint8_t> frame(bytes, bytes + packet->data.frame.sz);
      if (sharpness > 0) set_sharpness(frame, sharpness);
      file.write(frame.data(), frame.size());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc > 2 ? argv[2] : "";
  const bool inactive = kind == "inactive";
  const bool deep = kind == "deep";
  const bool regions = kind.starts_with("regions-");
  const bool first_alone = regions && kind.find("first") != std::string::npos;
  const bool layers = kind == "layers";
  const bool half_width = kind == "chroma-422";
  const bool half_height = kind == "chroma-440";
  unsigned sharpness = 0;
  const bool sharp = std::sscanf(kind.c_str(), "sharp-%u", &sharpness) == 1;
  if (sharpness > 7) fail("the sharpness must be 1 to 7");
  const bool real_time = inactive || regions || layers;
  const bool of_kind = real_time || deep || sharp || half_width || half_height;
  const int first = of_kind ? 3 : 2;
  if (argc <= first) {
    fail(
        "usage: special_encoder OUT.ivf [inactive|deep|chroma-422|chroma-440|sharp-N|regions-WHAT|"
        "layers] "
        "WIDTHxHEIGHT...");
  }
  std::vector<Size> sizes;
  for (int index = first; index < argc; ++index) sizes.push_back(parse_size(argv[index]));
  vpx_codec_enc_cfg_t settings;
  vpx_codec_enc_config_default(vpx_codec_vp9_cx(), &settings, 0);
  settings.g_w = sizes[0].width;
  settings.g_h = sizes[0].height;
  settings.g_lag_in_frames = 0;
  settings.g_pass = VPX_RC_ONE_PASS;
  settings.rc_end_usage = VPX_CBR;
  settings.rc_target_bitrate = 400;
  settings.kf_mode = sharp ? VPX_KF_AUTO : VPX_KF_DISABLED;
  settings.kf_max_dist = 0;
  // Coarse quantiser steps give a frame filter level of about 32, so that the levels of regions are
  // below and above 32.
  if (regions) settings.rc_min_quantizer = 44;
  if (layers) {
    settings.ss_number_layers = 3;
    settings.ts_number_layers = 1;
    for (unsigned layer = 0; layer < 3; ++layer) {
      settings.ss_target_bitrate[layer] = settings.layer_target_bitrate[layer] = 100 << layer;
    }
    settings.rc_target_bitrate = 700;
    settings.g_error_resilient = 1;
  }
  if (deep) {
    settings.g_profile = 2;
    settings.g_bit_depth = VPX_BITS_10;
    settings.g_input_bit_depth = 10;
  }
  if (half_width || half_height) settings.g_profile = 1;
  vpx_codec_ctx_t codec;
  if (vpx_codec_enc_init(&codec, vpx_codec_vp9_cx(), &settings,
                         deep ? VPX_CODEC_USE_HIGHBITDEPTH : 0) != VPX_CODEC_OK) {
    fail("libvpx rejects the settings");
  }
  if (layers) set_layers(codec, settings);
  vpx_codec_control(&codec, VP8E_SET_CPUUSED, real_time ? 6 : 4);
  IvfFile file(argv[1], sizes[0].width, sizes[0].height);
  const unsigned long deadline = real_time ? VPX_DL_REALTIME : VPX_DL_GOOD_QUALITY;
  int number = 0;
  for (const Size& size : sizes) {
    settings.g_w = size.width;
    settings.g_h = size.height;
    if (vpx_codec_enc_config_set(&codec, &settings) != VPX_CODEC_OK) fail("libvpx rejects a size");
    const vpx_img_fmt_t format = deep          ? VPX_IMG_FMT_I42016
                                 : half_width  ? VPX_IMG_FMT_I422
                                 : half_height ? VPX_IMG_FMT_I440
                                               : VPX_IMG_FMT_I420;
    vpx_image_t* const image = vpx_img_alloc(nullptr, format, size.width, size.height, 16);
    if (inactive) set_active_map(codec, size);
    for (int frame = 0; frame < kFramesOfASize; ++frame, ++number) {
      if (regions) set_regions(codec, size, first_alone && &size != &sizes[0] ? "" : kind);
      draw(*image, number);
      encode(codec, image, number, deadline, sharpness, file);
    }
    vpx_img_free(image);
  }
  encode(codec, nullptr, number, deadline, sharpness, file);
  vpx_codec_destroy(&codec);
  return 0;
}
