// attack: a template that recurses without end.
// defence: the compiler's depth limit, and the limits of its own run
// levels: full rootless landlock
// expect: compile_error

template <class T> struct Deeper {
    using type = typename Deeper<Deeper<T>>::type;
};

int main() { return sizeof(Deeper<int>::type); }
