// Greedy by number: the opposite of the first foe that has a team already, and no second look.
#include <cstdio>
#include <string>
#include <vector>

int main() {
    int n, m;
    scanf("%d %d", &n, &m);
    std::vector<std::vector<int>> foes(n + 1);
    while (m--) {
        int a, b;
        scanf("%d %d", &a, &b);
        foes[a].push_back(b);
        foes[b].push_back(a);
    }
    std::string team(n + 1, '?');
    for (int i = 1; i <= n; i++) {
        team[i] = 'A';
        for (int foe : foes[i])
            if (team[foe] != '?') {
                team[i] = team[foe] == 'A' ? 'B' : 'A';
                break;
            }
    }
    printf("teams\n%s\n", team.c_str() + 1);
}
