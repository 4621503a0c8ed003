//! Random lines there and back.
use crate::{lines, meaning, there_and_back};
use dumbbell_lab::tc;
use proptest::prelude::*;

fn red() -> impl Strategy<Value = String> {
    let shape = (
        1u64..3000,
        2u64..60,
        2u64..5,
        4u64..9,
        0u32..400,
        1u32..1000,
        any::<bool>(),
        any::<bool>(),
    );
    shape.prop_map(|(avpkt, mins, times, room, more, p, ecn, hard)| {
        let (min, burst) = (avpkt * mins, mins as u32 + 1 + more);
        let flags = [(ecn, " ecn"), (ecn && hard, " harddrop")]
            .map(|(set, word)| if set { word } else { "" })
            .concat();
        format!(
            "red limit {} min {min} max {} avpkt {avpkt} burst {burst} probability {}{flags}",
            (min * times * room).max(1500),
            min * times,
            f64::from(p) / 1000.0
        )
    })
}

fn queue() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..=u32::MAX).prop_map(|n| format!("pfifo limit {n}")),
        (1500u32..=u32::MAX).prop_map(|n| format!("bfifo limit {n}")),
        (1u32..100_000).prop_map(|n| format!("pfifo_head_drop limit {n}")),
        red(),
        (red(), Just(" adaptive")).prop_map(|(red, word)| red + word),
        lines::queue(),
    ]
}

fn tbf() -> impl Strategy<Value = String> {
    let held = prop_oneof![
        (1u32..5_000_000).prop_map(|us| format!("latency {us}")),
        (1u32..u32::MAX).prop_map(|b| format!("limit {b}"))
    ];
    (1000u64..10_000_000_000, 1500u32..1_000_000, held)
        .prop_map(|(rate, burst, held)| format!("tbf rate {rate} burst {burst} {held}"))
}

fn netem() -> impl Strategy<Value = String> {
    let percent = || (0u32..=100_000).prop_map(|p| f64::from(p) / 1000.0);
    let loss = prop_oneof![
        Just(String::new()),
        percent().prop_map(|p| format!(" loss {p}%")),
        (percent(), percent()).prop_map(|(p, r)| format!(" loss gemodel {p}% {r}%")),
        (percent(), percent(), percent(), percent()).prop_map(|(p, r, h, k)| format!(
            " loss \
            gemodel {p} {r} {h} {k}"
        )),
    ];
    let delay = (1u32..10_000_000, 0.0f64..1.0, 0usize..6, percent(), 1u32..9).prop_map(
        |(us, j, way, share, gap)| {
            let jitter = (f64::from(us) * j) as u32;
            let rest = match way {
                0 => format!(" {}us distribution pareto", jitter / 2),
                1 => format!(" {jitter}us distribution normal"),
                2 => format!(" reorder {share}% gap {gap}"),
                _ => format!(" {jitter}us"),
            };
            format!(" delay {us}us{rest}")
        },
    );
    let word = |word: &'static str| {
        prop::option::of(percent().prop_map(move |p| {
            format!(
                " {word} \
        {p}%"
            )
        }))
    };
    (delay, loss, word("duplicate"), word("corrupt")).prop_map(
        |(delay, loss, duplicate, corrupt)| {
            format!(
                "netem{delay}{loss}{}{}",
                duplicate.unwrap_or_default(),
                corrupt.unwrap_or_default()
            )
        },
    )
}

/// Whole disciplines and chains.
fn device() -> impl Strategy<Value = String> {
    let add = |place: &str, words: &str| format!("tc qdisc add dev eth0 {place} {words}\n");
    prop_oneof![
        queue(),
        tbf(),
        (tbf(), queue()).prop_map(move |(t, q)| add("root handle 1:", &t) + &add("parent 1:1", &q)),
        (netem(), tbf(), queue()).prop_map(move |(n, t, q)| {
            add("root handle 1:", &n)
                + &add("parent 1:1 handle a:", &t)
                + &add(
                    "parent a:1 handle \
                b:",
                    &q,
                )
        }),
        (netem(), tbf()).prop_map(move |(n, t)| add("root handle 1:", &n)
            + &add(
                "parent 1:1 \
            handle a:",
                &t
            )),
    ]
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() }
    )]

    /// import, plan, export, import: the same meaning again, exactly. What tc itself rounds (a
    /// weight to a power of two) is rounded by the first import.
    #[test]
    fn the_way_back_says_the_same(text in device()) {
        // tc refuses some of these lines, as their weight has no exponent up to 31.
        prop_assume!(tc::import(&text).is_ok());
        let (first, second, lines) = there_and_back(&text);
        prop_assert_eq!(meaning(&first), meaning(&second), "{} became\n{}", text, lines);
    }

    /// Whatever stands there: a meaning, or an error that says something.
    #[test]
    fn any_words_are_read_or_refused(text in "(tc |qdisc |add |dev |root |parent |handle |1:1 \
        |netem |red |tbf |loss |delay |limit |burst |9k |1ms |5% |;|\\\\\n|#|é|\\PC){0,24}") {
        match tc::import(&text) {
            Ok(read) => prop_assert!(read["toml"].is_string()),
            Err(problem) => prop_assert!(!problem.rendered.trim().is_empty()),
        }
    }
}
