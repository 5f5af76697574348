#include <cstdio>
int main() {
    int n;
    if (std::scanf("%d", &n) != 1) return 1;
    if (n == 2 || n == 3) return std::puts("none"), 0;
    for (int start = 2; start >= 1; start--)
        for (int i = start; i <= n; i += 2) std::printf("%d ", i);
}
