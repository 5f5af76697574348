// The sum does not fit into an int.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int n;
    scanf("%d", &n);
    std::vector<int> b(n);
    for (auto& x : b) scanf("%d", &x);
    std::sort(b.begin(), b.end());
    unsigned sum = 0;
    for (int i = 0; i < n; i++) sum += (unsigned)b[i] * i;
    printf("%d\n", (int)sum);
}
