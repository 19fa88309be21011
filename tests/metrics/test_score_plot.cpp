// The plot draws every output once, in well-formed SVG, for any scores.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/score_plot.h"

namespace sidecore::metrics::test_score_plot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string plot(const std::vector<std::string>& names,
                 const std::vector<std::vector<double>>& pictures,
                 const std::vector<std::size_t>& outputs) {
  ScoreTable table(names);
  for (const std::vector<double>& scores : pictures) table.append(3 * table.pictures(), scores);
  return format_plot(table, outputs, {"a & b <c>", "words"});
}

/// Returns the path data of the first curve.
std::string curve_data(const std::string& svg) {
  const std::size_t data = svg.find("d=\"", svg.find("class=\"curve\"")) + 3;
  return svg.substr(data, svg.find('"', data) - data);
}

TEST(ScorePlot, EveryOutputHasACurveAndAName) {
  const std::string svg = plot({"one", "two", "three"}, {{1, 1.5, 40}, {2, 2.5, 42}}, {2, 1});
  EXPECT_EQ(count(svg, "class=\"curve\""), 3U);
  for (const char* name : {">one<", ">two<", ">three<"}) EXPECT_EQ(count(svg, name), 1U) << name;
  EXPECT_EQ(count(svg, "<g>"), 2U) << "one panel per request";
  EXPECT_EQ(count(svg, "mean 41, min 40 (frame 0)"), 1U);
}

TEST(ScorePlot, OutputsOfOneRequestThatDifferInSizeHavePanelsOfTheirOwn) {
  EXPECT_EQ(count(plot({"ratio", "sum"}, {{0.9, 300}, {0.8, 310}}, {2}), "<g>"), 2U);
  EXPECT_EQ(count(plot({"ratio", "other"}, {{0.9, 0.5}, {0.8, 0.6}}, {2}), "<g>"), 1U);
}

TEST(ScorePlot, WhatIsNotFiniteIsAGapAndIsCounted) {
  const std::string svg = plot({"db"}, {{30}, {31}, {kInfinity}, {32}, {kNan}}, {1});
  EXPECT_EQ(count(svg, "not finite in 2 of 5 frames"), 1U);
  EXPECT_EQ(count(svg, "<circle"), 3U);
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf"), 0U);
  EXPECT_EQ(count(curve_data(svg), "M"), 2U);
}

TEST(ScorePlot, ConstantScoresAndASinglePictureAreDrawn) {
  for (const double score : {0.0, 60.0, -3.5, 1e-12, 1e12, kNan}) {
    const std::string svg = plot({"constant"}, {{score}}, {1});
    EXPECT_EQ(count(svg, "nan"), 0U) << score;
    EXPECT_EQ(count(svg, "class=\"curve\""), 1U) << score;
    EXPECT_NO_THROW((void)plot({"constant"}, {{score}, {score}}, {1}));
  }
}

TEST(ScorePlot, TextIsEscapedAndTagsAreClosed) {
  const std::string svg = plot({"one"}, {{1}, {2}}, {1});
  EXPECT_EQ(count(svg, "a &amp; b &lt;c&gt;"), 2U);
  EXPECT_EQ(count(svg, "<g>"), count(svg, "</g>"));
  EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(ScorePlot, ALongClipKeepsItsWorstPictureAndStaysSmall) {
  std::vector<std::vector<double>> pictures(100000, std::vector<double>{40.0});
  pictures[54321] = {20.0};
  const std::string svg = plot({"long"}, pictures, {1});
  EXPECT_LT(svg.size(), 100000U);
  EXPECT_EQ(count(curve_data(svg), "V"), 1U) << "one place has more than one score";
  EXPECT_EQ(count(svg, "min 20 (frame 162963)"), 1U);
}

TEST(ScorePlot, NoPicturesAreRefused) {
  EXPECT_THROW((void)format_plot(ScoreTable({"none"}), std::vector<std::size_t>{1}, {}), Error);
}

}  // namespace
}  // namespace sidecore::metrics::test_score_plot
