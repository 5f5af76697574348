// Goes over all pairs as long as that finds a team for somebody.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    std::vector<std::pair<int, int>> pairs(m);
    for (auto& [a, b] : pairs) scanf("%d %d", &a, &b);
    std::vector<int> depth(n + 1, -1), above(n + 1, 0);
    for (int root = 1; root <= n; root++) {
        if (depth[root] >= 0) continue;
        depth[root] = 0;
        for (bool found = true; found;) {
            found = false;
            for (auto [a, b] : pairs) {
                if (depth[a] < 0) std::swap(a, b);
                if (depth[a] >= 0 && depth[b] < 0) {
                    depth[b] = depth[a] + 1;
                    above[b] = a;
                    found = true;
                }
            }
        }
    }
    for (auto [a, b] : pairs) {
        if (depth[a] % 2 != depth[b] % 2) continue;
        std::vector<int> left{a}, right{b};
        while (left.back() != right.back())
            if (depth[left.back()] >= depth[right.back()]) left.push_back(above[left.back()]);
            else right.push_back(above[right.back()]);
        right.pop_back();
        left.insert(left.end(), right.rbegin(), right.rend());
        printf("quarrel\n%d\n", (int)left.size());
        for (int player : left) printf("%d ", player);
        puts("");
        return 0;
    }
    std::string teams;
    for (int i = 1; i <= n; i++) teams += "AB"[depth[i] % 2];
    printf("teams\n%s\n", teams.c_str());
}
