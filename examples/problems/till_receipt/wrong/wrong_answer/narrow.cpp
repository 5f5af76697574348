// The price of a line does not fit into an int.
#include <cstdio>

int main() {
    int n;
    scanf("%d", &n);
    long long sum = 0;
    while (n--) {
        unsigned q, euros, cents, rate;
        scanf("%u %u.%u %u", &q, &euros, &cents, &rate);
        unsigned price = 100 * euros + cents;
        sum += (int)(q * (price + (price * rate + 500) / 1000));
    }
    printf("%lld.%02lld\n", sum / 100, sum % 100);
}
