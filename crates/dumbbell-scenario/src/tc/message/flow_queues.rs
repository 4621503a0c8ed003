//! Queues for flows: sfq, fq_codel.
use super::Words;
use super::attributes::{Attributes, numbers};

/// `struct tc_sfq_qopt_v1`.
pub(super) fn sfq(words: &Words<'_>) -> Option<Vec<u8>> {
    // The thresholds and the weight of the RED that it may have, and six counts.
    const NO_RED: [u32; 11] = [0; 11];
    let own = [
        words.size("quantum")?,
        words.whole("perturb")?,
        words.whole("limit")?,
        words.whole("divisor")?,
        words.whole("flows")?,
        words.whole("depth")?,
        u32::from(words.has("headdrop")),
    ];
    Some(numbers(&[&own[..], &NO_RED].concat()))
}

/// TCA_FQ_CODEL_*.
pub(super) fn fq_codel(words: &Words<'_>) -> Option<Vec<u8>> {
    const TARGET: u16 = 1;
    const LIMIT: u16 = 2;
    const INTERVAL: u16 = 3;
    const ECN: u16 = 4;
    const FLOWS: u16 = 5;
    const QUANTUM: u16 = 6;
    const CE_THRESHOLD: u16 = 7;
    const DROP_BATCH_SIZE: u16 = 8;
    const MEMORY_LIMIT: u16 = 9;
    let options = Attributes::default()
        .number(TARGET, words.micros("target")?)
        .number(LIMIT, words.whole("limit")?)
        .number(INTERVAL, words.micros("interval")?)
        .maybe(ECN, words.has("noecn").then_some(0))
        .number(FLOWS, words.whole("flows")?)
        .number(QUANTUM, words.size("quantum")?)
        .maybe(CE_THRESHOLD, words.micros("ce_threshold"))
        .maybe(DROP_BATCH_SIZE, words.whole("drop_batch"))
        .number(MEMORY_LIMIT, words.size("memory_limit")?);
    Some(options.finish())
}
