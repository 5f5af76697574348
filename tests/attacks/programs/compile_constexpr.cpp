// attack: makes the compiler compute for ever in a constant expression, each call within the step limit.
// defence: the compiler's step limit, and the limits of its own run
// levels: full rootless landlock
// expect: compile_error

constexpr unsigned long long burn(unsigned long long n) {
    unsigned long long sum = n;
    for (int i = 0; i < 200000; i++) sum = sum * 6364136223846793005ULL + 1;
    return sum;
}
template <int n> struct Burn {
    static constexpr unsigned long long value = burn(n) ^ Burn<n - 1>::value;
};
template <> struct Burn<0> {
    static constexpr unsigned long long value = 0;
};

static_assert(Burn<800>::value + Burn<850>::value == 1, "never reached in time");

int main() { return 0; }
