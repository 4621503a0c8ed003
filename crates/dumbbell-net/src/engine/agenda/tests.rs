//! The agenda against a sorted list.
use super::*;
use proptest::prelude::*;

proptest! {
    /// Against a sorted list, with pushes that depend on what was popped, as in a simulation.
    #[test]
    fn pops_in_order_of_time_rank_and_pushing(
        seeds in prop::collection::vec((0u64..5_000_000, 0u32..4), 1..60),
        delays in prop::collection::vec((0u64..3_000_000_000, 0u32..4), 0..400),
        rate in 1f64..1e9, horizon in 0u64..1_000_000_000,
    ) {
        let mut agenda = Agenda::new(rate, horizon);
        let mut model: Vec<(u64, u32, u32)> = Vec::new();
        let mut serial = 0u32;
        let mut push =
            |agenda: &mut Agenda, model: &mut Vec<(u64, u32, u32)>, t: u64, rank: u32| {
                let mut e = Entry::clock(t, rank);
                e.path_segment = serial;
                agenda.push(e);
                model.push((t, rank, serial));
                serial += 1;
            };
        for (t, rank) in seeds {
            push(&mut agenda, &mut model, t, rank);
        }
        let mut delays = delays.into_iter();
        while let Some(expected) = model.iter().min().copied() {
            prop_assert_eq!(agenda.next(), Some(expected.0));
            let e = *agenda.pop(u64::MAX / 2).unwrap();
            prop_assert_eq!((e.t, e.rank, e.path_segment), expected);
            model.retain(|x| *x != expected);
            for (d, rank) in delays.by_ref().take(2) {
                push(
                    &mut agenda,
                    &mut model,
                    e.t + d,
                    rank.max(if d == 0 { e.rank } else { 0 }),
                );
            }
        }
        prop_assert_eq!(agenda.next(), None);
        prop_assert!(agenda.pop(u64::MAX / 2).is_none());
    }
}

#[test]
fn stops_at_the_end_and_goes_on_later() {
    let mut a = Agenda::new(1e6, 0);
    a.push(Entry::clock(10, 0));
    a.push(Entry::clock(1 << 50, 0));
    assert_eq!(a.pop(5).map(|e| e.t), None);
    assert_eq!(a.pop(10).map(|e| e.t), Some(10));
    assert_eq!(a.pop(1 << 49).map(|e| e.t), None);
    assert_eq!(a.pop(1 << 50).map(|e| e.t), Some(1 << 50));
}

/// Entries that are far apart make buckets wider, and a crowd makes them narrower again; the order
/// is that of time all along.
#[test]
fn the_width_follows_the_crowd() {
    let mut a = Agenda::new(4e6, 1 << 40);
    let narrowest = a.shift;
    let apart = 1 << (narrowest + 1);
    let mut last = 0;
    let mut run = |a: &mut Agenda, from: u64, step: u64, count: u64| {
        (0..count).for_each(|i| a.push(Entry::clock(from + i * step, 0)));
        while let Some(e) = a.pop(from + count * step) {
            assert!(e.t >= last);
            last = e.t;
        }
    };
    run(&mut a, 0, apart, 1000);
    assert!(a.shift > narrowest, "few entries leave buckets of 2^{} ps", a.shift);
    let wide = a.shift;
    run(&mut a, 1000 * apart, apart / 64, 20_000);
    assert!(a.shift < wide, "a crowd leaves buckets of 2^{} ps", a.shift);
}
