//! Lines of tc's queues, at random, for both directions.
use proptest::prelude::*;

/// Any of them.
pub fn queue() -> impl Strategy<Value = String> {
    prop_oneof![codel(), pie(), choke(), sfb(), fq_codel(), fq_pie(), sfq(), dualpi2(), cake()]
}

fn cake() -> impl Strategy<Value = String> {
    let one_of = |words: &'static [&'static str]| proptest::sample::select(words);
    let rate = prop_oneof![
        Just("unlimited".to_string()),
        (1000u64..10_000_000_000).prop_map(|bps| format!("bandwidth {bps}"))
    ];
    let tins = one_of(&["besteffort", "precedence", "diffserv3", "diffserv4", "diffserv8"]);
    let hosts = one_of(&["flowblind", "srchost", "hosts", "dual-dsthost", "triple-isolate"]);
    let framing = (-64i32..=256, 0u32..=256, one_of(&["", " atm", " ptm"]));
    let filter = one_of(&["", " ack-filter", " ack-filter-aggressive", " no-ack-filter"]);
    (rate, tins, hosts, framing, 1u32..4_000_000, 1500u32..u32::MAX, filter, flag(" wash"))
        .prop_map(|(rate, tins, hosts, (n, mpu, layer), rtt, memory, filter, wash)| {
            format!(
                "cake {rate} {tins} {hosts} overhead {n} mpu {mpu}{layer} rtt {rtt} memlimit \
                {memory}{filter}{wash}"
            )
        })
}

fn lot() -> impl Strategy<Value = String> {
    let bytes = (200u32..10_000, 10_000u32..u32::MAX);
    (1u32..=u32::MAX, 1u32..=65_536, bytes).prop_map(|(limit, flows, (q, m))| {
        format!(
            "limit {limit} flows {flows} quantum {q} \
            memory_limit {m}"
        )
    })
}

fn fq_codel() -> impl Strategy<Value = String> {
    (lot(), 1u32..2_000_000, 1u32..2_000_000, flag(" noecn"), 1u32..=65_536).prop_map(
        |(lot, target, interval, ecn, n)| {
            format!("fq_codel {lot} target {target} interval {interval}{ecn} drop_batch {n}")
        },
    )
}

fn fq_pie() -> impl Strategy<Value = String> {
    let marks = prop_oneof![
        Just(String::new()),
        (0u32..=100).prop_map(|p| format!(
            " ecn ecn_prob \
        {p}"
        ))
    ];
    (lot(), 1u32..2_000_000, 0u32..=32, marks, flag(" bytemode")).prop_map(
        |(lot, target, gain, marks, bytes)| {
            format!(
                "fq_pie {lot} target {target} tupdate 15ms alpha {gain} beta {gain}{marks}{bytes}"
            )
        },
    )
}

fn sfq() -> impl Strategy<Value = String> {
    (1u32..=65_535, 1u32..=65_535, 0u32..=16, 200u32..10_000, 0u32..1000, flag(" headdrop"))
        .prop_map(|(limit, depth, power, quantum, perturb, head)| {
            let divisor = 1u32 << power;
            format!(
                "sfq limit {limit} depth {depth} divisor {divisor} quantum {quantum} perturb \
                {perturb}{head}"
            )
        })
}

fn dualpi2() -> impl Strategy<Value = String> {
    let control = (1u32..1_000_000, 1u32..1_000_000, 0.0f64..10.0);
    (1u32..=u32::MAX, control, 1u32..20, 1u32..100_000, 0u32..=1000, flag(" overflow"), 0u32..=100)
        .prop_map(|(limit, (target, tupdate, gain), k, step, least, over, share)| {
            format!(
                "dualpi2 limit {limit} target {target} tupdate {tupdate} alpha {gain} beta {gain} \
                    coupling_factor {k} step_thresh {step}us min_qlen_step {least}{over} \
                    classic_protection {share}"
            )
        })
}

fn flag(word: &'static str) -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just(word)]
}

fn codel() -> impl Strategy<Value = String> {
    let marks = prop_oneof![
        Just(String::new()),
        (1u32..100_000).prop_map(|us| format!(
            " ecn \
        ce_threshold {us}us"
        ))
    ];
    (1u32..=u32::MAX, 1u32..2_000_000, 1u32..2_000_000, flag(" ecn"), marks).prop_map(
        |(limit, target, interval, ecn, marks)| {
            format!("codel limit {limit} target {target}us interval {interval}us{ecn}{marks}")
        },
    )
}

fn pie() -> impl Strategy<Value = String> {
    let gains = (0u32..=32, 0u32..=32);
    let flags = (flag(" ecn"), flag(" bytemode"), flag(" dq_rate_estimator"));
    (1u32..100_000, 1u32..2_000_000, 1u32..2_000_000, gains, flags).prop_map(
        |(limit, target, tupdate, (alpha, beta), (ecn, bytes, rate))| {
            format!(
                "pie limit {limit} target {target} tupdate {tupdate} alpha {alpha} beta \
                {beta}{ecn}{bytes}{rate}"
            )
        },
    )
}

fn choke() -> impl Strategy<Value = String> {
    (1u32..500, 2u32..6, 1u32..200, 64u32..2000, 1u32..1000, flag(" ecn")).prop_map(
        |(min, times, more, avpkt, p, ecn)| {
            let (max, burst, p) = (min * times, min + more, f64::from(p) / 1000.0);
            format!(
                "choke limit {max} bandwidth 10mbit min {min} max {max} avpkt {avpkt} burst \
            {burst} probability {p}{ecn}"
            )
        },
    )
}

fn sfb() -> impl Strategy<Value = String> {
    let box_ = (0u32..100_000, 1u32..1000);
    (1u32..100_000, 1u32..1000, 0u32..100, 0.0f64..=1.0, 0u32..600_000, box_).prop_map(
        |(limit, target, more, step, rehash, (rate, burst))| {
            let max = target + more;
            format!(
                "sfb limit {limit} target {target} max {max} increment {step} decrement {step} \
                    rehash {rehash} db {} penalty_rate {rate} penalty_burst {burst}",
                rehash / 2
            )
        },
    )
}
