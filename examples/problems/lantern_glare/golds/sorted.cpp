#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<long long> b(n);
    for (auto& x : b) scanf("%lld", &x);
    std::sort(b.begin(), b.end());
    long long sum = 0;
    for (int i = 0; i < n; i++) sum += b[i] * i;
    printf("%lld\n", sum);
}
