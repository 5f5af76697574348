#include <algorithm>
#include <iostream>
#include <vector>
int main() {
    int n;
    std::cin >> n;
    std::vector<std::pair<int, int>> all(n);
    for (auto &each : all) std::cin >> each.first >> each.second;
    std::sort(all.rbegin(), all.rend());
    std::vector<int> points;
    for (auto &each : all)
        if (points.empty() || points.back() > each.second) points.push_back(each.first);
    std::cout << points.size();
    for (int point : points) std::cout << ' ' << point;
}
