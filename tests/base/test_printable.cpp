// Tests that text of input files becomes safe for a terminal.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/printable.h"

namespace sidecore::test_printable {
namespace {

using namespace std::string_view_literals;

TEST(Printable, WhatTerminalsShowStays) {
  for (const std::string_view text :
       {""sv, "W4 H2"sv, "a\\b 'c' \"d\" %s {}"sv, "Größe, 画, 🎬, \u00a0, \u200b"sv}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ControlCharactersAreNamed) {
  EXPECT_EQ(printable("a\r\nb\tc"), "a\\r\\nb\\tc");
  EXPECT_EQ(printable("\x1b]0;title\x07\x1b[2J\x7f"), "\\x1b]0;title\\x07\\x1b[2J\\x7f");
  EXPECT_EQ(printable("a\0b"sv), "a\\x00b");
  EXPECT_EQ(printable("\u0085\u009b31m"), "\\u{0085}\\u{009b}31m") << "C1, as UTF-8";
  EXPECT_EQ(printable("\u202egnp.exe\u2066\u200f"), "\\u{202e}gnp.exe\\u{2066}\\u{200f}");
  EXPECT_EQ(printable("\u2028"), "\\u{2028}");
}

TEST(Printable, BytesThatAreNoUtf8AreNamed) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m")
      << "C1, as a byte";
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xf0\x9f\x8e"), "\\xf0\\x9f\\x8e");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "an overlong encoding";
  EXPECT_EQ(printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc3\n"), "\\xc3\\n");
}

TEST(Printable, EveryByteAloneBecomesAscii) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = printable(std::string(1, static_cast<char>(byte)));
    for (const char letter : text) {
      EXPECT_GE(letter, ' ') << byte;
      EXPECT_LE(letter, '~') << byte;
    }
    EXPECT_EQ(printable(text), text) << "a second call changes nothing";
  }
}

TEST(Printable, LineEndsStayWhereTheyAreKept) {
  EXPECT_EQ(printable("a\nb\r\n\x1b", LineEnds::kept), "a\nb\\r\n\\x1b");
}

}  // namespace
}  // namespace sidecore::test_printable
