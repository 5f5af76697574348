// Raises the numbers one at a time, by one.
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
    std::vector<long long> number(k);
    for (int i = 0; i < k; i++) number[i] = i + 1;
    long long at = k - 1;
    for (long long sum = least; sum < s; sum++) {
        number[at]++;
        at = at == 0 ? k - 1 : at - 1;
    }
    for (auto each : number) printf("%lld ", each);
    puts("");
}
