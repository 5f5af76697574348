// The loop ends before the half.
#include <iostream>
#include <string>

int main() {
    std::string s;
    std::cin >> s;
    int n = s.size();
    for (int period = 1; period < n / 2; period++)
        if (n % period == 0 && s.compare(period, n - period, s, 0, n - period) == 0) {
            std::cout << period << "\n";
            return 0;
        }
    std::cout << n << "\n";
}
