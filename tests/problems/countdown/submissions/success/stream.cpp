#include <iostream>
int main() {
    int n;
    std::cin >> n;
    for (; n; n--) std::cout << n << '\n';
}
