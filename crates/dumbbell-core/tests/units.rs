//! Units as people write them: what is written is read back, and what is wrong is named with its
//! fix.
use dumbbell_core::units::Backlog;
use dumbbell_core::units::{Bytes, Capacity, Limit, Packets, Rate, Span, Transmitter, UnitError};
use proptest::prelude::*;

proptest! {
    #[test]
    fn written_and_read_back(x in 1u64.., shift in 0u32..64) {
        let x = (x >> shift).max(1);
        prop_assert_eq!(Span::from_ps(x).to_string().parse(), Ok(Span::from_ps(x)));
        prop_assert_eq!(Rate::from_bps(x).to_string().parse(), Ok(Rate::from_bps(x)));
        prop_assert_eq!(Bytes(x).to_string().parse(), Ok(Bytes(x)));
        prop_assert_eq!(Limit::Bytes(Bytes(x)).to_string().parse(), Ok(Limit::Bytes(Bytes(x))));
        let buffers = Limit::Buffers((x >> 32) as u32, Bytes((x & 0xffff).max(1)));
        prop_assert_eq!(buffers.to_string().parse(), Ok(buffers));
        prop_assert_eq!(
            Limit::Time(Span::from_ps(x)).to_string().parse(),
            Ok(Limit::Time(Span::from_ps(x)))
        );
    }

    #[test]
    fn fractions_are_written_and_read_back(x in 0.0f64..1e12) {
        prop_assert_eq!(Packets(x).to_string().parse(), Ok(Packets(x)));
        prop_assert_eq!(Limit::Bdp(x).to_string().parse(), Ok(Limit::Bdp(x)));
    }

    /// Three decimals of a unit are exact: 1.234 ms are 1 234 000 000 ps.
    #[test]
    fn decimals_are_exact(whole in 0u64..1_000_000, thousandths in 0u64..1000) {
        let text = format!("{whole}.{thousandths:03} ms");
        prop_assert_eq!(text.parse(), Ok(Span::from_us(whole * 1000 + thousandths)));
    }

    /// Nothing panics, and no reading is silent about what it could not read.
    #[test]
    fn any_text_is_read_or_refused_with_words(text in "\\PC{0,16}") {
        for error in
            [text.parse::<Span>().err(), text.parse::<Rate>().err(), text.parse::<Limit>().err()]
        {
            prop_assert!(error.is_none_or(|e| e.0.len() > 10));
        }
    }

    /// A transmitter's clock never drifts: after any packets it is within a picosecond of their
    /// bits over the rate.
    #[test]
    fn transmitter_keeps_its_rate(
        bps in 1_000u64..400_000_000_000,
        sizes in prop::collection::vec(1u32..65_536, 1..50),
    ) {
        let mut clock = Transmitter::new(Rate::from_bps(bps));
        let ps: u128 = sizes.iter().map(|s| u128::from(clock.span(*s).ps())).sum();
        let work: u128 = sizes.iter().map(|s| u128::from(*s) * 8_000_000_000_000).sum();
        prop_assert_eq!(ps, work / u128::from(bps));
    }
}

fn refusal<T: std::str::FromStr<Err = E>, E: std::fmt::Display>(text: &str) -> String {
    text.parse::<T>().err().map(|e| e.to_string()).unwrap_or_else(|| panic!("`{text}` was read"))
}

#[test]
fn refusals_name_the_fix() {
    for (error, part) in [
        (refusal::<Span, _>("10"), "write \"10 s\" or \"10 ms\""),
        (refusal::<Rate, _>("10"), "write \"10 Mbps\""),
        (refusal::<Bytes, _>("10"), "write \"10 B\""),
        (refusal::<Packets, _>("10"), "write \"10 pkt\""),
        (refusal::<Limit, _>("36"), "write \"36 pkt\""),
        (refusal::<Packets, _>("10 kB"), "write \"10 pkt\""),
        (refusal::<Limit, _>("10 furlongs"), "pkt, B, kB, MB, ms, s or BDP"),
        (refusal::<Span, _>("10 parsec"), "known are ps, ns, us"),
        (refusal::<Span, _>("-1 ms"), "not negative"),
        (refusal::<Span, _>("1e300 s"), "too large"),
        (refusal::<Rate, _>("0 bps"), "above zero"),
        (refusal::<Rate, _>("10 gbps"), "10 Gbps"),
        (refusal::<Span, _>("ms"), "write a number and a unit"),
    ] {
        assert!(error.contains(part), "`{error}` does not say `{part}`");
    }
}

#[test]
fn large_numbers_have_an_exponent() {
    let shown = |x: f64| (Packets(x).to_string(), Limit::Bdp(x).to_string());
    assert_eq!(shown(1e300), ("1e300 pkt".into(), "1e300 BDP".into()));
    assert_eq!(shown(9e15), ("9000000000000000 pkt".into(), "9000000000000000 BDP".into()));
    assert_eq!(shown(0.25), ("0.25 pkt".into(), "0.25 BDP".into()));
    assert_eq!(shown(1e300).0.parse(), Ok(Packets(1e300)));
}

#[test]
fn a_part_of_a_packet_is_told() {
    let told = |text: &str| text.parse::<Limit>().unwrap().part_of_packet();
    let (cause, fix) = told("2.5 pkt").unwrap();
    assert_eq!(cause, "2.5 pkt is not a whole number of packets");
    assert_eq!(fix, "write \"2 pkt\"");
    assert_eq!(told("0.5 pkt").unwrap().1, "write \"1 pkt\"");
    for whole in ["2.0 pkt", "0 pkt", "2.5 kB", "2.5 ms", "0.5 BDP", "unlimited"] {
        assert_eq!(told(whole), None, "{whole}");
    }
}

