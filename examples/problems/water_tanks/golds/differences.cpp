#include <cstdio>
#include <vector>

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    std::vector<long long> step(n + 2, 0);
    while (m--) {
        int l, r;
        long long v;
        scanf("%d %d %lld", &l, &r, &v);
        step[l] += v;
        step[r + 1] -= v;
    }
    long long level = step[1], best = level;
    int at = 1;
    for (int i = 2; i <= n; i++) {
        level += step[i];
        if (level > best) best = level, at = i;
    }
    printf("%lld %d\n", best, at);
}
