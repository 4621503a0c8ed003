//! Lock-out: whether a few flows keep the others out of the queue.
//!
//! RFC 2309, section 2: tail drop "allows a single connection or a few flows to monopolize queue
//! space, preventing other connections from getting room in the queue". So it takes two things: a
//! flow has far less than its part of what went through, and it was refused. Time is cut into
//! windows; a flow is *locked out* of one if less than a tenth of its fair share of the bytes
//! stayed in the queue for it, and it lost a packet here since it last had more. A flow that asks
//! for little is not locked out, because it loses nothing, or gets what it asks for.
use super::colors::QueueColors;
use super::flow_index::FlowIndex;
use dumbbell_core::packet::Dscp;

/// Below this part of the fair share a flow is locked out.
const PART: f64 = 0.1;
/// A flow that was refused and has not been heard of for so many windows is gone.
const PATIENCE: u8 = 64;

/// The share of a queue that each flow gets. What each packet touches comes last.
#[repr(C)]
pub(crate) struct Shares {
    /// Counts by color, if somebody asks for them.
    colors: Option<Box<QueueColors>>,
    flows: Vec<FlowState>,
    /// Windows times flows that were present, and in how many of these one was locked out.
    pairs: u64,
    locked: u64,
    /// Different flows since the beginning.
    seen: u32,
    /// True if few of the plan's flows come, and have places in the lists; else a flow's number is
    /// its place.
    few: bool,
    places: FlowIndex,
    /// The flow that came last, its place, and its bytes since then, which are not in `got` yet:
    /// packets of a flow often follow one another. [`NOBODY`] where this is not done.
    last: u32,
    place: u32,
    run: u64,
    /// A flow's number with these bits is its place in `got`, or beyond its end: all bits are set
    /// if there are colors to count or places to find.
    mask: u32,
    /// Bytes of this window by place.
    got: Vec<u64>,
}

/// No flow has this number.
const NOBODY: u32 = u32::MAX;

/// The state of one flow.
#[derive(Clone, Copy, Default)]
struct FlowState {
    seen: bool,
    /// A packet was dropped in this window.
    dropped: bool,
    /// A packet was dropped in a window before, since it last had enough.
    refused: bool,
    /// The last packet that came in the window before was dropped: it is sure to try again.
    waiting: bool,
    /// Windows since it last came. Unless it is sure to try again they count when it does: until
    /// then it may be over.
    silent: u8,
    /// Bytes of this window when a packet was last dropped.
    had: u64,
}

impl Default for Shares {
    fn default() -> Self {
        Shares::new(None, false)
    }
}

impl Shares {
    /// Shares that also tell colors apart, the codepoints of `inside` (a bit each) from all others,
    /// if somebody asks for them. `few`: of the flows of the plan few come here.
    pub(crate) fn new(inside: Option<u64>, few: bool) -> Self {
        Shares {
            colors: inside.map(|inside| Box::new(QueueColors::new(inside))),
            flows: Vec::new(),
            pairs: 0,
            locked: 0,
            seen: 0,
            few,
            places: FlowIndex::default(),
            last: NOBODY,
            place: 0,
            run: 0,
            mask: if inside.is_some() || few { u32::MAX } else { 0 },
            got: Vec::new(),
        }
    }

    /// Arrivals and drops by color, if they are counted.
    pub(crate) fn colors(&self) -> Option<&QueueColors> {
        self.colors.as_deref()
    }

    /// A packet of `flow` comes.
    #[inline(always)]
    pub(crate) fn came(&mut self, flow: u32, bytes: u32, dscp: Dscp) {
        if flow == self.last {
            self.run += u64::from(bytes);
        } else if let Some(got) = self.got.get_mut((flow | self.mask) as usize) {
            *got += u64::from(bytes);
        } else {
            self.came_with_care(flow, bytes, dscp);
        }
    }

