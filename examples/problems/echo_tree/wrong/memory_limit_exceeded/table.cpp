// A counter for each node and colour.
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
    std::vector<int> colour(n + 1), order{1};
    for (int i = 1; i <= n; i++) scanf("%d", &colour[i]);
    for (size_t i = 0; i < order.size(); i++)
        for (int child : below[order[i]]) order.push_back(child);
    std::vector<std::vector<int>> counts(n + 1, std::vector<int>(n + 1, 0));
    std::vector<int> answer(n + 1);
    for (int i = n - 1; i >= 0; i--) {
        int node = order[i];
        for (int child : below[node])
            for (int c = 1; c <= n; c++) counts[node][c] += counts[child][c];
        answer[node] = counts[node][colour[node]]++;
    }
    for (int i = 1; i <= n; i++) printf("%d ", answer[i]);
    puts("");
}
