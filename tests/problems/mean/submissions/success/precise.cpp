#include <cstdio>
#include <iostream>
int main() {
    int n;
    std::cin >> n;
    long double sum = 0, x;
    for (int i = 0; i < n; i++) std::cin >> x, sum += x;
    std::printf("%.10Lf\n", sum / n);
}
