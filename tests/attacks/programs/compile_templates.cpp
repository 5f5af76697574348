// attack: templates that instantiate two of themselves at each step, two to the eight hundredth in all.
// defence: limits of the compiler's own run
// levels: full rootless landlock
// expect: compile_error

template <int depth, unsigned long long path> struct Tree {
    static constexpr int value = Tree<depth - 1, path * 2>::value + Tree<depth - 1, path * 2 + 1>::value;
};
template <unsigned long long path> struct Tree<0, path> {
    static constexpr int value = 1;
};

int main() { return Tree<800, 1>::value; }
