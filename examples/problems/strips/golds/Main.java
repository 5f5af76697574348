import java.io.*;
import java.util.*;

public class Main {
    public static void main(String[] args) throws IOException {
        StreamTokenizer in = new StreamTokenizer(new BufferedReader(new InputStreamReader(System.in)));
        int n = (int) next(in);
        long a = next(in), p = next(in), b = next(in), q = next(in);
        long[] x = new long[n];
        for (int i = 0; i < n; i++) x[i] = next(in);
        Arrays.sort(x);
        long[] best = new long[n + 1];
        Arrays.fill(best, Long.MAX_VALUE);
        best[0] = 0;
        int i = 0, j = 0;
        for (int first = 0; first < n; first++) {
            while (i < n && x[i] <= x[first] + a) i++;
            while (j < n && x[j] <= x[first] + b) j++;
            best[i] = Math.min(best[i], best[first] + p);
            best[j] = Math.min(best[j], best[first] + q);
            // a strip for this screw alone: so that every count of screws has a price
            best[first + 1] = Math.min(best[first + 1], best[first] + Math.min(p, q));
        }
        System.out.println(best[n]);
    }

    static long next(StreamTokenizer in) throws IOException {
        in.nextToken();
        return (long) in.nval;
    }
}
