#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    long long a, p, b, q;
    scanf("%d %lld %lld %lld %lld", &n, &a, &p, &b, &q);
    std::vector<long long> x(n);
    for (auto& each : x) scanf("%lld", &each);
    std::sort(x.begin(), x.end());
    std::vector<long long> best(n + 1, 0);
    for (int i = n - 1; i >= 0; i--) {
        auto after_a = std::upper_bound(x.begin(), x.end(), x[i] + a) - x.begin();
        auto after_b = std::upper_bound(x.begin(), x.end(), x[i] + b) - x.begin();
        best[i] = std::min(best[after_a] + p, best[after_b] + q);
    }
    printf("%lld\n", best[0]);
}
