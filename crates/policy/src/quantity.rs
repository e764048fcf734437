//! Amounts with units: bytes, durations, counts and fractions. Whole numbers inside, so that what is
//! hashed never depends on how a float prints.

use crate::node::Node;
use crate::read::{Reader, clip, parse_integer};
use crate::strictness::Quantity;
use serde_json::{Value as Json, json};
use std::fmt;

/// A number of bytes, written `2GiB`, `512MiB` or as a bare number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A time span in milliseconds, written `500ms`, `30s`, `10m`, `2h` or `180d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub u64);

/// A number of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

/// A fraction from 0 to 1 in thousandths, written `0.85`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PerMille(pub u64);

/// The largest whole number that every JSON reader keeps exact.
const MOST: u64 = (1 << 53) - 1;

const SIZES: &[(&str, u64)] = &[("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
const DECIMAL_SIZES: &[(&str, u64)] =
    &[("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
const TIMES: &[(&str, u64)] = &[("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// `12GiB` → 12 × 2³⁰, by the first table that has the unit.
fn with_unit(text: &str, tables: &[&[(&str, u64)]]) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '_')?;
    let (number, unit) = text.split_at_checked(split)?;
    let factor = tables.iter().flat_map(|t| t.iter()).find(|(u, _)| *u == unit)?.1;
    parse_integer(number)?.checked_mul(factor)
}

/// The largest unit that divides the amount.
fn print_unit(n: u64, table: &[(&str, u64)]) -> String {
    table.iter().find(|(_, factor)| n >= *factor && n.is_multiple_of(*factor)).map_or_else(
        || format!("{n}{}", table.last().map_or("", |t| t.0)),
        |(unit, factor)| format!("{}{unit}", n / factor),
    )
}

fn checked(n: Option<u64>, node: &Node, reader: &mut Reader, text: &str, what: &str, example: &str) -> Option<u64> {
    match n {
        Some(n) if n <= MOST => Some(n),
        _ => {
            reader.invalid(node.place, format!("`{}` is not {what}", clip(text)), format!("write it like {example}"));
            None
        }
    }
}

impl Quantity for Bytes {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = reader.quantity(node, "a size")?;
        let n = parse_integer(text).or_else(|| with_unit(text, &[SIZES, DECIMAL_SIZES]));
        checked(n, node, reader, text, "a size", "`512MiB` or `2GiB`").map(Self)
    }
    fn print(&self) -> Json {
        Json::String(self.to_string())
    }
    fn schema() -> Json {
        json!({ "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": "^[0-9][0-9_]*(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)?$" } ],
            "examples": ["512MiB"] })
    }
    fn number(&self) -> u64 {
        self.0
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_unit(self.0, SIZES))
    }
}

impl Quantity for Millis {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = reader.quantity(node, "a time span")?;
        let n = with_unit(text, &[TIMES]);
        checked(n, node, reader, text, "a time span", "`30s`, `10m` or `180d`").map(Self)
    }
    fn print(&self) -> Json {
        Json::String(self.to_string())
    }
    fn schema() -> Json {
        json!({ "type": "string", "pattern": "^[0-9][0-9_]*(ms|s|m|h|d)$", "examples": ["30s"] })
    }
    fn number(&self) -> u64 {
        self.0
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_unit(self.0, TIMES))
    }
}

impl Quantity for Count {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let n = reader.count(node, "a whole number")?;
        checked(Some(n), node, reader, &n.to_string(), "a number this tool can keep exact", "`256`").map(Self)
    }
    fn print(&self) -> Json {
        json!(self.0)
    }
    fn schema() -> Json {
        json!({ "type": "integer", "minimum": 0 })
    }
    fn number(&self) -> u64 {
        self.0
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Quantity for PerMille {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let text = reader.quantity(node, "a fraction from 0 to 1")?;
        let n = text.parse::<f64>().ok().filter(|x| (0.0..=1.0).contains(x)).map(|x| thousandths(x * 1000.0));
        checked(n, node, reader, text, "a fraction from 0 to 1", "`0.85`").map(Self)
    }
    fn print(&self) -> Json {
        match self.0 {
            0 => json!(0),
            1000 => json!(1),
            n => serde_json::from_str(&format!("0.{}", format!("{n:03}").trim_end_matches('0'))).unwrap_or(Json::Null),
        }
    }
    fn schema() -> Json {
        json!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
    fn number(&self) -> u64 {
        self.0
    }
}

/// Rounds a value that is already known to lie in 0..=1000.
fn thousandths(x: f64) -> u64 {
    (0..=1000u16).min_by(|a, b| (f64::from(*a) - x).abs().total_cmp(&(f64::from(*b) - x).abs())).map_or(0, u64::from)
}

impl fmt::Display for PerMille {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.print())
    }
}
