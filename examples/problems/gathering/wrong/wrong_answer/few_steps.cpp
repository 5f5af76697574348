// Twenty steps of bisection leave a whole second or two.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<double> x(n), v(n);
    for (int i = 0; i < n; i++) scanf("%lf %lf", &x[i], &v[i]);
    double low = 0, high = 2e6;
    for (int step = 0; step < 20; step++) {
        double t = (low + high) / 2, from = -1e18, to = 1e18;
        for (int i = 0; i < n; i++) {
            from = std::max(from, x[i] - t * v[i]);
            to = std::min(to, x[i] + t * v[i]);
        }
        (from <= to ? high : low) = t;
    }
    printf("%.9f\n", high);
}
