//! Queues for flows: sfq, fq_codel, fq_pie, fq, cake.
use super::Words;
use super::attributes::{Attributes, numbers};
use super::single::pie_control;

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

/// TCA_FQ_PIE_*.
pub(super) fn fq_pie(words: &Words<'_>) -> Option<Vec<u8>> {
    const LIMIT: u16 = 1;
    const FLOWS: u16 = 2;
    const QUANTUM: u16 = 7;
    const MEMORY_LIMIT: u16 = 8;
    const ECN_PROB: u16 = 9;
    const CONTROL: [u16; 7] = [3, 4, 5, 6, 10, 11, 12];
    let options = Attributes::default()
        .number(LIMIT, words.whole("limit")?)
        .number(FLOWS, words.whole("flows")?)
        .number(QUANTUM, words.size("quantum")?)
        .number(MEMORY_LIMIT, words.size("memory_limit")?)
        .maybe(ECN_PROB, words.whole("ecn_prob"));
    Some(pie_control(options, words, CONTROL)?.finish())
}

/// TCA_FQ_*. What is not written is the kernel's default.
pub(super) fn fq(words: &Words<'_>) -> Option<Vec<u8>> {
    const LIMIT: u16 = 1;
    const FLOW_LIMIT: u16 = 2;
    const QUANTUM: u16 = 3;
    const INITIAL_QUANTUM: u16 = 4;
    const PACING: u16 = 5;
    let options = Attributes::default()
        .number(LIMIT, words.whole("limit")?)
        .number(FLOW_LIMIT, words.whole("flow_limit")?)
        .number(QUANTUM, words.size("quantum")?)
        .number(INITIAL_QUANTUM, words.size("initial_quantum")?)
        .maybe(PACING, words.has("nopacing").then_some(0));
    Some(options.finish())
}

/// TCA_CAKE_*. Lengths are those that the kernel reports (`raw`), with an overhead or without.
pub(super) fn cake(words: &Words<'_>) -> Option<Vec<u8>> {
    const BASE_RATE: u16 = 2;
    const DIFFSERV_MODE: u16 = 3;
    const LINK_LAYER: u16 = 4;
    const FLOW_MODE: u16 = 5;
    const OVERHEAD: u16 = 6;
    const RTT: u16 = 7;
    const TARGET: u16 = 8;
    const MEMORY: u16 = 10;
    const RAW: u16 = 12;
    const WASH: u16 = 13;
    const MPU: u16 = 14;
    const ACK_FILTER: u16 = 16;
    const TARGETS_IN_RTT: u32 = 20;
    const DIFFSERV_MODES: &[(&str, u32)] = &[
        ("diffserv3", 0),
        ("diffserv4", 1),
        ("diffserv8", 2),
        ("besteffort", 3),
        ("precedence", 4),
    ];
    const FLOW_MODES: &[(&str, u32)] = &[
        ("flowblind", 0),
        ("srchost", 1),
        ("dsthost", 2),
        ("hosts", 3),
        ("flows", 4),
        ("dual-srchost", 5),
        ("dual-dsthost", 6),
        ("triple-isolate", 7),
    ];
    const FILTERS: &[(&str, u32)] = &[("ack-filter", 1), ("ack-filter-aggressive", 2)];
    const LINK_LAYERS: &[(&str, u32)] = &[("atm", 1), ("ptm", 2)];
    let of = |all: &[(&str, u32)]| all.iter().find(|(name, _)| words.has(name)).map(|(_, n)| *n);
    if !words.has("raw") {
        return None;
    }
    let mut options = Attributes::default();
    if !words.has("unlimited") {
        let bytes_per_s = words.rate("bandwidth")?.bps() / 8;
        options = options.bytes(BASE_RATE, &bytes_per_s.to_ne_bytes());
    }
    let options = options
        .number(DIFFSERV_MODE, of(DIFFSERV_MODES)?)
        .number(FLOW_MODE, of(FLOW_MODES)?)
        .number(RTT, words.micros("rtt")?)
        .number(TARGET, words.micros("rtt")? / TARGETS_IN_RTT)
        .number(MEMORY, words.size("memlimit")?)
        .number(RAW, 0)
        .maybe(LINK_LAYER, of(LINK_LAYERS))
        .maybe(OVERHEAD, words.signed("overhead").map(i32::cast_unsigned))
        .maybe(MPU, words.whole("mpu"))
        .maybe(WASH, words.has("wash").then_some(1))
        .maybe(ACK_FILTER, of(FILTERS));
    Some(options.finish())
}
