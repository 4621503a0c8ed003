//! red and choke: thresholds, the weight and the probability as powers of two and shares, and a
//! table of how the average decays while the queue is idle.
use super::Words;
use super::attributes::{Attributes, numbers};
use crate::tc::qdisc::burst;

/// Bits of the flags.
const ECN: u8 = 1;
const HARDDROP: u8 = 2;
const ADAPTATIVE: u8 = 4;

const PARMS: u16 = 1;
const STAB: u16 = 2;
const MAX_P: u16 = 3;

/// Entries of the table of idle times.
const ENTRIES: usize = 256;
/// tc's clock.
const TICKS_IN_US: f64 = 15.625;
/// The kernel shifts the average by 31 bits at most.
const MOST_SHIFT: f64 = 31.0;

/// What both have. `unit`: bytes that a packet of the thresholds stands for.
fn options(words: &Words<'_>, [limit, min, max]: [u32; 3], unit: u32) -> Option<Vec<u8>> {
    let avpkt = words.size("avpkt")?;
    let probability = words.real("probability")?;
    let weight = burst::exponent(f64::from(min) / f64::from(unit), words.whole("burst")?)?;
    // tc takes the slope in bytes, of choke's packets too.
    let bytes = |level: u32| u64::from(level) * u64::from(avpkt / unit);
    let slope = burst::slope(bytes(min), bytes(max), probability)?;
    let packet_us = f64::from(avpkt) * 8e6 / words.rate("bandwidth")?.bps() as f64;
    let (cell, table) = idle_table(weight, packet_us)?;
    let flags = [("ecn", ECN), ("harddrop", HARDDROP), ("adaptive", ADAPTATIVE)];
    let flags = flags.iter().filter(|(word, _)| words.has(word)).map(|(_, bit)| bit).sum();
    let mut parms = numbers(&[limit, min, max]);
    parms.extend_from_slice(&[weight as u8, slope as u8, cell, flags]);
    let share = (probability * f64::from(u32::MAX)) as u32;
    Some(
        Attributes::default()
            .bytes(PARMS, &parms)
            .bytes(STAB, &table)
            .number(MAX_P, share)
            .finish(),
    )
}

/// `struct tc_red_qopt`: in bytes.
pub(super) fn red(words: &Words<'_>) -> Option<Vec<u8>> {
    let sizes = [words.size("limit")?, words.size("min")?, words.size("max")?];
    options(words, sizes, words.size("avpkt")?)
}

/// `struct tc_choke_qopt`: in packets.
pub(super) fn choke(words: &Words<'_>) -> Option<Vec<u8>> {
    options(words, [words.whole("limit")?, words.whole("min")?, words.whole("max")?], 1)
}

/// By how many bits the average is shifted after `i << cell` units of time without a packet, for
/// each i. In the time of a packet the average decays by the factor 1 - 2^-weight, and tc takes the
/// natural logarithm of that for the bits. Its unit is a tick of 64 ns; the kernel reads
/// microseconds. The table is tc's all the same: this is what users of red get.
fn idle_table(weight: u32, packet_us: f64) -> Option<(u8, [u8; ENTRIES])> {
    let per_tick = -(-(-f64::from(weight)).exp2()).ln_1p() / (packet_us * TICKS_IN_US);
    let longest = MOST_SHIFT / per_tick;
    let cell = (0..32).find(|cell| longest / f64::from(*cell).exp2() < 512.0)?;
    let mut table = [0; ENTRIES];
    for (i, shift) in table.iter_mut().enumerate() {
        *shift = (i as f64 * f64::from(cell).exp2() * per_tick).min(MOST_SHIFT) as u8;
    }
    table[ENTRIES - 1] = MOST_SHIFT as u8;
    Some((cell as u8, table))
}
