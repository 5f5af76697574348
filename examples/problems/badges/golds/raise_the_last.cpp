#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    long long k, m, s;
    scanf("%lld %lld %lld", &k, &m, &s);
    long long least = k * (k + 1) / 2;
    if (k > m || s < least || s - least > k * (m - k)) {
        puts("none");
        return 0;
    }
    long long left = s - least;
    std::vector<long long> number(k);
    for (long long i = k; i >= 1; i--) {
        long long more = std::min(left, m - k);
        number[i - 1] = i + more;
        left -= more;
    }
    for (auto each : number) printf("%lld ", each);
    puts("");
}
