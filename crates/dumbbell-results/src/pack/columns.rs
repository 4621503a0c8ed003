//! The coding of one column: integers, their differences, and their bytes in planes.
use serde::Serialize;
use std::collections::BTreeMap;

/// The largest integer: twice as much is still exact as a number of JavaScript.
const LARGEST: f64 = (1_u64 << 52) as f64;
/// The exponent of ten of the step of times: a nanosecond.
const NANOSECOND: i32 = -9;
/// The least exponent of ten whose power has all its digits.
const LEAST: i32 = -300;
/// The key of a row without a word.
const NO_WORD: u32 = u32::MAX;

/// The values of a column.
#[derive(Debug)]
pub enum Values {
    /// Numbers; what is not finite is no value.
    Numbers(Vec<f64>),
    /// Words.
    Words(Words),
}

/// Words, each kept once.
#[derive(Debug, Default)]
pub struct Words {
    list: Vec<String>,
    index: BTreeMap<String, u32>,
    keys: Vec<u32>,
}

impl Words {
    /// Appends a row: a word, or none.
    pub fn push(&mut self, word: Option<&str>) {
        let key = word.map_or(NO_WORD, |word| self.key(word));
        self.keys.push(key);
    }

    fn key(&mut self, word: &str) -> u32 {
        if let Some(key) = self.index.get(word) {
            return *key;
        }
        let key = self.list.len() as u32;
        self.list.push(word.into());
        self.index.insert(word.into(), key);
        key
    }
}

impl Values {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(numbers) => numbers.len(),
            Values::Words(words) => words.keys.len(),
        }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the first rows; words are kept for those that come.
    pub fn take_first(&mut self, rows: usize) -> Values {
        match self {
            Values::Numbers(numbers) => Values::Numbers(numbers.drain(..rows).collect()),
            Values::Words(words) => {
                let keys = words.keys.drain(..rows).collect();
                Values::Words(Words { list: words.list.clone(), index: BTreeMap::new(), keys })
            }
        }
    }

    /// The same rows in another order.
    pub fn reorder(&mut self, rows: &[usize]) {
        match self {
            Values::Numbers(numbers) => *numbers = rows.iter().map(|row| numbers[*row]).collect(),
            Values::Words(words) => {
                words.keys = rows.iter().map(|row| words.keys[*row]).collect();
            }
        }
    }
}

/// Where the bytes of a column are and how they are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Column {
    /// The index of the blob.
    pub blob: usize,
    /// The offset of the bytes in it.
    pub at: usize,
    rows: usize,
    /// What the integers are: `even` has no bytes.
    pub coding: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<f64>,
    /// The offset of the bitmap of rows without a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nulls: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
}

/// A column and its bytes. Its offsets count from the first of them.
pub struct Coded {
    /// How the bytes are read.
    pub column: Column,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The integers that stand for the values of a column.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// A value is an integer times this power of ten...
    step: f64,
    /// ...and an integer is a value times this one. Of a power and its inverse the larger is exact.
    inverse: f64,
    /// The largest error.
    tolerance: f64,
}

impl Grid {
    /// The grid for the values of the column `name`. timed: they are a course over time, which has
    /// one scale; else each value has its own digits, for logarithmic axes.
    pub fn of(name: &str, values: &[f64], timed: bool) -> Grid {
        let (mut largest, mut smallest) = (0.0_f64, f64::INFINITY);
        let mut whole = true;
        for value in values.iter().filter(|v| v.is_finite()) {
            largest = largest.max(value.abs());
            smallest = if *value == 0.0 { smallest } else { smallest.min(value.abs()) };
            whole &= value.fract() == 0.0;
        }
        let (exponent, tolerance) = if whole && largest <= LARGEST {
            (0, 0.0)
        } else if name.ends_with("_s") && largest <= LARGEST * power(NANOSECOND) {
            (NANOSECOND, power(NANOSECOND) / 2.0)
        } else {
            let least = if timed || smallest.is_infinite() { largest } else { smallest };
            let exponent = below((least * 1e-6).max(largest / LARGEST * 10.0));
            (exponent, power(exponent) / 2.0)
        };
        let fine = Grid::new(exponent, tolerance);
        Grid::new(exponent + fine.spare_zeros(values), tolerance)
    }

    fn new(exponent: i32, tolerance: f64) -> Grid {
        Grid { step: power(exponent), inverse: power(-exponent), tolerance }
    }

    /// The number of decimal zeros that all integers end with.
    fn spare_zeros(&self, values: &[f64]) -> i32 {
        let mut spare = i32::MAX;
        for value in values.iter().filter(|v| v.is_finite()) {
            let (mut integer, mut zeros) = (self.integer(*value), 0);
            while integer != 0 && zeros < spare && integer % 10 == 0 {
                integer /= 10;
                zeros += 1;
            }
            if integer != 0 {
                spare = zeros;
            }
            if spare == 0 {
                return 0;
            }
        }
        if spare == i32::MAX { 0 } else { spare }
    }

    /// The integer nearest to a value.
    fn integer(&self, value: f64) -> i64 {
        let exact = self.step >= 1.0;
        let scaled = if exact { value / self.step } else { value * self.inverse };
        scaled.round() as i64
    }
}

