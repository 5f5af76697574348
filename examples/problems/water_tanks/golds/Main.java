import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        int n = next(in), m = next(in);
        TreeMap<Integer, Long> steps = new TreeMap<>();  // only where the level changes
        steps.put(1, 0L);
        for (int i = 0; i < m; i++) {
            int l = next(in), r = next(in);
            long v = next(in);
            steps.merge(l, v, Long::sum);
            steps.merge(r + 1, -v, Long::sum);
        }
        long level = 0, best = Long.MIN_VALUE;
        int at = 0;
        for (Map.Entry<Integer, Long> step : steps.entrySet()) {
            if (step.getKey() > n) break;
            level += step.getValue();
            if (level > best) {
                best = level;
                at = step.getKey();
            }
        }
        System.out.println(best + " " + at);
    }

    static int next(StreamTokenizer in) throws IOException {
        in.nextToken();
        return (int) in.nval;
    }
}
