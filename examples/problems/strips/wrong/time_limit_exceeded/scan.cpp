// Looks for the end of each strip one screw at a time.
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
        int after_a = i, after_b = i;
        while (after_a < n && x[after_a] <= x[i] + a) after_a++;
        while (after_b < n && x[after_b] <= x[i] + b) after_b++;
        best[i] = std::min(best[after_a] + p, best[after_b] + q);
    }
    printf("%lld\n", best[0]);
}
