#include <cstdio>
int main() {
    int n;
    if (std::scanf("%d", &n) != 1) return 1;
    for (unsigned i = n; ; i--) std::printf("%u\n", i);
}
