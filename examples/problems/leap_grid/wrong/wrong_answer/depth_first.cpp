// Takes the first way that it finds, not the shortest.
#include <cstdio>
#include <string>
#include <vector>

int h, w;
std::vector<std::string> grid;
std::vector<char> seen;
std::string way;
const char* names = "rdluRDLU";
const int dy[] = {0, 1, 0, -1, 0, 2, 0, -2}, dx[] = {1, 0, -1, 0, 2, 0, -2, 0};

bool walk(int y, int x) {
    if (y < 0 || x < 0 || y >= h || x >= w || grid[y][x] == '#' || seen[y * w + x]) return false;
    seen[y * w + x] = 1;
    if (grid[y][x] == 'T') return true;
    for (int k = 0; k < 8; k++) {
        way += names[k];
        if (walk(y + dy[k], x + dx[k])) return true;
        way.pop_back();
    }
    return false;
}

int main() {
    scanf("%d %d", &h, &w);
    seen.assign(h * w, 0);
    int sy = 0, sx = 0;
    for (int y = 0; y < h; y++) {
        static char line[400];
        scanf("%s", line);
        grid.push_back(line);
        for (int x = 0; x < w; x++)
            if (line[x] == 'S') sy = y, sx = x;
    }
    if (walk(sy, sx)) printf("%d\n%s\n", (int)way.size(), way.c_str());
    else puts("none");
}
