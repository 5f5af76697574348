public class Thrower {
    public static void main(String[] args) {
        throw new IllegalStateException("on purpose");
    }
}
