// Forgets that there may be fewer numbers than badges.
#include <algorithm>
#include <cstdio>

int main() {
    long long k, m, s;
    scanf("%lld %lld %lld", &k, &m, &s);
    long long least = k * (k + 1) / 2, most = k * m - k * (k - 1) / 2;
    if (s < std::min(least, most) || s > std::max(least, most)) {
        puts("none");
        return 0;
    }
    long long left = s - least;
    for (long long i = k; i >= 1; i--) {
        long long more = std::min(left, std::max(0LL, m - k));
        printf("%lld ", i + more);
        left -= more;
    }
    puts("");
}
