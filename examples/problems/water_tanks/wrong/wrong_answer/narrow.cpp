// Levels do not fit into an int.
#include <cstdio>
#include <vector>

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    std::vector<unsigned> step(n + 2, 0);
    while (m--) {
        int l, r, v;
        scanf("%d %d %d", &l, &r, &v);
        step[l] += v;
        step[r + 1] -= v;
    }
    unsigned sum = 0;
    int best = 0, at = 0;
    for (int i = 1; i <= n; i++) {
        sum += step[i];
        int level = (int)sum;
        if (at == 0 || level > best) best = level, at = i;
    }
    printf("%d %d\n", best, at);
}
