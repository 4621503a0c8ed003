//! Queues of one list: pfifo, bfifo, codel, pie, sfb; and tbf.
use super::Words;
use super::attributes::{Attributes, numbers};

/// `struct tc_fifo_qopt`: the limit.
pub(super) fn fifo(words: &Words<'_>) -> Option<Vec<u8>> {
    Some(numbers(&[words.whole("limit")?]))
}

/// TCA_CODEL_*.
pub(super) fn codel(words: &Words<'_>) -> Option<Vec<u8>> {
    const TARGET: u16 = 1;
    const LIMIT: u16 = 2;
    const INTERVAL: u16 = 3;
    const ECN: u16 = 4;
    const CE_THRESHOLD: u16 = 5;
    let options = Attributes::default()
        .number(TARGET, words.micros("target")?)
        .number(LIMIT, words.whole("limit")?)
        .number(INTERVAL, words.micros("interval")?)
        .number(ECN, u32::from(words.has("ecn")))
        .maybe(CE_THRESHOLD, words.micros("ce_threshold"));
    Some(options.finish())
}

/// TCA_PIE_*.
pub(super) fn pie(words: &Words<'_>) -> Option<Vec<u8>> {
    const TARGET: u16 = 1;
    const LIMIT: u16 = 2;
    const TUPDATE: u16 = 3;
    const ALPHA: u16 = 4;
    const BETA: u16 = 5;
    const ECN: u16 = 6;
    const BYTEMODE: u16 = 7;
    const DQ_RATE_ESTIMATOR: u16 = 8;
    let options = Attributes::default()
        .number(TARGET, words.micros("target")?)
        .number(LIMIT, words.whole("limit")?)
        .number(TUPDATE, words.micros("tupdate")?)
        .number(ALPHA, words.whole("alpha")?)
        .number(BETA, words.whole("beta")?)
        .number(ECN, u32::from(words.has("ecn")))
        .number(BYTEMODE, u32::from(words.has("bytemode")))
        .number(DQ_RATE_ESTIMATOR, u32::from(words.has("dq_rate_estimator")));
    Some(options.finish())
}

/// `struct tc_sfb_qopt`. Probabilities are shares of 65535.
pub(super) fn sfb(words: &Words<'_>) -> Option<Vec<u8>> {
    const PARMS: u16 = 1;
    let share = |name: &str| Some((words.real(name)? * 65535.0).round() as u32);
    let parms = numbers(&[
        words.whole("rehash")?,
        words.whole("db")?,
        words.whole("max")?,
        words.whole("target")?,
        share("increment")?,
        share("decrement")?,
        words.whole("limit")?,
        words.whole("penalty_rate")?,
        words.whole("penalty_burst")?,
    ]);
    Some(Attributes::default().bytes(PARMS, &parms).finish())
}

/// `struct tc_tbf_qopt` and the burst in bytes: the kernel computes what tc used to tabulate.
pub(super) fn tbf(words: &Words<'_>) -> Option<Vec<u8>> {
    const PARMS: u16 = 1;
    const BURST: u16 = 6;
    const ETHERNET: u8 = 1;
    let rate = words.rate("rate")?;
    // struct tc_ratespec: cell_log, linklayer, overhead, cell_align, mpu, rate in bytes a second.
    let spec = |rate: u32| [&[0, ETHERNET, 0, 0, 0, 0, 0, 0][..], &rate.to_ne_bytes()].concat();
    let rate = u32::try_from(rate.bps() / 8).ok()?;
    let rest = numbers(&[words.whole("limit")?, 0, 0]);
    let parms = [spec(rate), spec(0), rest].concat();
    let options = Attributes::default().bytes(PARMS, &parms).number(BURST, words.size("burst")?);
    Some(options.finish())
}
