// Counts the node itself.
#include <cstdio>
#include <functional>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<std::vector<int>> below(n + 1);
    for (int i = 2; i <= n; i++) {
        int parent;
        scanf("%d", &parent);
        below[parent].push_back(i);
    }
    std::vector<int> colour(n + 1), seen(n + 1, 0), answer(n + 1);
    for (int i = 1; i <= n; i++) scanf("%d", &colour[i]);
    std::function<void(int)> walk = [&](int at) {
        int before = seen[colour[at]]++;
        for (int child : below[at]) walk(child);
        answer[at] = seen[colour[at]] - before;
    };
    walk(1);
    for (int i = 1; i <= n; i++) printf("%d ", answer[i]);
    puts("");
}
