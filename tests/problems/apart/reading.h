// What the checker reads with: a number, or a reason to end.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

[[noreturn]] inline void quit(int code, const std::string &why) {
    std::cerr << why << std::endl;
    std::exit(code);
}

inline long long number(std::istream &from, const char *what) {
    long long value;
    if (!(from >> value)) quit(2, std::string("expected a number: ") + what);
    return value;
}
