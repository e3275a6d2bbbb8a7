// Keeps state in each of the ways that check_core_state.py must find.
#include <string>

int bump();
int bump() {
    static int calls = 3;
    thread_local int mine = 0;
    static const std::string made_at_first_use = "x";
    return ++calls + ++mine + static_cast<int>(made_at_first_use.size());
}
