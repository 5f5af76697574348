// Prints the way from the goal to the start.
#include <cstdio>
#include <string>
#include <vector>

int main() {
    int h, w;
    scanf("%d %d", &h, &w);
    std::vector<std::string> grid(h);
    static char line[400];
    int start = 0, goal = 0;
    for (int y = 0; y < h; y++) {
        scanf("%s", line);
        grid[y] = line;
        for (int x = 0; x < w; x++) {
            if (grid[y][x] == 'S') start = y * w + x;
            if (grid[y][x] == 'T') goal = y * w + x;
        }
    }
    const char* names = "udlrUDLR";
    const int dy[] = {-1, 1, 0, 0, -2, 2, 0, 0}, dx[] = {0, 0, -1, 1, 0, 0, -2, 2};
    std::vector<int> from(h * w, -1), queue{start};
    from[start] = 8;
    for (size_t i = 0; i < queue.size(); i++) {
        int y = queue[i] / w, x = queue[i] % w;
        for (int k = 0; k < 8; k++) {
            int v = y + dy[k], u = x + dx[k];
            if (v < 0 || u < 0 || v >= h || u >= w || grid[v][u] == '#' || from[v * w + u] >= 0) continue;
            from[v * w + u] = k;
            queue.push_back(v * w + u);
        }
    }
    if (from[goal] < 0) {
        puts("none");
        return 0;
    }
    std::string way;
    for (int at = goal; at != start;) {
        int k = from[at];
        way += names[k];
        at -= dy[k] * w + dx[k];
    }
    printf("%d\n%s\n", (int)way.size(), way.c_str());
}