/// Ten to a power.
fn power(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The exponent of the largest power of ten that is at most `bound`.
fn below(bound: f64) -> i32 {
    let mut exponent = (bound.log10().floor().max(f64::from(LEAST))) as i32;
    while exponent > LEAST && power(exponent) > bound {
        exponent -= 1;
    }
    exponent
}

/// Codes numbers on a grid.
pub fn code_numbers(values: &[f64], grid: Grid) -> Coded {
    if let Some((start, step)) = even(values, grid.tolerance) {
        let column = Column {
            rows: values.len(),
            coding: "even",
            start: Some(start),
            step: Some(step),
            ..Column::default()
        };
        return Coded { column, bytes: Vec::new() };
    }
    let first = values.iter().find(|v| v.is_finite()).map_or(0, |v| grid.integer(*v));
    let (mut last, mut missing) = (first, 0);
    let integers: Vec<i64> = values
        .iter()
        .map(|value| {
            if value.is_finite() {
                last = grid.integer(*value);
            } else {
                missing += 1;
            }
            last
        })
        .collect();
    let (plain, differences) = (planes(&zigzags(&integers)), differences(&integers, first));
    let (coding, start, (width, mut bytes)) = match differences.map(|d| planes(&zigzags(&d))) {
        Some(delta) if cost(&delta.1, values.len()) < cost(&plain.1, values.len()) => {
            ("delta", Some(first as f64).filter(|first| *first != 0.0), delta)
        }
        _ => ("plain", None, plain),
    };
    let nulls = (missing > 0).then_some(bytes.len());
    if missing > 0 {
        bytes.extend(bitmap(values));
    }
    let column = Column {
        rows: values.len(),
        coding,
        width: Some(width),
        step: Some(grid.step),
        start,
        nulls,
        ..Column::default()
    };
    Coded { column, bytes }
}

/// Codes words.
pub fn code_words(words: Words) -> Coded {
    let Words { list, keys, .. } = words;
    let none = list.len() as u64;
    let indices: Vec<u64> =
        keys.iter().map(|key| if *key == NO_WORD { none } else { u64::from(*key) }).collect();
    let (width, bytes) = planes(&indices);
    let column = Column {
        rows: keys.len(),
        coding: "words",
        width: Some(width),
        words: Some(list),
        ..Column::default()
    };
    Coded { column, bytes }
}

/// The start and the step of values that are nowhere further than `tolerance` from even ones.
fn even(values: &[f64], tolerance: f64) -> Option<(f64, f64)> {
    let start = values.first().copied().unwrap_or(0.0);
    let last = values.last().copied().unwrap_or(0.0);
    let step = (last - start) / values.len().saturating_sub(1).max(1) as f64;
    let near = |(i, value): (usize, &f64)| (start + i as f64 * step - value).abs() <= tolerance;
    // What is not finite is near nothing.
    (start.is_finite() && values.iter().enumerate().all(near)).then_some((start, step))
}

/// What each integer adds to the one before it; `None`: too much for the coding.
fn differences(integers: &[i64], first: i64) -> Option<Vec<i64>> {
    let before = std::iter::once(first).chain(integers.iter().copied());
    let differences: Vec<i64> = before.zip(integers).map(|(before, now)| now - before).collect();
    differences.iter().all(|d| d.unsigned_abs() <= 1 << 52).then_some(differences)
}

/// Small magnitudes of either sign as small numbers.
fn zigzags(integers: &[i64]) -> Vec<u64> {
    integers.iter().map(|d| ((d << 1) ^ (d >> 63)) as u64).collect()
}

/// The bytes that each integer needs, and all lowest bytes, then all second bytes, and so on.
fn planes(integers: &[u64]) -> (usize, Vec<u8>) {
    let all = integers.iter().fold(0, |all, integer| all | integer);
    let width = (u64::BITS - all.leading_zeros()).div_ceil(8).max(1) as usize;
    let mut bytes = Vec::with_capacity(width * integers.len());
    for plane in 0..width {
        bytes.extend(integers.iter().map(|integer| (integer >> (8 * plane)) as u8));
    }
    (width, bytes)
}

/// A bit for each value, the lowest bit of a byte first: 1 if there is none.
fn bitmap(values: &[f64]) -> impl Iterator<Item = u8> {
    let byte = |eight: &[f64]| {
        eight.iter().enumerate().fold(0, |byte, (i, v)| byte | (u8::from(!v.is_finite()) << i))
    };
    values.chunks(8).map(byte)
}

/// The entropy of planes of `rows` bytes, in bits: what they need when they are compressed, about.
fn cost(planes: &[u8], rows: usize) -> f64 {
    let of_plane = |plane: &[u8]| -> f64 {
        let mut counts = [0_u32; 256];
        plane.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        let bits = |n: &u32| f64::from(*n) * (rows as f64 / f64::from(*n)).log2();
        counts.iter().filter(|n| **n > 0).map(bits).sum()
    };
    planes.chunks(rows.max(1)).map(of_plane).sum()
}