    #[inline(never)]
    fn came_with_care(&mut self, flow: u32, bytes: u32, dscp: Dscp) {
        self.settle();
        let at = if self.few { self.places.place(flow) } else { flow as usize };
        match &mut self.colors {
            Some(colors) => colors.came(dscp),
            None if self.few => (self.last, self.place) = (flow, at as u32),
            None => {}
        }
        if self.got.len() <= at {
            let size = (at + 1).next_power_of_two();
            self.got.resize(size, 0);
            self.flows.resize(size, FlowState::default());
        }
        self.got[at] += u64::from(bytes);
    }

    /// Takes the bytes of the run to the list.
    #[inline]
    fn settle(&mut self) {
        if self.run > 0 {
            self.got[self.place as usize] += std::mem::take(&mut self.run);
        }
    }

    /// A packet of `flow` that came was dropped.
    pub(crate) fn refused(&mut self, flow: u32, bytes: u32, dscp: Dscp) {
        self.settle();
        if let Some(colors) = &mut self.colors {
            colors.refused(dscp);
        }
        let at = if self.few { self.places.find(flow) } else { Some(flow as usize) };
        if let Some(at) = at
            && let Some(got) = self.got.get_mut(at)
        {
            *got = got.saturating_sub(u64::from(bytes));
            let guest = &mut self.flows[at];
            (guest.dropped, guest.had) = (true, *got);
        }
    }

    /// A window ends, and the next begins.
    pub(crate) fn turn(&mut self) {
        self.settle();
        let (mut total, mut present) = (0, 0u64);
        for (got, guest) in self.got.iter().zip(&mut self.flows) {
            total += got;
            present += u64::from(guest.is_present(*got));
        }
        let least = PART * total as f64 / present as f64;
        for (got, guest) in self.got.iter_mut().zip(&mut self.flows) {
            let had = std::mem::take(got);
            if had == 0 && !guest.dropped {
                guest.silent = guest.silent.saturating_add(1);
                let counts = u64::from(guest.refused && guest.waiting);
                (self.pairs, self.locked) = (self.pairs + counts, self.locked + counts);
                continue;
            }
            self.seen += u32::from(!std::mem::replace(&mut guest.seen, true));
            let silent = u64::from(std::mem::take(&mut guest.silent));
            let before = if guest.refused && !guest.waiting { silent } else { 0 };
            guest.waiting = guest.dropped && guest.had == had;
            guest.refused |= std::mem::take(&mut guest.dropped);
            guest.refused &= (had as f64) < least;
            self.pairs += before + 1;
            self.locked += before + u64::from(guest.refused);
        }
    }

    /// Everything begins: what was before does not count.
    pub(crate) fn begin(&mut self) {
        self.settle();
        if let Some(colors) = &mut self.colors {
            colors.begin();
        }
        self.got.fill(0);
        self.flows.fill(FlowState::default());
        (self.seen, self.pairs, self.locked) = (0, 0, 0);
    }

    /// Everything ends; a window that is not whole counts for [`Self::seen`] only.
    pub(crate) fn end(&mut self) {
        self.settle();
        let came = self
            .got
            .iter()
            .zip(&self.flows)
            .filter(|(got, guest)| !guest.seen && (**got > 0 || guest.dropped));
        self.seen += came.count() as u32;
    }

    /// The share of flows that were locked out, on average over windows; `None` without a window.
    pub(crate) fn lock_out(&self) -> Option<f64> {
        (self.pairs > 0).then(|| self.locked as f64 / self.pairs as f64)
    }

    /// Different flows that came.
    pub(crate) fn seen(&self) -> u32 {
        self.seen
    }
}

