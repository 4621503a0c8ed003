//! PI2: one queue for Classic and Scalable traffic (De Schepper, Bondarenko, Tsang, Briscoe, CoNEXT
//! 2016; RFC 9332).
//!
//! | symbol | parameter or state | meaning |
//! |---|---|---|
//! | target, Tupdate | `target`, `tupdate` | delay to steer to, time between two updates |
//! | alpha, beta | the same | gains, in 1/s |
//! | p' | state | the controller's output, a linear pressure |
//! | p_C | p'^2 | probability for a Classic packet: its window goes with 1 / sqrt(p) |
//! | p_CL | k p' | probability for a Scalable packet (ECT(1), CE): its window goes with 1 / p |
//!
//! The square takes the place of PIE's table of gains. It is drawn, not computed: both of two draws
//! below p'. Beyond p' = 1 / k the coupled probability is used up. That is an *overload*, in which
//! (RFC 9332 section 4.2.3) ECN no longer helps: ECN-capable packets too are dropped with p_C, for
//! the reason `forced`.
use super::pie::config::check_times;
use super::pie::delay::{Delay, DelayEstimate};
use dumbbell_core::aqm::{Aqm, Cx, Hears, LinkInfo, Needs, QueueView, Reason, Verdict};
use dumbbell_core::catalogue::{
    About, Algorithm, Config, Explained, Fault, Kernel, Law, Look, PlotColor, Provenance, Size,
    SizeLaw,
};
use dumbbell_core::packet::{Ecn, Meta};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::{Bytes, Span};
use dumbbell_macros::config;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to ECN-capable packets when the coupled probability is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overload {
    /// They too are dropped with `p_C`; those that stay are marked where they are Scalable.
    #[default]
    Drop,
    /// They are marked whatever comes, and the queue's limit has to do the rest.
    Mark,
}

/// Parameters of [`Pi2`].
#[config]
pub struct Pi2Config {
    /// Queueing delay that the controller steers to.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 15 ms"))]
    #[config(default = Span::from_ms(15))]
    pub target: Span,
    /// Time between two updates of the probability.
    #[schemars(extend("x-source" = "RFC 9332 appendix A.1: 16 ms"))]
    #[config(default = Span::from_ms(16))]
    pub tupdate: Span,
    /// Gain of the distance from the target, in 1/s.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "RFC 9332 appendix A.1: 0.1 Tupdate / RTT_max^2"),
    )]
    #[config(default = 0.16)]
    pub alpha: f64,
    /// Gain of the delay's growth, in 1/s.
    #[schemars(
        range(min = 0.0),
        extend("x-source" = "Linux sch_dualpi2: 3.2; RFC 9332: 0.3 / RTT_max"),
    )]
    #[config(default = 3.2)]
    pub beta: f64,
    /// The coupling factor k between Classic and Scalable signals.
    #[schemars(range(min = 1.0, max = 20.0), extend("x-source" = "RFC 9332 section 2.1: 2"))]
    #[config(default = 2.0)]
    pub coupling_factor: f64,
    /// How the queueing delay is estimated.
    #[schemars(extend("x-source" = "RFC 9332 section 2.4: by time stamps"))]
    #[config(default = DelayEstimate::Timestamp)]
    pub delay: DelayEstimate,
    /// How many bytes must wait for a measurement of `dequeue_rate`, and leave within it.
    #[schemars(extend("x-source" = "RFC 8033 section 5.2: 2^14 B"))]
    #[config(default = Bytes(16_384))]
    pub dq_threshold: Bytes,
    /// Whether ECN-capable packets are marked rather than dropped; off, they are Classic packets
    /// like others.
    #[schemars(extend("x-source" = "RFC 9332: Scalable traffic is ECN-capable"))]
    #[config(default = true)]
    pub ecn: bool,
    /// What happens to ECN-capable packets when `p'` is at least `1 / coupling_factor`.
    #[schemars(extend("x-source" = "RFC 9332 section 4.2.3"))]
    #[config(default = Overload::Drop)]
    pub overload: Overload,
}

impl Config for Pi2Config {
    fn check(&self) -> Result<(), Fault> {
        check_times(self.target, self.tupdate)?;
        if self.dq_threshold.0 == 0 {
            let cause = "a rate is measured over at least one byte";
            return Err(Fault::at("dq_threshold", cause).fix(
                "write \"16384 B\", or delay = \
                \"timestamp\"",
            ));
        }
        Ok(())
    }
}

