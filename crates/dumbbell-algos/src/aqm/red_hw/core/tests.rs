//! The core against vectors worked out beside it, and against the laws of its page.
use super::*;

fn shape(paper: bool) -> Shape {
    Shape { paper, ..Shape::default() }
}

/// A packet of queue 0 in clock `clock` that finds `qlen`.
fn packet(clock: u64, qlen: u16) -> Arrival {
    Arrival { clock, qlen, ..Arrival::default() }
}

/// The averages that packets see which all find `qlen`.
fn averages(core: &mut Core, qlen: u16, packets: u64) -> Vec<u32> {
    (0..packets).map(|clock| core.decide(packet(clock + core.since, qlen)).avg).collect()
}

/// Holds the average of queue 0 where it is: `w` packets weigh nothing then.
fn pinned(shape: Shape, avg: u32) -> Core {
    let mut core = Core::new(shape);
    core.acc[0] = if core.shape.paper { u64::from(avg) } else { u64::from(avg) << core.shape.w };
    core
}

/// The waveform that the paper prints: 11 packets on average, 12 in the queue, and `avg_pkts` is
/// 11266.
#[test]
fn the_papers_waveform() {
    for paper in [false, true] {
        let mut core = pinned(shape(paper), 11_264);
        assert_eq!(core.decide(packet(0, 12)).avg, 11_266);
    }
}

/// Ten fraction bits stop rising where the queue is less than half a packet away; 19 come within
/// the last place.
#[test]
fn ten_bits_stall_and_nineteen_do_not() {
    for (qlen, stall) in [(6, 5633), (12, 11_777), (36, 36_353)] {
        let seen = averages(&mut Core::new(shape(true)), qlen, 20_000);
        assert!(
            seen.is_sorted() && seen[10_000..].iter().all(|avg| *avg == stall),
            "{qlen}: {:?}",
            seen.last()
        );
        let exact = u32::from(qlen) << FRACTION;
        let seen = averages(&mut Core::new(shape(false)), qlen, 20_000);
        assert!(
            seen.is_sorted() && (exact - 1..=exact).contains(seen.last().unwrap()),
            "{qlen}: \
            {:?}",
            seen.last()
        );
        // Downwards both arrive.
        for paper in [true, false] {
            let mut core = pinned(shape(paper), 40 << FRACTION);
            let last = *averages(&mut core, qlen, 20_000).last().unwrap();
            assert!((exact..=exact + 1).contains(&last), "{qlen}, paper {paper}: {last}");
        }
    }
    assert_eq!(*averages(&mut pinned(shape(true), 9999), 0, 20_000).last().unwrap(), 0);
}

#[test]
fn a_step_of_36_packets_in_the_papers_arithmetic() {
    let seen = averages(&mut Core::new(shape(true)), 36, 2000);
    let series = [
        (1, 72),
        (2, 143),
        (10, 709),
        (100, 6500),
        (200, 11_847),
        (500, 22_834),
        (1000, 31_422),
        (2000, 35_873),
    ];
    for (n, avg) in series {
        assert_eq!(seen[n - 1], avg, "after {n}");
    }
}

/// Floyd and Jacobson's closed form Q (1 - (1 - w)^n). What is cut off of acc >> W, less than 1,
/// stays in the average and decays with it: less than 2^W in all, one unit of `avg`, which is
/// itself cut off. So they are less than a unit apart, 2^-10 packets.
#[test]
fn sound_averages_follow_the_closed_form() {
    for (n, avg) in averages(&mut Core::new(shape(false)), 36, 5000).iter().enumerate() {
        let exact = 36.0 * (1.0 - libm::pow(1.0 - 1.0 / 512.0, (n + 1) as f64)) * 1024.0;
        assert!((exact - f64::from(*avg)).abs() < 1.0, "{n}: {avg} and not {exact}");
    }
}

