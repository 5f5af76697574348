// Takes the nodes by falling number, as if parents always had the smaller one.
#include <cstdio>
#include <map>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<int> parent(n + 1, 0), colour(n + 1), answer(n + 1);
    for (int i = 2; i <= n; i++) scanf("%d", &parent[i]);
    for (int i = 1; i <= n; i++) scanf("%d", &colour[i]);
    std::vector<std::map<int, int>> counts(n + 1);
    for (int i = n; i >= 1; i--) {
        answer[i] = counts[i][colour[i]]++;
        auto& above = counts[parent[i]];
        if (above.size() < counts[i].size()) above.swap(counts[i]);
        for (auto& [key, count] : counts[i]) above[key] += count;
        counts[i].clear();
    }
    for (int i = 1; i <= n; i++) printf("%d ", answer[i]);
    puts("");
}
