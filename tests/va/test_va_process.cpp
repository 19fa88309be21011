// Tests that the VA-API driver does not change its player's process.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "environment_variable.h"
#include "process_state.h"
#include "va/player.h"

namespace sidecore {
namespace {

using test::Bytes;
using test::OpenDisplay;
using test::Player;
using test::ProcessState;
using Variable = test::EnvironmentVariable;

TEST(VaProcess, ADisplayLeavesItAsItIs) {
  const Variable threads("SIDECORE_THREADS", "3");
  for (const char* const plan : {"neon", "qpu"}) {
    SCOPED_TRACE(plan);
    const Variable variable("SIDECORE_PLAN", plan);
    const Variable device("SIDECORE_DEVICE", "cpu");
    // Opens a first display, because libva then allocates memory that it keeps, and sets the
    // environment variable of the driver's folder.
    { const OpenDisplay first; }
    const ProcessState before;
    {
      OpenDisplay display;
      before.expect_unchanged_while_used();
      Player player(display);
      std::vector<Bytes> frames = test::frames_of("size-66x66");
      player.decode_all(frames);
      before.expect_unchanged_while_used();
      EXPECT_GT(before.new_threads(), 0U);
      frames[1].resize(20);
      (void)player.decode(frames[1]);
      before.expect_unchanged_while_used();
      EXPECT_FALSE(player.checksums().empty());
    }
    before.expect_unchanged();
  }
}

}  // namespace
}  // namespace sidecore