/// 0.02 over 6 packets is 27962; half-way between the thresholds it makes 0.01 of 2^21.
#[test]
fn the_probability_is_a_straight_line() {
    let default = Shape::default();
    assert_eq!(default.def_slope, ((0.02 * (1u64 << 33) as f64) / 6144.0) as u32);
    let p = |shape: &Shape, avg| pinned(shape.clone(), avg).p(0, 0);
    assert_eq!(p(&default, 9 << FRACTION), 20_971, "0.01 x 2^21 is 20971.5");
    assert_eq!([p(&default, 6143), p(&default, 6144), p(&default, 6145)], [0, 0, 6]);
    for avg in 6144..12_288 {
        let exact = 0.02 * f64::from(avg - 6144) / 6144.0 * (1u64 << 21) as f64;
        assert!((0.0..2.5).contains(&(exact - f64::from(p(&default, avg)))), "{avg}");
    }
    assert_eq!(p(&default, 12_288), U21);
    assert_eq!(p(&default.clone().with_constant(), 6144), 41_943, "0.02 x 2^21");
    // A slope beyond 1 ends at the largest number.
    assert_eq!(
        p(&Shape { def_slope: U18, ..default }, 12_287),
        ((u64::from(U18) * 6143) >> 12) as u32
    );
    let steep = Shape { def_min: 0, def_max: U18, def_slope: U18, ..Shape::default() };
    assert_eq!(p(&steep, 200_000), U21);
}

/// The average is held by what the queue is: no packet moves it.
fn steady(shape: Shape) -> Core {
    let mut core = pinned(shape, 9 << FRACTION);
    assert_eq!(averages(&mut core, 9, 3), [9216; 3]);
    core
}

/// Over a period every draw but 0 comes once, so that of 2^21 - 1 packets exactly p - 1 are
/// dropped.
#[test]
fn over_a_period_the_rate_is_exact() {
    for shape in [shape(false), shape(true), shape(false).with_constant()] {
        let mut core = steady(shape);
        let p = core.p(0, 0);
        let from = core.since;
        let drops = (0..lfsr::PERIOD).filter(|n| core.decide(packet(from + n, 9)).drop).count();
        assert_eq!(drops as u32, p - 1);
    }
}

/// Uniform gaps 1 .. 1/p have a mean of half as much: twice the drops.
#[test]
fn gaps_are_uniform_and_half_as_long() {
    let mut core = steady(Shape { gap: true, ..shape(false) });
    let p = core.p(0, 0);
    let (mut gaps, mut gap) = (vec![0u32; 128], 0);
    for n in 0..lfsr::PERIOD {
        gap += 1;
        if core.decide(packet(n, 9)).drop {
            gaps[gap] += 1;
            gap = 0;
        }
    }
    let drops: u32 = gaps.iter().sum();
    let rate = f64::from(drops) / lfsr::PERIOD as f64;
    let expected = f64::from(p) / f64::from(1 << 21);
    assert!(
        (rate / (2.0 * expected / (1.0 + expected)) - 1.0).abs() < 0.01,
        "{rate} and not twice \
        {expected}"
    );
    // The credit is up to 2^21 - 1, of which p is taken each time: gaps of 1 .. 101, the last of
    // which is the remainder.
    assert_eq!(((1 << 21) - 1) / p, 100);
    assert!(gaps[0] == 0 && gaps[102..].iter().all(|n| *n == 0));
    let each = f64::from(drops) / (f64::from((1 << 21) - 1) / f64::from(p));
    let chi2: f64 =
        gaps[1..=100].iter().map(|n| (f64::from(*n) - each) * (f64::from(*n) - each) / each).sum();
    // 99 degrees of freedom: 148 is the 99.9th percentile, and draws of a whole period are more
    // even than chance.
    assert!(chi2 < 148.0, "{chi2}");
}

#[test]
fn regions_say_what_chance_does_not() {
    for paper in [false, true] {
        for gap in [false, true] {
            let mut core = Core::new(Shape { gap, ..shape(paper) });
            for n in 0..20_000u64 {
                let d = core.decide(packet(9 * n, (n / 200 % 37) as u16));
                match d.region {
                    Region::Queueing => assert!(d.avg < 6144 && !d.drop),
                    Region::Random => assert!((6144..12_288).contains(&d.avg)),
                    Region::Force => assert!(d.avg >= 12_288 && d.drop),
                }
            }
        }
    }
}

