// Fills each tank of each order: in C++ no better.
#include <cstdio>
#include <vector>

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    std::vector<long long> level(n + 1, 0);
    while (m--) {
        int l, r;
        long long v;
        scanf("%d %d %lld", &l, &r, &v);
        for (int i = l; i <= r; i++) level[i] += v;
    }
    int at = 1;
    for (int i = 2; i <= n; i++)
        if (level[i] > level[at]) at = i;
    printf("%lld %d\n", level[at], at);
}
