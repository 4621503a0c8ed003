//! What has a rate or a delay of its own: tbf, htb, netem.
use super::Words;
use super::attributes::{Attributes, numbers};
use crate::tc::units;
use dumbbell_core::units::{Bytes, Rate, Span};

/// Ticks of tc's clock in a second, and the length of one.
const TICKS: u64 = 15_625_000;
const PS_IN_TICK: u64 = 64_000;
/// A share of 1 in the kernel's numbers.
const WHOLE: f64 = u32::MAX as f64;

/// `struct tc_ratespec`: cell_log, linklayer, overhead, cell_align, mpu, rate in bytes a second.
fn rate_spec(bytes_in_second: u32) -> Vec<u8> {
    const ETHERNET: u8 = 1;
    [&[0, ETHERNET, 0, 0, 0, 0, 0, 0][..], &bytes_in_second.to_ne_bytes()].concat()
}

fn bytes_in_second(rate: Rate) -> Option<u32> {
    u32::try_from(rate.bps() / 8).ok()
}

/// `struct tc_tbf_qopt` and the burst in bytes: the kernel computes what tc used to tabulate.
pub(super) fn tbf(words: &Words<'_>) -> Option<Vec<u8>> {
    const PARMS: u16 = 1;
    const BURST: u16 = 6;
    let rate = bytes_in_second(words.rate("rate")?)?;
    let rest = numbers(&[words.whole("limit")?, 0, 0]);
    let parms = [rate_spec(rate), rate_spec(0), rest].concat();
    let options = Attributes::default().bytes(PARMS, &parms).number(BURST, words.size("burst")?);
    Some(options.finish())
}

/// `struct tc_htb_glob`.
pub(super) fn htb(words: &Words<'_>) -> Option<Vec<u8>> {
    const INIT: u16 = 2;
    const VERSION: u32 = 3;
    const RATE_TO_QUANTUM: u32 = 10;
    let glob = numbers(&[VERSION, RATE_TO_QUANTUM, words.whole("default")?, 0, 0]);
    Some(Attributes::default().bytes(INIT, &glob).finish())
}

/// `struct tc_htb_opt`: what a class may send always is what it may send at most. Bursts are times
/// of their bytes.
pub(super) fn htb_class(words: &Words<'_>) -> Option<Vec<u8>> {
    const PARMS: u16 = 1;
    let rate = bytes_in_second(words.rate("rate")?)?;
    let ticks = |bytes: Bytes| u32::try_from(bytes.0 * TICKS / u64::from(rate.max(1))).ok();
    let burst = ticks(words.value("burst", units::size)?)?;
    let quantum = words.size("quantum")?;
    let parms =
        [rate_spec(rate), rate_spec(rate), numbers(&[burst, burst, quantum, 0, 0])].concat();
    Some(Attributes::default().bytes(PARMS, &parms).finish())
}

/// `struct tc_netem_qopt`, and the attributes behind it. What is not written is none.
pub(super) fn netem(words: &Words<'_>) -> Option<Vec<u8>> {
    /// With the flag that it holds attributes (`NLA_F_NESTED`).
    const LOSS: u16 = 5 | 1 << 15;
    const GILBERT_ELLIOTT: u16 = 2;
    const RATE: u16 = 6;
    let share = |name: &str| words.value(name, units::percent).map(|p| (p * WHOLE).round() as u32);
    let independent = if words.has("random") { share("random")? } else { 0 };
    let mut options = Attributes::default();
    if words.has("gemodel") {
        let place = words.0.iter().position(|word| *word == "gemodel")?;
        let of = |i: usize| units::percent(words.0.get(place + i)?).ok();
        let [p, r, bad, good] = [of(1)?, of(2)?, of(3)?, of(4)?];
        // The kernel wants the probabilities to survive: 1 - bad, and the loss in the good state.
        let model = [p, r, 1.0 - bad, good].map(|p| (p * WHOLE).round() as u32);
        let model = Attributes::default().bytes(GILBERT_ELLIOTT, &numbers(&model));
        options = options.bytes(LOSS, &model.finish());
    }
    if let Some(rate) = words.rate("rate") {
        options = options.bytes(RATE, &numbers(&[bytes_in_second(rate)?, 0, 0, 0]));
    }
    let delay: Span = words.value("delay", units::micros).unwrap_or_default();
    let latency = u32::try_from(delay.ps() / PS_IN_TICK).ok()?;
    let fixed = numbers(&[latency, words.whole("limit")?, independent, 0, 0, 0]);
    Some([fixed, options.finish()].concat())
}