#[test]
fn numbers_without_a_unit_are_refused_in_files_too() {
    for value in [serde_json::json!(10), serde_json::json!(-1), serde_json::json!(1.5)] {
        let error = serde_json::from_value::<Span>(value.clone()).unwrap_err().to_string();
        assert!(error.contains(&format!("write \"{value} s\" or \"{value} ms\"")), "{error}");
    }
}

#[test]
fn the_same_amount_in_many_words() {
    for text in
        ["1.5 Mbps", "1.5Mbps", " 1500 kbps ", "1_500_000 bps", "1.5e6 bit/s", "0.0015Gbit/s"]
    {
        assert_eq!(text.parse(), Ok(Rate::from_bps(1_500_000)), "{text}");
    }
    for text in ["90 s", "1.5 min", "0.025 h", "90000ms", "9e7 µs"] {
        assert_eq!(text.parse(), Ok(Span::from_secs(90)), "{text}");
    }
    assert_eq!("2 KiB".parse(), Ok(Bytes(2048)));
}

#[test]
fn limits_resolve_on_their_link() {
    let (rate, rtt) = (Rate::from_mbps(8), Span::from_ms(100));
    let capacity = |text: &str| text.parse::<Limit>().unwrap().resolve(rate, rtt);
    assert_eq!(capacity("36 pkt"), Capacity::Packets(36));
    assert_eq!(capacity("64 kB"), Capacity::Bytes(64_000));
    assert_eq!(capacity("10 ms"), Capacity::Bytes(10_000));
    assert_eq!(capacity("0.5 BDP"), Capacity::Bytes(50_000));
    assert_eq!(capacity("unlimited"), Capacity::Unlimited);
    for text in ["64 x 2048 B", "64x2KiB", "64 × 2.048 kB", " 6_4  x  2048  B "] {
        assert_eq!(capacity(text), Capacity::Buffers { count: 64, size: 2048 }, "{text}");
    }
    assert_eq!("64x2KiB".parse::<Limit>().unwrap().to_string(), "64 x 2048 B");
}

#[test]
fn a_packet_that_fills_the_limit_exactly_fits() {
    let waits = |packets, bytes| Backlog { packets, bytes, buffers: 0 };
    assert!(
        Capacity::Bytes(3000).fits(waits(1, 1500), 1500)
            && !Capacity::Bytes(3000).fits(waits(1, 1501), 1500)
    );
    assert!(
        Capacity::Packets(2).fits(waits(1, 9000), 1500)
            && !Capacity::Packets(2).fits(waits(2, 0), 1)
    );
    assert!(
        !Capacity::Packets(0).fits(waits(0, 0), 1)
            && Capacity::Unlimited.fits(waits(u32::MAX, u64::MAX - 1), 1)
    );
    let used = |buffers| Backlog { packets: 1, bytes: 1, buffers };
    // Full once it is reached: the last packet may go beyond.
    let reached = Capacity::Bytes(3000).until_reached().unwrap();
    assert!(reached.fits(waits(3, 2999), 9180) && !reached.fits(waits(2, 3000), 1));
    assert!(!Capacity::Reached(0).fits(waits(0, 0), 1));
    assert_eq!(reached.less(waits(1, 2000)), Capacity::Reached(1000));
    assert_eq!(Capacity::Packets(2).until_reached(), Some(Capacity::Packets(2)));
    assert_eq!(Capacity::Buffers { count: 64, size: 2048 }.until_reached(), None);
    let two_left = |bytes| Capacity::Buffers { count: 64, size: 2048 }.fits(used(62), bytes);
    assert!(two_left(1) && two_left(2048) && two_left(2049) && two_left(4096) && !two_left(4097));
}

/// By hand: 9180 bytes are 4.48 buffers of 2048, so five; 64 hold 12 such packets, and 64 of 1500
/// bytes.
#[test]
fn a_limit_in_buffers_is_in_packets() {
    let limit = Capacity::Buffers { count: 64, size: 2048 };
    assert_eq!(
        (limit.in_packets(1500), limit.in_packets(9180), limit.in_packets(2049)),
        (Some(64.0), Some(12.0), Some(32.0))
    );
    let waits = Backlog { packets: 3, bytes: 12_180, buffers: 7 };
    assert_eq!(limit.filled(waits), Some((7.0, 64.0)));
    assert_eq!(limit.less(waits), Capacity::Buffers { count: 57, size: 2048 });
    assert!(!limit.exceeded(waits) && Capacity::Buffers { count: 6, size: 2048 }.exceeded(waits));
}

#[test]
fn buffers_that_are_none_are_refused_with_what_to_write() {
    for (text, word) in [
        ("64 x 0 B", "from 1 to"),
        ("6.5 x 2048 B", "not a whole number"),
        ("x 2048 B", "not a whole number"),
        ("64 x 2048", "needs its unit"),
        ("64 x", "not a size"),
        ("64 x 2 pkt", "not a unit of size"),
    ] {
        let UnitError(said) = text.parse::<Limit>().unwrap_err();
        assert!(said.contains(word) && said.contains("\"64 x 2048 B\""), "{text}: {said}");
    }
}
