// Divides whole numbers.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<int> x(n), v(n);
    for (int i = 0; i < n; i++) scanf("%d %d", &x[i], &v[i]);
    double best = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) best = std::max(best, (double)(abs(x[i] - x[j]) / (v[i] + v[j])));
    printf("%.9f\n", best);
}
