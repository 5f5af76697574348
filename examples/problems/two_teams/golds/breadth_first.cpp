#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    std::vector<std::vector<int>> foes(n + 1);
    while (m--) {
        int a, b;
        scanf("%d %d", &a, &b);
        foes[a].push_back(b);
        foes[b].push_back(a);
    }
    std::vector<int> depth(n + 1, -1), above(n + 1, 0);
    for (int root = 1; root <= n; root++) {
        if (depth[root] >= 0) continue;
        depth[root] = 0;
        std::vector<int> queue{root};
        for (size_t i = 0; i < queue.size(); i++) {
            int a = queue[i];
            for (int b : foes[a]) {
                if (depth[b] < 0) {
                    depth[b] = depth[a] + 1;
                    above[b] = a;
                    queue.push_back(b);
                } else if (depth[b] == depth[a]) {
                    std::vector<int> left{a}, right{b};
                    while (left.back() != right.back()) {
                        left.push_back(above[left.back()]);
                        right.push_back(above[right.back()]);
                    }
                    right.pop_back();
                    left.insert(left.end(), right.rbegin(), right.rend());
                    printf("quarrel\n%d\n", (int)left.size());
                    for (int player : left) printf("%d ", player);
                    puts("");
                    return 0;
                }
            }
        }
    }
    std::string teams;
    for (int i = 1; i <= n; i++) teams += "AB"[depth[i] % 2];
    printf("teams\n%s\n", teams.c_str());
}
