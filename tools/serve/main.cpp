// The target as a program of its own, for the build tree only.
#include "tools/serve/serve.hpp"

int main(int argc, char** argv) { return rl::serve::serve_main(argc, argv); }