/// One step a clock, whoever asks; what is written to it stands in the clock after.
#[test]
fn the_papers_draw_runs_freely() {
    let mut core = Core::new(shape(true));
    let draw = |clock, core: &mut Core| core.decide(packet(clock, 0)).draw;
    assert_eq!([draw(0, &mut core), draw(1, &mut core), draw(19, &mut core)], [1, 2, 0x80001]);
    core.write(register::DRAW, 0x15);
    assert_eq!([draw(20, &mut core), draw(21, &mut core)], [0x15, 0x2A]);
    core.write_at(100, register::DRAW, 0);
    assert_eq!([draw(101, &mut core), draw(118, &mut core)], [2, 1 << 18]);
    core.reset_at(1000);
    assert_eq!(draw(1042, &mut core), 0x11);
    core.reset();
    assert_eq!(draw(42, &mut core), 0x11);
}

/// 32 steps a packet, whatever the clock, the queue and the region.
#[test]
fn the_sound_draw_goes_with_packets() {
    let mut core = Core::new(shape(false));
    for n in 0..1000u64 {
        let found = core.decide(Arrival {
            clock: n * n,
            qid: (n % 8) as u8,
            qlen: (n % 50) as u16,
            ..packet(0, 0)
        });
        assert_eq!(found.draw, Polynomial::Dense.jump(1, 32 * n));
    }
}

#[test]
fn registers_have_their_bits_and_places() {
    let mut core = Core::new(Shape { queues: 3, classes: 4, ..Shape::default() });
    let fresh = core.clone();
    // A queue and a table that are not there.
    core.write(register::address(table::MIN, 0, 3), 0);
    core.write(register::address(5, 0, 0), 0);
    core.write(register::address(table::CORE, 3, 7), 0);
    assert_eq!(format!("{core:?}"), format!("{fresh:?}"));
    let at = register::address(table::MIN, 2, 1);
    assert_eq!(at, 0x11);
    for t in [table::MIN, table::MAX, table::SLOPE, table::LOWER, table::UPPER] {
        core.write(register::address(t, 2, 1), u32::MAX);
    }
    let e = core.entries[entry(2, 1)];
    assert_eq!([e.min, e.max, e.slope, e.lower, e.upper], [U22, U22, U18, U22, U22]);
    assert_eq!(core.entries[entry(2, 2)].max, 12_288);
    core.write(register::CONTROL, 2);
    assert!(!core.enable);
    core.reset();
    assert_eq!(format!("{core:?}"), format!("{fresh:?}"));
    let mut constant = Core::new(Shape::default().with_constant());
    constant.write(register::address(table::SLOPE, 0, 0), u32::MAX);
    assert_eq!(constant.slope(0, 0), U21);
}

/// Switched off it drops nothing, and averages all the same.
#[test]
fn disabled_it_queues() {
    let mut core = pinned(Shape { gap: true, ..shape(false) }, 30 << FRACTION);
    core.write(register::CONTROL, 0);
    let d = core.decide(packet(0, 40));
    assert!(d.region == Region::Queueing && !d.drop && d.avg > 30 << FRACTION);
    assert_eq!(core.credit[0], d.draw, "outside of the random region a credit is drawn anew");
    core.write(register::CONTROL, 1);
    assert_eq!(core.decide(packet(1, 40)).region, Region::Force);
}

#[test]
fn classes_share_the_average_and_not_the_thresholds() {
    let mut core = pinned(Shape { classes: 4, ..shape(false) }, 9 << FRACTION);
    core.write(register::address(table::MIN, 1, 0), 10 << FRACTION);
    core.write(register::address(table::MAX, 2, 0), 9 << FRACTION);
    let mut region = |class| {
        let d = core.decide(Arrival { class, ..packet(0, 9) });
        (d.avg, d.region)
    };
    assert_eq!(region(0), (9216, Region::Random));
    assert_eq!(region(1), (9216, Region::Queueing));
    assert_eq!(region(2), (9216, Region::Force));
    let mut one = pinned(shape(false), 9 << FRACTION);
    assert_eq!(one.decide(Arrival { class: 2, ..packet(0, 9) }).region, Region::Random);
}

