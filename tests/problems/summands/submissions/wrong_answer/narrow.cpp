#include <iostream>
int main() {
    int n = 0;
    std::cin >> n;
    std::cout << 1 << ' ' << n - 1 << '\n';
}
