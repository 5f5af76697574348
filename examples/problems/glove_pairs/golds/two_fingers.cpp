#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    int t;
    scanf("%d", &t);
    while (t--) {
        int n, d;
        scanf("%d %d", &n, &d);
        std::vector<int> left, right;
        for (int i = 0; i < n; i++) {
            char hand;
            int size;
            scanf(" %c %d", &hand, &size);
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
