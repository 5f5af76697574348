// Adds up the whole numbers on stdin.
#include <iostream>

int main() {
    long long total = 0;
    for (long long number; std::cin >> number;) total += number;
    std::cout << total << "\n";
}
