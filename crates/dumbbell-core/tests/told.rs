//! The port tells an algorithm what happens to each arriving packet: once, in order, and with the
//! reason that the results have.
use dumbbell_core::aqm::{Aqm, Cx, Decision, Gone, Limit, Needs, QueueView, Reason, Slot, Verdict};
use dumbbell_core::packet::{Ecn, Meta};
use dumbbell_core::probe::{Gauges, Probe};
use dumbbell_core::qdisc::{Fifo, Qdisc};
use dumbbell_core::rng::Stream;
use dumbbell_core::testing::{Bench, Numbered, link, packet};
use dumbbell_core::units::{Capacity, Span, Time};
use std::cell::Cell;

/// An arrival whose outcome was not told yet.
struct Open {
    p: Meta,
    at: Time,
    verdict: Verdict,
    fits: bool,
    overflowed: bool,
    evicted: u32,
    /// True if the numbers of the decision were recorded with a drop or a mark.
    recorded: Cell<bool>,
}

/// Answers by chance, and checks what it is told about each packet.
#[derive(Default)]
struct Told {
    open: Option<Open>,
    admitted: u32,
    refused: [u32; 8],
    overflows: u32,
    saved: u32,
}

impl Aqm for Told {
    fn needs(&self) -> Needs {
        Needs::Held
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        assert!(self.open.is_none(), "nothing was told of the last packet");
        let evict =
            |slot, arrival_too| Verdict::Evict { slot, reason: Reason::Forced, arrival_too };
        let verdict = match cx.rng.below(8) {
            0 => Verdict::Drop(Reason::Early),
            1 => Verdict::Signal(Reason::Early),
            2 => Verdict::Mark(Reason::Forced),
            3 if q.waiting() > 0 => evict(cx.rng.below(q.waiting()), cx.rng.coin(0.5)),
            _ => Verdict::Pass,
        };
        self.open = Some(Open {
            p: *p,
            at: cx.now,
            verdict,
            fits,
            overflowed: false,
            evicted: 0,
            recorded: Cell::new(false),
        });
        verdict
    }
    fn overflowed(&mut self, cx: &mut Cx<'_>, limit: Limit) {
        let open = self.open.as_mut().expect("an arrival");
        assert_eq!(
            (limit, open.fits, open.overflowed, open.at),
            (Limit::Own, false, false, cx.now)
        );
        assert!(open.verdict.admits(open.p.ecn), "{:?} lets nothing in", open.verdict);
        open.overflowed = true;
        self.overflows += 1;
    }
    fn make_room(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta) -> Option<Slot> {
        let open = self.open.as_ref().expect("an arrival");
        assert!(open.overflowed && open.p == *p);
        (q.waiting() > 0 && cx.rng.coin(0.5)).then_some(0)
    }
    fn gone(&mut self, _: &Meta, how: Gone) {
        if let (Some(open), Gone::Evicted) = (&mut self.open, how) {
            open.evicted += 1;
        }
    }
    fn admitted(&mut self, p: &Meta) {
        let open = self.open.take().expect("an arrival");
        assert!(open.p == *p && open.verdict.admits(p.ecn));
        assert_eq!(open.overflowed, !open.fits);
        assert!(open.fits || open.evicted > 0, "it does not fit, and nothing made room");
        self.saved += u32::from(!open.fits);
        self.admitted += 1;
    }
    fn refused(&mut self, cx: &mut Cx<'_>, p: &Meta, reason: Reason) {
        let open = self.open.take().expect("an arrival");
        assert!(open.p == *p && open.at == cx.now);
        assert!(open.recorded.get(), "the drop is recorded first");
        let expected = match (open.verdict, open.verdict.decide(p.ecn, true)) {
            (Verdict::Evict { reason, arrival_too: true, .. }, _) => reason,
            (_, Decision::Drop(reason)) => reason,
            _ => Reason::Overflow,
        };
        assert_eq!((reason, open.overflowed), (expected, expected == Reason::Overflow));
        self.refused[reason.index()] += 1;
    }
    fn probe(&self, out: &mut dyn Probe) {
        if let Some(open) = &self.open {
            open.recorded.set(true);
        }
        out.gauge("admitted", f64::from(self.admitted));
        out.gauge("refused", f64::from(self.refused.iter().sum::<u32>()));
        out.gauge("early", f64::from(self.refused[Reason::Early.index()]));
        out.gauge("forced", f64::from(self.refused[Reason::Forced.index()]));
        out.gauge("overflow", f64::from(self.refused[Reason::Overflow.index()]));
        out.gauge("overflows", f64::from(self.overflows));
        out.gauge("saved", f64::from(self.saved));
    }
}

#[test]
fn each_arrival_is_admitted_or_refused_once() {
    let site = link(Capacity::Bytes(4_000));
    let mut bench = Bench::new(Fifo::<_, Numbered>::new(Told::default()), site, 1, false);
    let (mut rng, mut now) = (Stream::named(2, "told"), Time::ZERO);
    let arrivals = 4_000;
    for _ in 0..arrivals {
        now += Span::from_us(u64::from(rng.below(8_000)));
        let ecn = if rng.coin(0.5) { Ecn::Ect0 } else { Ecn::NotEct };
        bench.arrive(now, packet(0, 40 + rng.below(1461), ecn));
    }
    let mut seen = Gauges::default();
    bench.port.qdisc().probe(&mut seen);
    let told = |name: &str| seen.get(name).unwrap();
    assert_eq!(told("admitted") + told("refused"), f64::from(arrivals));
    // No waiting packet is dropped early or as overflow.
    assert_eq!(told("early"), bench.journal.dropped(Reason::Early) as f64);
    assert_eq!(told("overflow"), bench.journal.dropped(Reason::Overflow) as f64);
    assert_eq!(told("overflows"), told("overflow") + told("saved"));
    for name in ["early", "forced", "overflow", "saved"] {
        assert!(told(name) > 30.0, "{name}: {}", told(name));
    }
}
