//! Step marking, the switch's part of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | q | backlog | the queue that the arriving packet finds |
//! | K | `threshold`, `bytes` | what it may find unmarked |
//!
//! It uses no average and no random numbers: the queue at its arrival alone decides about a packet.
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Kernel, Law, Look, Over, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Packets};
use dumbbell_macros::config;

/// Parameters of [`StepMark`].
#[config]
pub struct StepMarkConfig {
    /// Queue length beyond which each arriving packet is marked.
    #[schemars(extend("x-source" = "Alizadeh et al. 2010, section 4: 65 packets at 10 Gbit/s, 20 \
        at 1 Gbit/s"))]
    #[config(default = Packets(65.0))]
    pub threshold: Packets,
    /// The threshold as a size, so that bytes count; `"0 B"`: packets count.
    #[schemars(extend("x-source" = "switches count bytes or cells"))]
    #[config(default = Bytes(0))]
    pub bytes: Bytes,
    /// Whether packets are marked; off, nothing is ever signaled.
    #[schemars(extend("x-source" = "Alizadeh et al. 2010, section 3.1: the CE codepoint"))]
    #[config(default = true)]
    pub ecn: bool,
}

impl Config for StepMarkConfig {}

/// Marks each packet that finds a long queue.
#[derive(Clone, Debug)]
pub struct StepMark {
    packets: f64,
    bytes: u64,
    ecn: bool,
    /// The queue that the last packet found, in the unit of the threshold.
    found: f64,
}

impl Algorithm for StepMark {
    type Config = StepMarkConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "step_mark",
        title: "Step marking (DCTCP's switch)",
        idea: "Mark every packet that finds more than K in the queue; drop none before the buffer \
            is full.",
        equations: "mark  iff  q > K        at each arrival, q without the arriving packet",
        sources: &[
            "Alizadeh et al.: Data center TCP (DCTCP), SIGCOMM 2010, section 3.1",
            "RFC 8257, section 3.1",
        ],
        provenance: Provenance::Recollection,
        rule: "the queue beyond one threshold: marks all, drops none",
        family: "RED family",
        look: Some(Look::new(PlotColor::Yellow, 'v', 4)),
        kernel: Kernel::Unknown,
        size: Size { measures: "length, packets", byte_mode: "`bytes`", signals: SizeLaw::None },
        law: Law::Over(Over {
            x: "queue_found",
            label: "queue that a packet finds [packets]",
            text: "mark iff q > threshold",
            signals: "queue_found > threshold",
            whole: true,
            capable: true,
            queue: "limit = \"200 pkt\"",
            ..Over::PLAIN
        }),
        explained: Explained::by(&[
            ("reason == 'overflow'", "{full}; step marking only marks"),
            ("", "the packet found {queue_found:length} in the queue, more than the threshold"),
        ]),
        ..About::PLAIN
    };
    fn new(config: &StepMarkConfig, _: &LinkInfo) -> Self {
        StepMark { packets: config.threshold.0, bytes: config.bytes.0, ecn: config.ecn, found: 0.0 }
    }
}

impl Aqm for StepMark {
    fn hears(&self) -> Hears {
        Hears::ARRIVALS
    }
    #[inline]
    fn arrive(&mut self, _: &mut Cx<'_>, q: &impl QueueView, _: &Meta, _fits: bool) -> Verdict {
        let waits = q.backlog();
        let above = if self.bytes > 0 {
            self.found = waits.bytes as f64;
            waits.bytes > self.bytes
        } else {
            self.found = f64::from(waits.packets);
            self.found > self.packets
        };
        if above && self.ecn { Verdict::Mark(Reason::Forced) } else { Verdict::Pass }
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("queue_found", self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::qdisc::Fifo;
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Capacity, Time};

    /// What happens to packets of `sizes` that come at once; the first is in transmission and does
    /// not wait.
    fn events(config: &StepMarkConfig, capacity: Capacity, ecn: Ecn, sizes: &[u32]) -> Vec<Event> {
        let site = link(capacity);
        let queue: Fifo<StepMark, Numbered> = Fifo::new(StepMark::new(config, &site));
        let mut bench = Bench::new(queue, site, 1, false);
        for bytes in sizes {
            bench.arrive(Time::ZERO, packet(0, *bytes, ecn));
        }
        bench.journal.0.clone()
    }

    fn marked(ids: &[u64]) -> Vec<Event> {
        ids.iter().map(|id| Event::Marked(*id, Reason::Forced)).collect()
    }

    /// Packet n finds n - 1 waiting: with K = 3 packet 5 is the first that finds more.
    #[test]
    fn what_finds_more_than_k_is_marked() {
        let three = StepMarkConfig { threshold: Packets(3.0), ..StepMarkConfig::default() };
        let all = [1500; 8];
        for ecn in [Ecn::Ect0, Ecn::Ect1] {
            assert_eq!(events(&three, Capacity::Packets(100), ecn, &all), marked(&[5, 6, 7]));
        }
        assert_eq!(events(&three, Capacity::Packets(100), Ecn::NotEct, &all), []);
        let off = StepMarkConfig { ecn: false, ..three };
        assert_eq!(events(&off, Capacity::Packets(100), Ecn::Ect0, &all), []);
    }

    #[test]
    fn a_full_buffer_drops() {
        let three = StepMarkConfig { threshold: Packets(3.0), ..StepMarkConfig::default() };
        let mut expected = marked(&[5]);
        expected.push(Event::Dropped(6, Reason::Overflow));
        assert_eq!(events(&three, Capacity::Packets(5), Ecn::Ect0, &[1500; 7]), expected);
    }

    /// Packet 4 finds exactly 3000 B, packet 5 finds 3001.
    #[test]
    fn bytes_count_where_they_are_given() {
        let bytes = StepMarkConfig { bytes: Bytes(3000), ..StepMarkConfig::default() };
        let sizes = [1500, 1000, 1000, 1000, 1, 40];
        assert_eq!(events(&bytes, Capacity::Unlimited, Ecn::Ect0, &sizes), marked(&[5]));
    }

    #[test]
    fn the_default_is_that_of_ten_gigabits() {
        let default = StepMarkConfig::default();
        let events = events(&default, Capacity::Unlimited, Ecn::Ect0, &[1500; 69]);
        assert_eq!(events, marked(&[67, 68]));
    }
}
