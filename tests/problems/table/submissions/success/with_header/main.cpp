#include <iostream>

#include "cell.h"

int main() {
    int n;
    std::cin >> n;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) std::cout << cell(i, j) << (j == n ? "\n" : "\t");
}
