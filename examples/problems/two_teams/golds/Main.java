import java.io.*;
import java.util.*;

public class Main {
    static int[] above, depth;

    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        int n = next(in), m = next(in);
        int[] head = new int[n + 1], link = new int[2 * m], to = new int[2 * m];
        Arrays.fill(head, -1);
        for (int i = 0; i < m; i++) {
            int a = next(in), b = next(in);
            to[2 * i] = b;
            link[2 * i] = head[a];
            head[a] = 2 * i;
            to[2 * i + 1] = a;
            link[2 * i + 1] = head[b];
            head[b] = 2 * i + 1;
        }
        above = new int[n + 1];
        depth = new int[n + 1];
        int[] queue = new int[n];
        int filled = 0;
        for (int root = n; root >= 1; root--) {
            if (depth[root] != 0) continue;
            depth[root] = 1;
            queue[filled++] = root;
            for (int i = filled - 1; i < filled; i++) {
                int a = queue[i];
                for (int e = head[a]; e >= 0; e = link[e]) {
                    int b = to[e];
                    if (depth[b] == 0) {
                        depth[b] = depth[a] + 1;
                        above[b] = a;
                        queue[filled++] = b;
                    } else if (depth[a] % 2 == depth[b] % 2) {
                        ring(a, b);
                        return;
                    }
                }
            }
        }
        StringBuilder out = new StringBuilder("teams\n");
        for (int i = 1; i <= n; i++) out.append(depth[i] % 2 == 1 ? 'A' : 'B');
        System.out.println(out);
    }

    static void ring(int a, int b) {
        Deque<Integer> ring = new ArrayDeque<>();
        while (a != b) {
            if (depth[a] >= depth[b]) {
                ring.addFirst(a);
                a = above[a];
            } else {
                ring.addLast(b);
                b = above[b];
            }
        }
        ring.addFirst(a);
        // a, then down to one end of the quarrel; over to the other, and up again
        StringBuilder out = new StringBuilder("quarrel\n" + ring.size() + "\n");
        for (int player : ring) out.append(player).append(' ');
        System.out.println(out);
    }

    static int next(StreamTokenizer in) throws IOException {
        in.nextToken();
        return (int) in.nval;
    }
}
