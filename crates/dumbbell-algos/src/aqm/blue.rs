//! BLUE (Feng, Kandlur, Saha, Shin: University of Michigan CSE-TR-387-99, 1999; IEEE/ACM ToN 10(4),
//! 2002).
//!
//! Losses say that too few packets are signaled, an idle link that too many are: the queue's length
//! plays no part.
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | p_m | state | probability with which an arriving packet is signaled |
//! | d1, d2 | `d1`, `d2` | steps up and down |
//! | freeze_time | `freeze_time` | time between two steps, so that sources can answer |
//! | L | `trigger` | queue length that counts like a loss |
//!
//! A drop at an idle link leaves the link idle and counts as another idle event, as in ns-2, whose
//! link then finds the queue empty. Without this rule `p_m` = 1 would be permanent.
use crate::aqm::parts::packet_size::{ByteDrop, SizePolicy, check_sizes};
use dumbbell_core::aqm::{Aqm, Cx, Hears, Limit, LinkInfo, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::Meta;
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Bytes, Packets, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Blue`].
#[config]
pub struct BlueConfig {
    /// How much the probability grows at a loss.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "CSE-TR-387-99: 0.0025, also 0.02"),
    )]
    #[config(default = 0.0025)]
    pub d1: f64,
    /// How much the probability shrinks when the link is idle; a tenth of `d1` in the paper.
    #[schemars(
        range(max = 1.0),
        extend("exclusiveMinimum" = 0.0, "x-source" = "CSE-TR-387-99: 0.00025, also 0.002"),
    )]
    #[config(default = 0.00025)]
    pub d2: f64,
    /// After each step the probability does not change again until more than this time has passed.
    #[schemars(extend("x-source" = "CSE-TR-387-99: 10 ms, also 100 ms"))]
    #[config(default = Span::from_ms(10))]
    pub freeze_time: Span,
    /// An arriving packet that finds more than this in the queue counts like a loss; `"0 pkt"`:
    /// losses alone count.
    #[schemars(extend("x-source" = "CSE-TR-387-99: its basic form has losses alone"))]
    #[config(default = Packets(0.0))]
    pub trigger: Packets,
    /// Size of a typical packet, the unit of `byte_mode` and of `byte_drop`.
    #[schemars(extend("x-source" = "as RED: ns-2 mean_pktsize_ 500"))]
    #[config(default = Bytes(500))]
    pub mean_packet_size: Bytes,
    /// Whether `trigger` means bytes, `trigger * mean_packet_size`. Losses and idle times do not
    /// change.
    #[schemars(extend("x-source" = "CSE-TR-387-99: packets"))]
    pub byte_mode: bool,
    /// Whether larger packets are signaled more often. RFC 7141 section 2.2 advises against it.
    #[schemars(extend("x-source" = "CSE-TR-387-99: no"))]
    #[config(default = ByteDrop::Off)]
    pub byte_drop: ByteDrop,
    /// Whether ECN-capable packets are marked rather than dropped.
    #[schemars(extend("x-source" = "as RED: ns-2 setbit_ false"))]
    pub ecn: bool,
}

impl Config for BlueConfig {
    fn check(&self) -> Result<(), Fault> {
        check_sizes(self.mean_packet_size, self.byte_drop, None)
    }
}

/// One probability, moved by losses and by an idle link.
#[derive(Clone, Debug)]
pub struct Blue {
    config: BlueConfig,
    sizes: SizePolicy,
    p_m: f64,
    coin: f64,
    /// The time of the last step of the probability.
    last_update: Option<Time>,
    idle: bool,
}

impl Algorithm for Blue {
    type Config = BlueConfig;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "blue",
        title: "BLUE",
        idea: "A loss raises the probability of a signal, an idle link lowers it; the queue's \
            length plays no part.",
        equations: "loss (or q > trigger):  p_m <- min(1, p_m + d1)\n\
                    idle link:              p_m <- max(0, p_m - d2)\n\
                    both only if  now - last_update > freeze_time;  then  last_update <- now\n\
                    each packet that arrives is signaled with probability p_m",
        sources: &[
            "Feng, Kandlur, Saha, Shin: BLUE: A New Class of Active Queue Management Algorithms, \
                CSE-TR-387-99, 1999",
            "Feng, Shin, Kandlur, Saha: The BLUE Active Queue Management Algorithms, IEEE/ACM ToN \
                10(4), 2002",
        ],
        provenance: Provenance::Recollection,
        rule: "losses and idleness, not the length",
        family: "BLUE and models",
        look: Some(Look::new(PlotColor::Sky, 'P', 2)),
        kernel: Kernel::Lacks { why: "Linux has BLUE only within sfb and cake", fix: "" },
        size: Size {
            measures: "losses and idle times; `trigger` is a length, packets",
            byte_mode: "bytes of `trigger`",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "blue", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; BLUE's p_m was {p_m}, and each loss raises it by \
                    {d1}",
            ),
            ("", "p_m was {p_m}, whatever the queue's length, and the coin, {coin}, fell below it"),
        ]),
        ..About::PLAIN
    };
    fn new(config: &BlueConfig, _: &LinkInfo) -> Self {
        let sizes = SizePolicy::new(config.mean_packet_size, config.byte_mode, config.byte_drop);
        Blue { config: config.clone(), sizes, p_m: 0.0, coin: 1.0, last_update: None, idle: true }
    }
}

impl Blue {
    /// Steps the probability to `to`, unless it was stepped just now.
    fn step(&mut self, now: Time, to: f64) {
        if self.last_update.is_none_or(|last| now.since(last) > self.config.freeze_time) {
            self.p_m = to.clamp(0.0, 1.0);
            self.last_update = Some(now);
        }
    }

    fn decide(&mut self, cx: &mut Cx<'_>, p: &Meta) -> Verdict {
        if self.p_m <= 0.0 {
            return Verdict::Pass;
        }
        self.coin = cx.rng.unit();
        Verdict::early(
            self.coin < self.p_m * self.sizes.share(p.ip_len, cx.link.mtu),
            self.config.ecn,
        )
    }
}

impl Aqm for Blue {
    fn hears(&self) -> Hears {
        Hears { admitted: true, ..Hears::IDLE }
    }
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let trigger = self.config.trigger.0;
        if trigger > 0.0 && self.sizes.length(q.backlog()) > trigger {
            self.step(cx.now, self.p_m + self.config.d1);
        }
        // A packet that does not fit is lost in any case, and so draws nothing.
        if fits { self.decide(cx, p) } else { Verdict::Pass }
    }

    fn overflowed(&mut self, cx: &mut Cx<'_>, _: Limit) {
        self.step(cx.now, self.p_m + self.config.d1);
    }

    fn refused(&mut self, cx: &mut Cx<'_>, _: &Meta, _: Reason) {
        if self.idle {
            self.step(cx.now, self.p_m - self.config.d2);
        }
    }

    fn admitted(&mut self, _: &Meta) {
        self.idle = false;
    }

    fn idle(&mut self, cx: &mut Cx<'_>) {
        self.idle = true;
        self.step(cx.now, self.p_m - self.config.d2);
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p_m", self.p_m);
        out.gauge("coin", self.coin);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::packet::Ecn;
    use dumbbell_core::probe::Gauges;
    use dumbbell_core::qdisc::{Fifo, Qdisc};
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::Capacity;

    type Queue = Bench<Fifo<Blue, Numbered>>;

    fn queue(config: &BlueConfig, limit: u32) -> Queue {
        let site = link(Capacity::Packets(limit));
        Bench::new(Fifo::new(Blue::new(config, &site)), site, 1, false)
    }

    fn p_m(q: &Queue) -> f64 {
        let mut seen = Gauges::default();
        q.port.qdisc().probe(&mut seen);
        seen.get("p_m").unwrap()
    }

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// 1000 B take 8 ms; one packet is in transmission and one waits from 0 to 8 ms, so that all
    /// others are lost.
    #[test]
    fn a_loss_raises_it_once_in_a_freeze_time() {
        let config =
            BlueConfig { d1: 0.25, freeze_time: Span::from_ms(2), ..BlueConfig::default() };
        let mut q = queue(&config, 1);
        let mut lose = |ms| {
            q.arrive(at_ms(ms), packet(0, 1000, Ecn::NotEct));
            p_m(&q)
        };
        // Losses at 0 (twice), 2, 3 and 5 ms: that at 2 ms is not *later* than the freeze time
        // after 0.
        assert_eq!(
            [lose(0), lose(0), lose(0), lose(0), lose(2), lose(3), lose(5)],
            [0.0, 0.0, 0.25, 0.25, 0.25, 0.5, 0.5]
        );
        assert_eq!(lose(6), 0.75);
    }

    #[test]
    fn it_stays_between_zero_and_one() {
        let config =
            BlueConfig { d1: 0.6, d2: 0.6, freeze_time: Span::ZERO, ..BlueConfig::default() };
        let mut q = queue(&config, 1);
        let mut seen = vec![];
        for ms in [0, 0, 1, 2, 3] {
            q.arrive(at_ms(ms), packet(0, 1000, Ecn::NotEct));
            seen.push(p_m(&q));
        }
        // The first is sent at once, the second waits, the others are lost.
        assert_eq!(seen, [0.0, 0.0, 0.6, 1.0, 1.0]);
        q.drain();
        assert!((p_m(&q) - 0.4).abs() < 1e-12, "idle since 16 ms: {}", p_m(&q));
        // Drops at an idle link leave it idle.
        for ms in [20, 30, 40] {
            q.arrive(at_ms(ms), packet(0, 1000, Ecn::NotEct));
        }
        assert!((0.0..=0.4).contains(&p_m(&q)));
    }

    /// At `p_m` = 1 nothing gets in; the idle link brings it down, `d2` for each packet that finds
    /// it idle.
    #[test]
    fn an_idle_link_ends_a_probability_of_one() {
        let config = BlueConfig {
            d1: 1.0,
            d2: 0.125,
            freeze_time: Span::from_ms(1),
            ..BlueConfig::default()
        };
        let mut q = queue(&config, 1);
        (0..3).for_each(|_| _ = q.arrive(at_ms(0), packet(0, 1000, Ecn::NotEct)));
        assert_eq!(p_m(&q), 1.0);
        q.drain();
        assert_eq!(p_m(&q), 0.875);
        (0..8).for_each(|i| _ = q.arrive(at_ms(20 + 2 * i), packet(0, 100, Ecn::NotEct)));
        assert_eq!(
            p_m(&q),
            0.0,
            "a step for each of seven events that leave the link idle: {:?}",
            q.journal
        );
    }

    #[test]
    fn a_long_queue_counts_like_a_loss_where_it_is_asked() {
        for (trigger, expected) in [(0.0, 0.0), (2.0, 0.25), (3.0, 0.0)] {
            let config = BlueConfig {
                d1: 0.25,
                trigger: Packets(trigger),
                freeze_time: Span::ZERO,
                ..BlueConfig::default()
            };
            let mut q = queue(&config, 100);
            for _ in 0..5 {
                q.arrive(at_ms(0), packet(0, 1000, Ecn::NotEct));
            }
            assert_eq!(p_m(&q), expected, "the fifth packet finds three; trigger {trigger}");
        }
    }

    #[test]
    fn capable_packets_are_marked_where_ecn_is_on() {
        let all = BlueConfig {
            d1: 1.0,
            freeze_time: Span::from_secs(1),
            ecn: true,
            ..BlueConfig::default()
        };
        for (ecn, event) in [
            (Ecn::Ect0, Event::Marked(3, Reason::Early)),
            (Ecn::NotEct, Event::Dropped(3, Reason::Early)),
        ] {
            let mut q = queue(&all, 1);
            for ms in [0, 0, 0, 9] {
                q.arrive(at_ms(ms), packet(0, 1000, ecn));
            }
            let decided = q
                .journal
                .0
                .iter()
                .filter(|e| !matches!(e, Event::Sent(..)))
                .copied()
                .collect::<Vec<_>>();
            assert_eq!(decided, [Event::Dropped(2, Reason::Overflow), event]);
        }
    }

    /// A source that sends 1.25 times the rate and answers to nothing: one packet in five has to
    /// go, by chance or by overflow. The probability settles where (steps up) d1 = (steps down) d2,
    /// and beside 0.2.
    #[test]
    fn it_settles_where_losses_and_idle_periods_balance() {
        let config = BlueConfig { d1: 0.02, d2: 0.002, ..BlueConfig::default() };
        let mut q = queue(&config, 20);
        let (mut up, mut down, mut sum, mut last) = (0.0, 0.0, 0.0, None::<f64>);
        let (warm, n) = (50_000u64, 250_000u64);
        for i in 0..n {
            q.arrive(Time::ZERO + Span::from_us(6_400 * i), packet(0, 1000, Ecn::NotEct));
            let p = p_m(&q);
            if i >= warm {
                let step = p - last.unwrap_or(p);
                up += step.max(0.0);
                down -= step.min(0.0);
                sum += p;
                last = Some(p);
            }
        }
        let mean = sum / (n - warm) as f64;
        assert!((mean - 0.2).abs() < 0.02, "mean p_m {mean}");
        assert!(up > 1.0 && (up / down - 1.0).abs() < 0.02, "up {up}, down {down}");
    }
}
