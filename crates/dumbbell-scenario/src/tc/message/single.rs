//! Queues of one list: pfifo, bfifo, codel, pie, sfb.
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
    const LIMIT: u16 = 2;
    const CONTROL: [u16; 7] = [1, 3, 4, 5, 6, 7, 8];
    let options = Attributes::default().number(LIMIT, words.whole("limit")?);
    Some(pie_control(options, words, CONTROL)?.finish())
}

/// What pie and fq_pie have: target, tupdate, alpha, beta, ecn, bytemode, dq_rate_estimator, as
/// attributes with these numbers.
pub(super) fn pie_control(
    options: Attributes,
    words: &Words<'_>,
    [target, tupdate, alpha, beta, ecn, bytemode, estimator]: [u16; 7],
) -> Option<Attributes> {
    let options = options
        .number(target, words.micros("target")?)
        .number(tupdate, words.micros("tupdate")?)
        .number(alpha, words.whole("alpha")?)
        .number(beta, words.whole("beta")?)
        .number(ecn, u32::from(words.has("ecn")))
        .number(bytemode, u32::from(words.has("bytemode")))
        .number(estimator, u32::from(words.has("dq_rate_estimator")));
    Some(options)
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