impl FlowState {
    /// True if it takes part in a window in which it got so much: it came, or waits for another try
    /// after a loss. One that has been silent for too long is gone, and begins again if it comes
    /// again.
    fn is_present(&mut self, got: u64) -> bool {
        if got > 0 || self.dropped {
            return true;
        }
        if self.silent >= PATIENCE {
            (self.refused, self.waiting, self.silent) = (false, false, 0);
        }
        self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BE: Dscp = Dscp(0);

    /// Lets each flow send so many packets, of which so many are dropped.
    fn window(s: &mut Shares, flows: &[(u32, u32)]) {
        for (flow, (sent, dropped)) in flows.iter().enumerate() {
            (0..*sent).for_each(|_| s.came(flow as u32, 1000, BE));
            (0..*dropped).for_each(|_| s.refused(flow as u32, 1000, BE));
        }
        s.turn();
    }

    /// Flows with places are told apart as flows by their numbers are.
    #[test]
    fn places_change_nothing() {
        let (mut dense, mut few) = (Shares::default(), Shares::new(None, true));
        let mut chance = 12_345u32;
        let mut draw = |n: u32| {
            chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (chance >> 8) % n
        };
        for step in 0..5000 {
            let (flow, bytes) = (draw(60) * 7, 40 + draw(1460));
            let refused = draw(9) == 0;
            for s in [&mut dense, &mut few] {
                s.came(flow, bytes, BE);
                if refused {
                    s.refused(flow, bytes, BE);
                }
                if step % 90 == 89 {
                    s.turn();
                }
                if step == 1000 {
                    s.begin();
                }
            }
        }
        few.refused(3, 40, BE);
        dense.end();
        few.end();
        assert!(dense.lock_out().is_some_and(|share| share > 0.0));
        assert_eq!((dense.lock_out(), dense.seen()), (few.lock_out(), few.seen()));
    }

    #[test]
    fn one_of_n_monopolises() {
        let mut s = Shares::default();
        (0..20).for_each(|_| window(&mut s, &[(1000, 10), (50, 50), (50, 49), (50, 50), (50, 45)]));
        assert_eq!((s.lock_out(), s.seen()), (Some(4.0 / 5.0), 5));
    }

    #[test]
    fn who_asks_for_little_is_not_locked_out() {
        let mut s = Shares::default();
        (0..20).for_each(|_| window(&mut s, &[(1000, 100), (3, 0), (500, 20)]));
        assert_eq!(s.lock_out(), Some(0.0));
    }

    /// Its last packet got through: two windows of silence count once the flow is back; after its
    /// last packet nothing does.
    #[test]
    fn silence_after_a_refusal_counts_when_it_ends() {
        let mut s = Shares::default();
        s.came(1, 1000, BE);
        s.refused(1, 1000, BE);
        window(&mut s, &[(100, 0), (1, 0)]);
        (0..2).for_each(|_| window(&mut s, &[(100, 0)]));
        assert_eq!(s.lock_out(), Some(1.0 / 4.0));
        window(&mut s, &[(100, 0), (1, 1)]);
        assert_eq!(s.lock_out(), Some(4.0 / 8.0));
        window(&mut s, &[(100, 0), (90, 0)]);
        assert_eq!(s.lock_out(), Some(4.0 / 10.0));
        (0..5).for_each(|_| window(&mut s, &[(100, 0)]));
        assert_eq!(s.lock_out(), Some(4.0 / 15.0));
    }

    /// Its last packet was dropped: it is sure to try again, and each window of silence counts at
    /// once, up to a point.
    #[test]
    fn who_waits_for_another_try_is_locked_out() {
        let mut s = Shares::default();
        window(&mut s, &[(100, 0), (10, 10)]);
        (0..3).for_each(|_| window(&mut s, &[(100, 0)]));
        assert_eq!(s.lock_out(), Some(4.0 / 8.0));
        window(&mut s, &[(100, 0), (1, 1)]);
        assert_eq!(s.lock_out(), Some(5.0 / 10.0));
        (0..u32::from(PATIENCE) + 50).for_each(|_| window(&mut s, &[(100, 0)]));
        let (kept, all) = (5 + u32::from(PATIENCE), 10 + 2 * u32::from(PATIENCE) + 50);
        assert_eq!(s.lock_out(), Some(f64::from(kept) / f64::from(all)));
        s.begin();
        assert_eq!((s.lock_out(), s.seen()), (None, 0));
    }

    #[test]
    fn a_part_of_a_window_shows_who_came() {
        let mut s = Shares::default();
        window(&mut s, &[(100, 0), (10, 10)]);
        s.came(1, 40, BE);
        s.came(5, 40, BE);
        s.end();
        assert_eq!((s.seen(), s.lock_out()), (3, Some(0.5)));
    }
}