/// An explanation has the registers of the packet's class and queue, the numbers before the packet,
/// and the decision that the packet then gets.
#[test]
fn a_trace_tells_what_the_decision_will_be() {
    for classes in [1, 4] {
        let mut core =
            Core::new(Shape { classes, gap: true, queues: 8, def_min: 0, ..shape(false) });
        for (class, queue) in (0..4).flat_map(|class| (0..8).map(move |queue| (class, queue))) {
            let at = register::address(table::MAX, class, queue);
            core.write(at, (40 + 10 * u32::from(class) + u32::from(queue)) << FRACTION);
        }
        for n in 0..2000u64 {
            let (class, qid) = ((n % 7 % 4) as u8, (n % 8) as u8);
            let arrival = Arrival { qid, class, ..packet(n, (n / 50) as u16) };
            let (avg, credit) = (core.avg(qid), core.credit(qid));
            let trace = core.inside(arrival);
            let named = if classes == 4 { class } else { 0 };
            assert_eq!(trace.entry, core.entry(named, qid));
            let max = 40 + 10 * u32::from(named) + u32::from(qid);
            assert_eq!(trace.entry.max, max << FRACTION);
            assert_eq!((trace.before, trace.credit), (avg, Some(credit)));
            assert_eq!((core.avg(qid), core.credit(qid)), (avg, credit), "nothing changes");
            let decision = core.decide(arrival);
            assert_eq!(trace.decision, decision);
            assert_eq!(trace.p.is_some(), decision.region == Region::Random);
            assert!(trace.p.is_none_or(|p| p == core.p(named, qid)));
        }
    }
    let plain = Core::new(shape(false));
    assert_eq!(plain.inside(packet(0, 9)).credit, None);
    assert!(plain.enabled() && plain.draw() == 1);
}

/// Two half half-lives halve it, one takes a quarter, 62 leave nothing of 31 bits.
#[test]
fn idle_times_decay() {
    let after = |idle, on| {
        let mut core = pinned(Shape { idle: on, ..shape(false) }, 8 << FRACTION);
        core.decide(Arrival { idle, ..packet(0, 0) }).avg
    };
    let kept = |share: f64| (8192.0 * share * 511.0 / 512.0) as u32;
    assert_eq!([after(0, true), after(1, true)], [kept(1.0), kept(0.75)]);
    assert_eq!(
        [after(2, true), after(3, true), after(9, true)],
        [kept(0.5), kept(0.375), kept(0.046_875)]
    );
    assert_eq!([after(62, true), after(63, true), after(40, false)], [0, 0, kept(1.0)]);
}

/// A step for each class and queue at its next packet, which has the old slope itself; at most one
/// a tick.
#[test]
fn slopes_adapt_once_a_tick() {
    let mut core = pinned(Shape { adapt: true, ..shape(false) }, 9 << FRACTION);
    for (addr, data) in [
        (register::address(table::LOWER, 0, 0), 8 << FRACTION),
        (register::address(table::UPPER, 0, 0), 10 << FRACTION),
        (register::ALPHA, 1000),
        (register::LEAST, 20_000),
        (register::LARGEST, 30_000),
    ] {
        core.write(addr, data);
    }
    let mut at = |avg: u64, tick| {
        core.acc[0] = avg << 19;
        core.decide(Arrival { tick, ..packet(0, avg as u16) });
        core.slope(0, 0)
    };
    assert_eq!(at(9, true), 27_962, "within the targets");
    assert_eq!(at(11, false), 27_962, "no longer due");
    assert_eq!(
        [at(11, true), at(11, false), at(11, true), at(11, true), at(11, true)],
        [28_962, 28_962, 29_962, 30_962, 30_962]
    );
    assert_eq!([at(7, true), at(7, false), at(7, true)], [30_962 - 3870, 27_092, 27_092 - 3386]);
    assert_eq!([at(7, true), at(7, true), at(7, true)], [23_706 - 2963, 20_743 - 2592, 18_151]);
    // Other queues had their ticks too, and use one at their next packet.
    assert!((1..8).all(|k| core.entries[entry(0, k)].due) && !core.entries[0].due);
}
