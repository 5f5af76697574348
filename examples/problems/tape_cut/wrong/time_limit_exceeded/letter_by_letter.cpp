// Compares each turn of the tape with the first, letter by letter.
#include <iostream>
#include <string>

int main() {
    std::string s;
    std::cin >> s;
    int n = s.size(), period = 1;
    for (; period < n; period++) {
        int i = 0;
        while (i < n && s[(i + period) % n] == s[i]) i++;
        if (i == n) break;
    }
    std::cout << period << "\n";
}
