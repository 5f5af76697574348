/* Adds up the whole numbers on stdin. */
#include <stdio.h>

int main(void) {
    long long total = 0, number;
    while (scanf("%lld", &number) == 1) total += number;
    printf("%lld\n", total);
    return 0;
}