/// A linear controller of the delay, whose output Classic packets see squared.
#[derive(Clone, Debug)]
pub struct Pi2 {
    config: Pi2Config,
    target: f64,
    delay: Delay,
    qdelay_old: f64,
    p: f64,
    coin: f64,
}

impl Algorithm for Pi2 {
    type Config = Pi2Config;
    type Site = LinkInfo;
    const ABOUT: About = About {
        name: "pi2",
        title: "PI2, a single queue for Classic and Scalable traffic",
        idea: "A linear controller of the delay; Classic packets are signaled with its square, \
            Scalable ones with k times it.",
        equations: "p' <- min(1, max(0, p' + alpha (qdelay - target) + beta (qdelay - \
            qdelay_old)))  every tupdate\nClassic:   drop (ECT(0): mark) with probability p'^2, by \
            two draws below p'\nScalable:  mark with probability min(1, k p')\nk p' >= 1: \
            ECN-capable packets are dropped with p'^2 as well\nnothing is signaled while less \
            than two packets of the MTU wait",
        sources: &[
            "De Schepper, Bondarenko, Tsang, Briscoe: PI2: A Linearized AQM for both Classic and \
                Scalable TCP, CoNEXT 2016",
            "RFC 9332: Dual-Queue Coupled Active Queue Management (AQM), 2023, appendix A",
        ],
        provenance: Provenance::Vectors,
        rule: "the delay: the same, of the square root of the probability",
        family: "controllers",
        look: Some(Look::new(PlotColor::Purple, 'P', 0)),
        kernel: Kernel::Lacks {
            why: "Linux has PI2 only within dualpi2, where Classic traffic alone \
                meets it",
            fix: "",
        },
        size: Size {
            measures: "delay; spares two packets of the MTU, bytes",
            byte_mode: "",
            signals: SizeLaw::Constant,
        },
        law: Law::Named { law: "pi2", remark: "" },
        explained: Explained::by(&[
            (
                "reason == 'overflow'",
                "{full}; p' was {p}, the delay was last {qdelay:time}, its \
                    target is {target}",
            ),
            (
                "reason == 'forced'",
                "p' was {p}, where k p' = {p_cl} means overload and ECN does \
                    not spare a packet; the delay was last {qdelay:time}, its target is \
                    {target}",
            ),
            (
                "marked",
                "p' was {p}, so Scalable packets are marked with k p' = {p_cl}, Classic \
                    ones with p'^2 = {p_c}; the coin was {coin}; the delay was last \
                    {qdelay:time}, its target is {target}",
            ),
            (
                "",
                "p' was {p}, so Classic packets are dropped with p'^2 = {p_c}: the larger of \
                    two coins, {coin}, fell below p'; the delay was last {qdelay:time}, its \
                    target is {target}",
            ),
        ]),
        ..About::PLAIN
    };

    fn new(config: &Pi2Config, _: &LinkInfo) -> Self {
        Pi2 {
            target: config.target.seconds(),
            delay: Delay::new(config.delay, config.dq_threshold),
            qdelay_old: 0.0,
            p: 0.0,
            coin: 1.0,
            config: config.clone(),
        }
    }
}

impl Pi2 {
    /// The pressure after a time `tupdate` at whose end the delay is `qdelay` seconds.
    fn update(&mut self, qdelay: f64) {
        let step = self.config.alpha * (qdelay - self.target)
            + self.config.beta * (qdelay - self.qdelay_old);
        self.p = (self.p + step).clamp(0.0, 1.0);
        self.qdelay_old = qdelay;
    }

    /// True with probability p'^2: two draws, of which the second is needed only if the first is
    /// low.
    fn squared(&mut self, rng: &mut Stream) -> bool {
        self.coin = rng.unit();
        if self.coin >= self.p {
            return false;
        }
        self.coin = self.coin.max(rng.unit());
        self.coin < self.p
    }

    fn decide(&mut self, ecn: Ecn, rng: &mut Stream) -> Verdict {
        let coupled = self.config.coupling_factor * self.p;
        let (capable, scalable) =
            (self.config.ecn && ecn.capable(), matches!(ecn, Ecn::Ect1 | Ecn::Ce));
        if !capable || (coupled >= 1.0 && self.config.overload == Overload::Drop) {
            let reason = if capable { Reason::Forced } else { Reason::Early };
            return match self.squared(rng) {
                true => Verdict::Drop(reason),
                false if capable && scalable => Verdict::Mark(Reason::Early),
                false => Verdict::Pass,
            };
        }
        let signal = if scalable {
            self.coin = rng.unit();
            self.coin < coupled
        } else {
            self.squared(rng)
        };
        if signal { Verdict::Mark(Reason::Early) } else { Verdict::Pass }
    }
}

