//! What tc 6.1 sends to the kernel for a line is what the line means here.
use dumbbell_lab::tc;
use serde_json::{Value, json};

/// Lines, and of the attributes that tc 6.1 puts into its message (linux/pkt_sched.h) those that
/// are named, as they are here. Times are microseconds there.
const SENT: &[(&str, &[(&str, Sent)])] = &[
    (
        "codel limit 100 target 4ms interval 30ms ecn",
        &[
            ("limit", Sent::Packets(100)),
            ("target", Sent::Us(4000)),
            ("interval", Sent::Us(30_000)),
            ("ecn", Sent::Flag(true)),
        ],
    ),
    ("codel ecn ce_threshold 1ms", &[("ecn", Sent::Flag(true)), ("ce_threshold", Sent::Us(1000))]),
    ("codel target 4.7us", &[("target", Sent::Us(4))]),
    ("codel ecn noecn", &[("ecn", Sent::Flag(false))]),
    (
        "pie limit 100 target 20ms tupdate 30ms ecn",
        &[
            ("limit", Sent::Packets(100)),
            ("target", Sent::Us(20_000)),
            ("tupdate", Sent::Us(30_000)),
            ("ecn", Sent::Flag(true)),
        ],
    ),
    (
        "pie alpha 2 beta 20 bytemode dq_rate_estimator",
        &[
            ("alpha", Sent::Parts(2, 16)),
            ("beta", Sent::Parts(20, 16)),
            ("bytemode", Sent::Flag(true)),
        ],
    ),
    // struct tc_red_qopt: limit, qth_min, qth_max, Wlog; TCA_CHOKE_MAX_P is a share of 2^32.
    (
        "choke limit 1000 bandwidth 10mbit min 83 max 250 burst 120 ecn",
        &[
            ("limit", Sent::Packets(1000)),
            ("min_th", Sent::Packets(83)),
            ("max_th", Sent::Packets(250)),
            ("w_q", Sent::Parts(1, 1 << 6)),
            ("max_p", Sent::Share(85_899_345)),
            ("ecn", Sent::Flag(true)),
        ],
    ),
    (
        "choke limit 1000 bandwidth 10mbit",
        &[
            ("min_th", Sent::Packets(83)),
            ("max_th", Sent::Packets(250)),
            ("w_q", Sent::Parts(1, 1 << 6)),
        ],
    ),
    (
        "choke limit 100 bandwidth 10mbit",
        &[
            ("min_th", Sent::Packets(8)),
            ("max_th", Sent::Packets(25)),
            ("w_q", Sent::Parts(1, 1 << 3)),
        ],
    ),
    (
        "choke limit 60 bandwidth 10mbit probability 0.1",
        &[
            ("min_th", Sent::Packets(5)),
            ("max_th", Sent::Packets(15)),
            ("w_q", Sent::Parts(1, 1 << 3)),
            ("max_p", Sent::Share(429_496_729)),
        ],
    ),
    (
        "choke limit 100 bandwidth 10mbit min 5 max 15 avpkt 500 burst 20",
        &[("w_q", Sent::Parts(1, 1 << 6))],
    ),
    // struct tc_sfb_qopt: milliseconds, packets, and probabilities as shares of 65535.
    (
        "sfb",
        &[
            ("rehash", Sent::Us(600_000_000)),
            ("db", Sent::Us(60_000_000)),
            ("max", Sent::Packets(25)),
            ("target", Sent::Packets(20)),
            ("increment", Sent::Of65535(33)),
            ("decrement", Sent::Of65535(3)),
            ("penalty_rate", Sent::Parts(10, 1)),
            ("penalty_burst", Sent::Packets(20)),
        ],
    ),
    (
        "sfb limit 100 max 30 target 25 increment 0.001 decrement 0.0002 penalty_rate 20 rehash \
            600 db 60",
        &[
            ("limit", Sent::Packets(100)),
            ("rehash", Sent::Us(600_000)),
            ("db", Sent::Us(60_000)),
            ("increment", Sent::Of65535(66)),
            ("decrement", Sent::Of65535(13)),
            ("penalty_rate", Sent::Parts(20, 1)),
        ],
    ),
    (
        "fq_codel limit 2000 target 3ms interval 40ms noecn",
        &[
            ("limit", Sent::Packets(2000)),
            ("target", Sent::Us(3000)),
            ("interval", Sent::Us(40_000)),
            ("ecn", Sent::Flag(false)),
        ],
    ),
    (
        "fq_codel limit 600 flows 256 quantum 300 memory_limit 4mb drop_batch 16 ce_threshold 2ms \
            ecn",
        &[
            ("limit", Sent::Packets(600)),
            ("flows", Sent::Parts(256, 1)),
            ("quantum", Sent::Bytes(300)),
            ("memory_limit", Sent::Bytes(4_194_304)),
            ("drop_batch", Sent::Parts(16, 1)),
            ("ce_threshold", Sent::Us(2000)),
        ],
    ),
    (
        "fq_pie limit 5000 flows 512 target 10ms tupdate 16ms alpha 3 beta 25 quantum 1000 \
            memory_limit 8mb ecn ecn_prob 20 bytemode",
        &[
            ("limit", Sent::Packets(0x1388)),
            ("flows", Sent::Parts(0x200, 1)),
            ("target", Sent::Us(0x2710)),
            ("tupdate", Sent::Us(0x3e80)),
            ("alpha", Sent::Parts(3, 16)),
            ("beta", Sent::Parts(0x19, 16)),
            ("quantum", Sent::Bytes(0x3e8)),
            ("memory_limit", Sent::Bytes(0x0080_0000)),
            ("mark_ecnth", Sent::Parts(0x14, 100)),
            ("ecn", Sent::Flag(true)),
            ("bytemode", Sent::Flag(true)),
        ],
    ),
    // struct tc_sfq_qopt_v1.
    (
        "sfq limit 1000 depth 100 divisor 2048 flows 300 headdrop quantum 3000 perturb 60",
        &[
            ("quantum", Sent::Bytes(0xbb8)),
            ("perturb", Sent::Us(60_000_000)),
            ("limit", Sent::Packets(0x3e8)),
            ("divisor", Sent::Parts(0x800, 1)),
            ("depth", Sent::Parts(0x64, 1)),
            ("headdrop", Sent::Flag(true)),
        ],
    ),
    (
        "red limit 30000 min 5000 max 15000 avpkt 1000 burst 20 probability 0.1 adaptive ecn",
        &[
            ("max_p", Sent::Share(429_496_729)),
            ("w_q", Sent::Parts(1, 1 << 6)),
            ("ecn", Sent::Flag(true)),
        ],
    ),
];

