//! Megabytes a second of folding and of the search for encodings, on a file.
//!
//! `cargo run --release --example fold_speed -- FILE`

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use ringfence_guard::{Budget, View, decode, fold};

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        let view = View::plain(&text, 0);
        let rate = |run: &dyn Fn()| {
            let best = (0..5).map(|_| {
                let start = Instant::now();
                run();
                start.elapsed()
            });
            text.len() as f64 / 1e6 / best.min().map_or(1.0, |t| t.as_secs_f64())
        };
        let folding = rate(&|| drop(black_box(fold(&view))));
        let search = rate(&|| drop(black_box(decode(&view, &mut Budget::for_input(text.len())))));
        println!("{path}: {} bytes, fold {folding:.0} MB/s, decode {search:.0} MB/s", text.len());
    }
    Ok(())
}
