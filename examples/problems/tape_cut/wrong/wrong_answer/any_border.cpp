// A period that does not divide the length is no period of the ring.
#include <iostream>
#include <string>
#include <vector>

int main() {
    std::string s;
    std::cin >> s;
    int n = s.size();
    std::vector<int> border(n + 1, -1);
    for (int i = 0; i < n; i++) {
        int b = border[i];
        while (b >= 0 && s[b] != s[i]) b = border[b];
        border[i + 1] = b + 1;
    }
    std::cout << n - border[n] << "\n";
}
