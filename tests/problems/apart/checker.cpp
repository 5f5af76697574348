#include <vector>

#include "reading.h"

int main(int argc, char **argv) {
    if (argc != 4) quit(3, "expected three files");
    std::ifstream in(argv[1]), out(argv[2]), answer(argv[3]);
    long long n = number(in, "n");
    std::string expected, first;
    answer >> expected;
    if (!(out >> first)) quit(2, "nothing was printed");
    if (first == "none") quit(expected == "none" ? 0 : 1, "none");
    if (expected == "none") quit(1, "there is no such order");
    out.close();
    out.open(argv[2]);
    std::vector<bool> seen(n + 1);
    long long before = -5;
    for (long long i = 0; i < n; i++) {
        long long value = number(out, "one of the order");
        if (value < 1 || value > n || seen[value]) quit(1, "not an order of 1 to n: " + std::to_string(value));
        if (value - before == 1 || before - value == 1) quit(1, "neighbours: " + std::to_string(value));
        seen[value] = true;
        before = value;
    }
    if (out >> first) quit(2, "more than n numbers");
    quit(0, "fine");
}
