// Greedy: each left glove takes the largest right one that fits.
#include <cstdio>
#include <algorithm>
#include <set>
#include <vector>

int main() {
    int t;
    scanf("%d", &t);
    while (t--) {
        int n, d;
        scanf("%d %d", &n, &d);
        std::vector<int> left;
        std::multiset<int> right;
        for (int i = 0; i < n; i++) {
            char hand;
            int size;
            scanf(" %c %d", &hand, &size);
            if (hand == 'L') left.push_back(size);
            else right.insert(size);
        }
        std::sort(left.begin(), left.end());
        int pairs = 0;
        for (int size : left) {
            auto it = right.upper_bound(size + d);
            if (it == right.begin()) continue;
            --it;
            if (*it >= size - d) right.erase(it), pairs++;
        }
        printf("%d\n", pairs);
    }
}
