// Keeps none, and looks as if: constants with addresses in them, and virtual functions.
#include <array>
#include <string_view>

struct Shape {
    virtual ~Shape();
    virtual int sides() const;
};
Shape::~Shape() = default;
int Shape::sides() const { return 4; }

constexpr std::array<std::string_view, 2> kWords = {"one", "two"};
static constexpr const char* kTexts[] = {"three", "four"};
const char* const* texts();
const char* const* texts() { return kWords.size() > 1 ? kTexts : nullptr; }
