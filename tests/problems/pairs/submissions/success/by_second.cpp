#include <iostream>
#include <string>
#include <vector>
int main() {
    int n;
    std::cin >> n;
    std::vector<std::string> words(n);
    for (auto &word : words) std::cin >> word;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) std::cout << words[i] << ' ' << words[j] << '\n';
}
