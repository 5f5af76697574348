use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let s = line.trim().as_bytes();
    let n = s.len();
    // z[i]: how long the text from i on is like the beginning
    let mut z = vec![0usize; n];
    let (mut left, mut right) = (0, 0);
    for i in 1..n {
        if i < right {
            z[i] = z[i - left].min(right - i);
        }
        while i + z[i] < n && s[z[i]] == s[i + z[i]] {
            z[i] += 1;
        }
        if i + z[i] > right {
            left = i;
            right = i + z[i];
        }
    }
    let period = (1..n).find(|&p| n % p == 0 && p + z[p] == n).unwrap_or(n);
    println!("{}", period);
}
