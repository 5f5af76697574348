// From each node up to the root.
#include <cstdio>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<int> parent(n + 1, 0), colour(n + 1), answer(n + 1, 0);
    for (int i = 2; i <= n; i++) scanf("%d", &parent[i]);
    for (int i = 1; i <= n; i++) scanf("%d", &colour[i]);
    for (int i = 1; i <= n; i++)
        for (int up = parent[i]; up; up = parent[up]) answer[up] += colour[up] == colour[i];
    for (int i = 1; i <= n; i++) printf("%d ", answer[i]);
    puts("");
}
