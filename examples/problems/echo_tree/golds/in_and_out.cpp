#include <cstdio>
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
    std::vector<int> colour(n + 1), seen(n + 1, 0), answer(n + 1), next(n + 1, 0), stack{1};
    for (int i = 1; i <= n; i++) scanf("%d", &colour[i]);
    answer[1] = ++seen[colour[1]];
    while (!stack.empty()) {
        int at = stack.back();
        if (next[at] < (int)below[at].size()) {
            int child = below[at][next[at]++];
            answer[child] = ++seen[colour[child]];
            stack.push_back(child);
        } else {
            answer[at] = seen[colour[at]] - answer[at];
            stack.pop_back();
        }
    }
    for (int i = 1; i <= n; i++) printf("%d ", answer[i]);
    puts("");
}
