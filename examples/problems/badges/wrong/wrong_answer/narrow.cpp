// The largest sum does not fit into an int.
#include <algorithm>
#include <cstdio>

int main() {
    int k, m;
    long long s;
    scanf("%d %d %lld", &k, &m, &s);
    int least = (int)((unsigned)k * (k + 1) / 2);
    int room = (int)((unsigned)k * (unsigned)(m - k));
    if (k > m || s < least || s - least > room) {
        puts("none");
        return 0;
    }
    long long left = s - least;
    for (int i = k; i >= 1; i--) {
        long long more = std::min<long long>(left, m - k);
        printf("%lld ", i + more);
        left -= more;
    }
    puts("");
}
