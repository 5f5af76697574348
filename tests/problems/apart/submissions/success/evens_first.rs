use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    let n: u32 = line.trim().parse().unwrap();
    if n == 2 || n == 3 {
        println!("none");
        return;
    }
    let order: Vec<String> = (1..=n).filter(|i| i % 2 == 0).chain((1..=n).filter(|i| i % 2 == 1)).map(|i| i.to_string()).collect();
    println!("{}", order.join(" "));
}
