use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let v: Vec<i64> = text.split_whitespace().map(|w| w.parse().unwrap()).collect();
    let (k, m, s) = (v[0], v[1], v[2]);
    let least = k * (k + 1) / 2;
    let most = if k <= m { least + k * (m - k) } else { 0 };
    if s < least || s > most {
        println!("none");
        return;
    }
    let mut over = most - s;
    let mut out = String::new();
    for i in 0..k {
        let less = over.min(m - k);
        over -= less;
        out.push_str(&(m - k + 1 + i - less).to_string());
        out.push('\n');
    }
    io::stdout().write_all(out.replace('\n', " ").as_bytes()).unwrap();
    println!();
}
