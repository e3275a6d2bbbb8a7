// A program that is run where it was built finds none of its parts by itself: loaders never look into a build tree.
#pragma once

#include <string>

namespace rl::cli {

// What to do about a missing part, to be put behind the sentence that misses it: "; as this program lies in a build tree, ...". "" if the
// file `program` lies in none.
std::string build_tree_hint(const std::string& program);

}  // namespace rl::cli
