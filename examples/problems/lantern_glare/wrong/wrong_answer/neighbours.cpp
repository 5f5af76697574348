// Only lanterns that stand side by side count as pairs.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<long long> b(n);
    for (auto& x : b) scanf("%lld", &x);
    long long sum = 0;
    for (int i = 1; i < n; i++) sum += std::max(b[i - 1], b[i]);
    printf("%lld\n", sum);
}
