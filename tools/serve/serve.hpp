// The command `ringload serve`: the bundled target. It shares no code with core or the backends, so that no bug can hide.
#pragma once

namespace rl::serve {

// Runs until a signal or --for ends it. Returns the exit code: 0 after a clean end, 2 if it could not begin. argv[0] is a name.
int serve_main(int argc, char** argv);

}  // namespace rl::serve
