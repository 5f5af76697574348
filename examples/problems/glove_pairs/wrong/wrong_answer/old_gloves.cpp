// The gloves of the last box are still there.
#include <algorithm>
#include <cstdio>
#include <vector>

std::vector<int> lefts, rights;

int main() {
    int t;
    scanf("%d", &t);
    while (t--) {
        int n, d;
        scanf("%d %d", &n, &d);
        for (int i = 0; i < n; i++) {
            char hand;
            int size;
            scanf(" %c %d", &hand, &size);
            (hand == 'L' ? lefts : rights).push_back(size);
        }
        std::sort(lefts.begin(), lefts.end());
        std::sort(rights.begin(), rights.end());
        size_t i = 0, j = 0;
        int pairs = 0;
        while (i < lefts.size() && j < rights.size()) {
            if (lefts[i] < rights[j] - d) i++;
            else if (rights[j] < lefts[i] - d) j++;
            else pairs++, i++, j++;
        }
        printf("%d\n", pairs);
    }
}
