#include <cstdio>

int main() {
    int n;
    scanf("%d", &n);
    long long sum = 0;
    while (n--) {
        long long q, euros, cents, rate;
        scanf("%lld %lld.%lld %lld", &q, &euros, &cents, &rate);
        long long price = 100 * euros + cents;
        sum += q * (price + (price * rate + 500) / 1000);
    }
    printf("%lld.%02lld\n", sum / 100, sum % 100);
}