impl Aqm for Pi2 {
    fn needs(&self) -> Needs {
        self.delay.needs()
    }
    fn hears(&self) -> Hears {
        Hears { depart: true, ..Hears::ARRIVALS }
    }

    #[inline]
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        if self.p <= 0.0 || !fits || q.backlog().bytes < 2 * u64::from(cx.link.mtu) {
            return Verdict::Pass;
        }
        self.decide(p.ecn, cx.rng)
    }

    fn depart(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, sojourn: Span) -> Verdict {
        self.delay.depart(cx.now, q, p, sojourn);
        Verdict::Pass
    }

    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        self.update(self.delay.seconds(cx, q));
        Some(self.config.tupdate)
    }

    fn ticks(&self) -> bool {
        true
    }

    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("p", self.p);
        out.gauge("p_c", self.p * self.p);
        out.gauge("p_cl", (self.config.coupling_factor * self.p).min(1.0));
        out.gauge("qdelay", self.qdelay_old);
        out.gauge("coin", self.coin);
        out.gauge("dq_rate", self.delay.rate());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::aqm::Decision;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::qdisc::Fifo;
    use dumbbell_core::testing::{Bench, Event, Numbered, link, packet};
    use dumbbell_core::units::{Capacity, Rate, Time};

    fn pi2(config: &Pi2Config, p: f64) -> Pi2 {
        Pi2 { p, ..Pi2::new(config, &link(Capacity::Unlimited)) }
    }

    /// Worked out by hand: 0.16 (30 - 15) ms + 3.2 * 30 ms, and from then on 0.0024 in each step.
    #[test]
    fn the_pressure_at_a_constant_delay() {
        let mut pi2 = pi2(&Pi2Config::default(), 0.0);
        for p in [0.0984, 0.1008, 0.1032, 0.1056, 0.1080] {
            pi2.update(0.030);
            assert!((pi2.p - p).abs() < 1e-12, "{} and not {p}", pi2.p);
        }
        pi2.update(1.0);
        assert_eq!(pi2.p, 1.0);
        pi2.update(0.0);
        assert_eq!(pi2.p, 0.0);
    }

    /// Shares of 100 000 packets that are marked, and dropped early or by force.
    fn shares(config: &Pi2Config, p: f64, ecn: Ecn) -> [f64; 3] {
        let (mut pi2, mut rng, n) = (pi2(config, p), Stream::named(1, "pi2"), 100_000);
        let mut counts = [0.0; 3];
        for _ in 0..n {
            let at = match pi2.decide(ecn, &mut rng).decide(ecn, true) {
                Decision::Admit(None) => continue,
                Decision::Admit(Some(_)) => 0,
                Decision::Drop(Reason::Early) => 1,
                Decision::Drop(_) => 2,
            };
            counts[at] += 1.0;
        }
        counts.map(|c| c / f64::from(n))
    }

    #[test]
    fn classic_sees_the_square_and_scalable_the_multiple() {
        let config = Pi2Config::default();
        let off = Pi2Config { ecn: false, ..config.clone() };
        let steep = Pi2Config { coupling_factor: 4.0, ..config.clone() };
        let mark = Pi2Config { overload: Overload::Mark, ..config.clone() };
        for (config, p, ecn, expected) in [
            (&config, 0.3, Ecn::NotEct, [0.0, 0.09, 0.0]),
            (&config, 0.3, Ecn::Ect0, [0.09, 0.0, 0.0]),
            (&config, 0.3, Ecn::Ect1, [0.6, 0.0, 0.0]),
            (&config, 0.3, Ecn::Ce, [0.6, 0.0, 0.0]),
            (&steep, 0.2, Ecn::Ect1, [0.8, 0.0, 0.0]),
            (&off, 0.3, Ecn::Ect1, [0.0, 0.09, 0.0]),
            (&config, 0.0, Ecn::Ect1, [0.0, 0.0, 0.0]),
            // Overload: everything is dropped with the square, and Scalable packets that stay are
            // marked.
            (&config, 0.6, Ecn::NotEct, [0.0, 0.36, 0.0]),
            (&config, 0.6, Ecn::Ect0, [0.0, 0.0, 0.36]),
            (&config, 0.6, Ecn::Ect1, [0.64, 0.0, 0.36]),
            (&mark, 0.6, Ecn::Ect1, [1.0, 0.0, 0.0]),
            (&mark, 0.6, Ecn::Ect0, [0.36, 0.0, 0.0]),
            (&mark, 0.6, Ecn::NotEct, [0.0, 0.36, 0.0]),
        ] {
            let got = shares(config, p, ecn);
            // 4.4 standard deviations: not once in 10 000 cases.
            let near = |(g, e): (f64, f64)| {
                (g - e).abs() <= 4.4 * (e * (1.0 - e) / 100_000.0).sqrt() + 1e-12
            };
            assert!(
                got.into_iter().zip(expected).all(near),
                "{ecn:?} at {p}: {got:?} and not \
                {expected:?}"
            );
        }
    }

    /// A link of 10 Mbps and packets of 1000 B, 1.25 times as many as it carries: how many of the
    /// second half are marked and dropped early, and how long those that are sent had waited, in
    /// seconds.
    fn settled(config: &Pi2Config, ecn: Ecn) -> [f64; 3] {
        let site = LinkInfo { rate: Rate::from_mbps(10), ..link(Capacity::Packets(1000)) };
        let mut bench =
            Bench::new(Fifo::<_, Numbered>::new(Pi2::new(config, &site)), site, 1, false);
        let (n, warm) = (60_000, 30_000);
        for i in 0..n {
            bench.arrive(Time::ZERO + Span::from_us(640 * i), packet(0, 1000, ecn));
        }
        let (mut marked, mut dropped, mut sent, mut waited) = (0.0, 0.0, 0.0, 0.0);
        for event in bench.journal.0 {
            match event {
                Event::Marked(id, _) if id > warm => marked += 1.0,
                Event::Dropped(id, reason) if id > warm => {
                    assert_ne!(reason, Reason::Overflow, "packet {id}");
                    dropped += 1.0;
                }
                Event::Sent(id, at) if id > warm => {
                    sent += 1.0;
                    waited += at.since(Time::ZERO + Span::from_us(640 * id)).seconds() - 0.0008;
                }
                _ => {}
            }
        }
        let all = (n - warm) as f64;
        [marked / all, dropped / all, waited / sent]
    }

    /// A source that answers to nothing: a fifth has to go, at the target's delay, however that is
    /// estimated; and where marks do not help, in overload, capable packets go too.
    #[test]
    fn the_delay_settles_at_the_target() {
        for delay in [DelayEstimate::Timestamp, DelayEstimate::DequeueRate, DelayEstimate::LinkRate]
        {
            let config = Pi2Config { delay, ..Pi2Config::default() };
            let [marked, dropped, waited] = settled(&config, Ecn::NotEct);
            assert!(marked == 0.0 && (dropped - 0.2).abs() < 0.01, "{delay:?}: {dropped}");
            assert!((waited / 0.015 - 1.0).abs() < 0.1, "{delay:?}: {waited} s");
        }
        let [marked, dropped, waited] = settled(&Pi2Config::default(), Ecn::Ect1);
        assert!((dropped - 0.2).abs() < 0.02 && marked > 0.7, "{marked} {dropped}");
        assert!((waited / 0.015 - 1.0).abs() < 0.2, "{waited} s");
    }

    /// One is in transmission and two of the MTU wait before the first is signaled, even at a
    /// pressure of one.
    #[test]
    fn less_than_two_packets_are_left_alone() {
        let steady = Pi2Config { alpha: 0.0, beta: 0.0, ..Pi2Config::default() };
        let site = link(Capacity::Unlimited);
        let mut bench = Bench::new(Fifo::<_, Numbered>::new(pi2(&steady, 1.0)), site, 1, false);
        (0..4).for_each(|_| _ = bench.arrive(Time::ZERO, packet(0, site.mtu, Ecn::NotEct)));
        assert_eq!(bench.journal.0, [Event::Dropped(3, Reason::Early)]);
    }

    #[test]
    fn contradictions_are_refused() {
        for (at, json) in [
            ("target", serde_json::json!({"target": "0 ms"})),
            ("tupdate", serde_json::json!({"tupdate": "0 ms"})),
            ("dq_threshold", serde_json::json!({"dq_threshold": "0 B"})),
            ("coupling_factor", serde_json::json!({"coupling_factor": 0.5})),
        ] {
            let found = read::<Pi2Config>(&json).unwrap_err();
            assert!(found.at == at && found.fix.is_some(), "{found:?}");
        }
    }
}