/// A value as the kernel gets it.
#[derive(Clone, Copy, Debug)]
enum Sent {
    Packets(u32),
    Us(u64),
    Bytes(u64),
    Flag(bool),
    Parts(u32, u32),
    Share(u32),
    Of65535(u32),
}

/// The denominator of a 32-bit share.
const TWO_32: f64 = 4_294_967_296.0;

impl Sent {
    /// Returns true if the value agrees with the table.
    fn is(self, value: &Value) -> bool {
        let text = value.as_str().unwrap_or_default();
        let near = |x: f64, step: f64| value.as_f64().is_some_and(|v| (v - x).abs() <= step);
        match self {
            Sent::Packets(n) => text == format!("{n} pkt"),
            Sent::Us(us) => text.parse() == Ok(dumbbell_core::units::Span::from_us(us)),
            Sent::Bytes(n) => text.parse() == Ok(dumbbell_core::units::Bytes(n)),
            Sent::Flag(on) => value == &json!(on),
            Sent::Parts(n, of) => near(f64::from(n) / f64::from(of), 0.0),
            // tc cuts off, and rounds.
            Sent::Share(n) => near(f64::from(n) / TWO_32, 1.0 / TWO_32),
            Sent::Of65535(n) => near(f64::from(n) / 65535.0, 0.5 / 65535.0),
        }
    }
}

#[test]
fn a_line_means_what_tc_sends() {
    for (line, sent) in SENT {
        let read = tc::import(line).unwrap_or_else(|p| panic!("{line}\n{}", p.rendered));
        for (key, value) in *sent {
            let found = &read["queue"][key];
            assert!(value.is(found), "{line}: {key} is {found}, and tc sends {value:?}");
        }
    }
}

/// Defaults of bare lines are the values that the manual pages print for them.
#[test]
fn bare_lines_have_the_manuals_values() {
    let queue = |line: &str| tc::import(line).unwrap()["queue"].clone();
    let codel = queue("codel");
    let wanted = json!(["codel", "1000 pkt", "5 ms", "100 ms", false]);
    assert_eq!(
        json!([codel["kind"], codel["limit"], codel["target"], codel["interval"], codel["ecn"]]),
        wanted
    );
    let fq = queue("fq_codel");
    let wanted = json!(["fq_codel", "10240 pkt", 1024, "1.514 kB", "5 ms", "100 ms", true]);
    let found = [
        &fq["kind"],
        &fq["limit"],
        &fq["flows"],
        &fq["quantum"],
        &fq["target"],
        &fq["interval"],
        &fq["ecn"],
    ];
    assert_eq!(json!(found), wanted);
    let fq = queue("fq_pie");
    let wanted =
        json!(["fq_pie", "10240 pkt", 1024, "1.514 kB", "15 ms", 2.0 / 16.0, 20.0 / 16.0, false]);
    let found =
        ["kind", "limit", "flows", "quantum", "target", "alpha", "beta", "ecn"].map(|key| &fq[key]);
    assert_eq!(json!(found), wanted);
    let sfq = queue("sfq");
    let wanted = json!(["sfq", "127 pkt", 127, 1024, "0 s", false]);
    assert_eq!(
        json!(["kind", "limit", "depth", "divisor", "perturb", "headdrop"].map(|key| &sfq[key])),
        wanted
    );
    let dual = queue("dualpi2");
    let wanted = json!(["dualpi2", "10000 pkt", "15 ms", "16 ms", 0.16, 3.2, 2.0, "1 ms", 0, 0.1]);
    let keys = [
        "kind",
        "limit",
        "target",
        "tupdate",
        "alpha",
        "beta",
        "coupling_factor",
        "step_thresh",
        "th_len",
        "c_protection",
    ];
    assert_eq!(json!(keys.map(|key| &dual[key])), wanted);
    let pie = queue("pie");
    let wanted = json!(["pie", "1000 pkt", "15 ms", "15 ms", 2.0 / 16.0, 20.0 / 16.0, false]);
    let found = [
        &pie["kind"],
        &pie["limit"],
        &pie["target"],
        &pie["tupdate"],
        &pie["alpha"],
        &pie["beta"],
        &pie["ecn"],
    ];
    assert_eq!(json!(found), wanted);
}
