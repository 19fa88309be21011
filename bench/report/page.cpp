#include "report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "report/html.h"
#include "report/page_parts.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

struct Section {
  const char* id;
  const char* title;
  std::string (*make)(const Inputs&);
};

constexpr std::array kSections{Section{"overview", "At a glance", overview_section},
                               Section{"verdicts", "Does the GPU pay?", verdict_section},
                               Section{"split", "CPU and GPU split", split_section},
                               Section{"boards", "Boards beside the model", boards_section},
                               Section{"kernels", "Kernels", gate_section},
                               Section{"models", "Modelled, not measured", model_section},
                               Section{"dispatch", "Dispatch cost", dispatch_section},
                               Section{"roofline", "Roofline", roofline_section},
                               Section{"shaders", "Shaders", shaderdb_section},
                               Section{"metrics", "Picture quality", metrics_section},
                               Section{"files", "Files and boards", environment_section}};

/// HTML head of the page. Its content security policy forbids all network access.
constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>sidecore "
    "report</title>\n<style>\n";

}  // namespace

std::string to_html(const Inputs& inputs, const std::string& version,
                    const std::vector<std::string>& command) {
  std::string navigation;
  std::string sections;
  for (const Section& section : kSections) {
    const std::string html = section.make(inputs);
    if (html.empty()) continue;
    navigation += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, section.title);
    sections += html;
  }
  std::string page = kHead;
  page += style_sheet();
  page += "</style>\n</head>\n<body>\n<header><h1>sidecore report</h1>\n<nav><ul>\n" + navigation +
          "</ul></nav></header>\n";
  page += "<noscript>" +
          paragraph("Charts need JavaScript; every figure is in a table as well.", "quiet") +
          "</noscript>\n<main>\n";
  page +=
      sections + "</main>\n<footer>" +
      paragraph(fmt::format("Made by sidecore {}: {}", version, fmt::join(command, " ")), "quiet") +
      "</footer>\n<script>";
  page += d3_script();
  page += "</script>\n<script>\n";
  page += chart_script();
  return page + "</script>\n</body>\n</html>\n";
}

}  // namespace sidecore::report
