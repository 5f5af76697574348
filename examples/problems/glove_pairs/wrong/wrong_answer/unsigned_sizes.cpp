// Differences of unsigned numbers are never negative.
#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int t;
    scanf("%d", &t);
    while (t--) {
        unsigned n, d;
        scanf("%u %u", &n, &d);
        std::vector<unsigned> left, right;
        for (unsigned i = 0; i < n; i++) {
            char hand;
            unsigned size;
            scanf(" %c %u", &hand, &size);
            (hand == 'L' ? left : right).push_back(size);
        }
        std::sort(left.begin(), left.end());
        std::sort(right.begin(), right.end());
        size_t i = 0, j = 0;
        int pairs = 0;
        while (i < left.size() && j < right.size()) {
            if (left[i] < right[j] - d) i++;
            else if (right[j] < left[i] - d) j++;
            else pairs++, i++, j++;
        }
        printf("%d\n", pairs);
    }
}
