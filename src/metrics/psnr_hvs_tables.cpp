#include <cassert>

#include "metrics/psnr_hvs.h"

namespace sidecore::metrics {
namespace {

/// Upper triangle of a symmetric 8x8 table of weights, row by row.
using Triangle = std::array<float, 36>;

constexpr std::array<Triangle, 3> kSensitivity = {{
    {1.6193873005F,  2.2901594831F,  2.08509755623F, 1.48366094411F, 1.00227514334F,
     .678296995242F, .466224900598F, .3265091542F,  //
     1.94321815382F, 2.04793073064F, 1.68731108984F, 1.2305666963F,  .868920337363F,
     .61280991668F,  .436405793551F,  //
     1.34329019223F, 1.09205635862F, .875748795257F, .670882927016F, .501731932449F,
     .372504254596F,                                                                  //
     .772819797575F, .605636379554F, .48309405692F,  .380429446972F, .295774038565F,  //
     .448996256676F, .352889268808F, .283006984131F, .226951348204F,                  //
     .27032073436F,  .215017739696F, .17408067321F,                                   //
     .168869545842F, .136153931001F,                                                  //
     .109083846276F},
    {1.91113096927F, 2.46074210438F, 1.18284184739F, 1.14982565193F, 1.05017074788F,
     .898018824055F, .74725392039F,  .615105596242F,  //
     1.58529308355F, 1.21363250036F, 1.38190029285F, 1.33100189972F, 1.17428548929F,
     .996404342439F, .830890433625F,  //
     .978712413627F, 1.02624506078F, 1.03145147362F, .960060382087F, .849823426169F,
     .731221236837F,                                                                  //
     .861317501629F, .801821139099F, .751437590932F, .685398513368F, .608694761374F,  //
     .676555426187F, .605503172737F, .55002013668F,  .495804539034F,                  //
     .514674450957F, .454353482512F, .407050308965F,                                  //
     .389234902883F, .342353999733F,                                                  //
     .295530605237F},
    {2.03871978502F, 2.62502345193F, 1.26180942886F, 1.11019789803F, 1.01397751469F,
     .867069376285F, .721500455585F, .593906509971F,  //
     1.69112867013F, 1.17180569821F, 1.3342742857F,  1.28513006198F, 1.13381474809F,
     .962064122248F, .802254508198F,  //
     .944981930573F, .990876405848F, .995903384143F, .926972725286F, .820534991409F,
     .706020324706F,                                                                  //
     .831632933426F, .77418706195F,  .725539939514F, .661776842059F, .587716619023F,  //
     .653238524286F, .584635025748F, .531064164893F, .478717061273F,                  //
     .496936637883F, .438694579826F, .393021669543F,                                  //
     .375820256136F, .330555063063F,                                                  //
     .285345396658F},
}};

HvsTables expand(const Triangle& triangle) {
  HvsTables tables{};
  std::size_t next = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = row; column < 8; ++column) {
      const float value = triangle[next++];
      const double contrast = static_cast<double>(value) * 0.3885746225901003;
      for (const std::size_t at : {row * 8 + column, column * 8 + row}) {
        tables.sensitivity[at] = value;
        tables.masking[at] = static_cast<float>(contrast * contrast);
      }
    }
  }
  return tables;
}

}  // namespace

const HvsTables& hvs_tables(int plane) {
  assert(plane >= 0 && plane < 3);
  static const std::array<HvsTables, 3> tables = {expand(kSensitivity[0]), expand(kSensitivity[1]),
                                                  expand(kSensitivity[2])};
  return tables[static_cast<std::size_t>(plane)];
}

}  // namespace sidecore::metrics
