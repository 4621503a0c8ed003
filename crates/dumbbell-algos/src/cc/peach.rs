//! TCP Peach: dummy segments of low priority find out what a path of long delay can carry
//! (Akyildiz, Morabito, Palazzo 2001). Routers that serve them last lose nothing; each one that is
//! acknowledged proves room for a segment.
//!
//! Reconstructed where the sketch is silent: what each round trip of Rapid Recovery sends, and what
//! a timeout does.
use crate::cc::parts::window::Window;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path, Phase, Tag,
};
use dumbbell_core::units::{Packets, Span, Time};
use dumbbell_macros::{config, delegate};

/// Parameters of [`Peach`].
#[config]
pub struct PeachConfig {
    /// Whether the connection begins with Sudden Start; else with slow start.
    #[schemars(extend("x-source" = "TCP-Peach section III-A"))]
    #[config(default = true)]
    pub sudden_start: bool,
    /// The window that Sudden Start probes for, at most the receiver's (rwnd).
    #[schemars(extend("x-source" = "TCP-Peach section V: 64 segments"))]
    #[config(default = Packets(64.0))]
    pub rwnd: Packets,
    /// Whether Rapid Recovery follows a fast retransmit.
    #[schemars(extend("x-source" = "TCP-Peach section III-D"))]
    #[config(default = true)]
    pub rapid_recovery: bool,
    /// Dummies that each acknowledgment releases in Rapid Recovery.
    #[schemars(
        range(min = 1, max = 4),
        extend("x-source" = "reconstructed; 1: they last a round trip"),
    )]
    #[config(default = 1)]
    pub dummies_per_ack: u32,
}

impl Config for PeachConfig {
    fn check(&self) -> Result<(), Fault> {
        if (1.0..=1e6).contains(&self.rwnd.0) {
            return Ok(());
        }
        Err(Fault::at("rwnd", format!("{} is not a valid window to probe for", self.rwnd)).fix(
            "write \"64 \
            pkt\"",
        ))
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct Peach {
    window: Box<Window>,
    config: PeachConfig,
    mss: u64,
    /// Dummies of Sudden Start that are still to go, one each `interval`, the next at `timer`.
    left: u64,
    interval: Span,
    timer: Time,
    /// The tag of the dummies at hand: answers to those of before prove nothing now.
    episode: u32,
    /// Dummies that Rapid Recovery may still send (adsn), and answers that it lets pass first
    /// (wdsn).
    allowed: u64,
    passing: u64,
}

impl Algorithm for Peach {
    type Config = PeachConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "peach",
        title: "TCP Peach",
        idea: "Dummy segments of low priority probe a long path: each that is answered proves room \
            for one more segment.",
        equations: "Sudden Start:   cwnd = 1; a dummy each RTT / rwnd, rwnd - 1 of them;  \
            answered: cwnd += 1\nRapid Recovery: after a fast retransmit at cwnd0: cwnd = cwnd0 / \
            2; cwnd0 dummies, one per ACK;\ncwnd0 / 2 answers pass, each further one: cwnd += \
            1\notherwise congestion avoidance, RFC 5681; dummies travel with DSCP LE (RFC 8622)",
        sources: &[
            "Akyildiz, Morabito, Palazzo: TCP-Peach: A new congestion control scheme for satellite \
                IP networks, IEEE/ACM Transactions on Networking 9(3), 2001; the pace of Rapid \
                Recovery is reconstructed",
        ],
        provenance: Provenance::Reconstruction,
        rule: "losses, and answers to dummies of low priority",
        family: "long paths",
        ..About::PLAIN
    };
    fn new(config: &PeachConfig, path: &Path) -> Self {
        let start = Path { initial_window: path.mss, initial_ssthresh: path.mss, ..*path };
        Peach {
            window: Window::boxed(if config.sudden_start { &start } else { path }),
            config: config.clone(),
            mss: path.mss,
            left: 0,
            interval: Span::ZERO,
            timer: Time::NEVER,
            episode: u32::from(!config.sudden_start),
            allowed: 0,
            passing: 0,
        }
    }
}

impl Peach {
    /// Sudden Start begins as soon as a round-trip time is known.
    fn begin(&mut self, now: Time, rtt: Span, window: u64) {
        let rwnd = ((self.config.rwnd.0 as u64).min(window / self.mss)).max(1);
        self.episode = 1;
        self.left = rwnd - 1;
        self.interval = Span::from_ps(rtt.ps() / rwnd).max(Span::from_ps(1));
        self.timer = if self.left > 0 { now + self.interval } else { Time::NEVER };
    }

    /// Answers to the dummies so far prove nothing from now on.
    fn turn_page(&mut self) {
        self.episode = self.episode.wrapping_add(1).max(1);
        (self.left, self.timer, self.allowed, self.passing) = (0, Time::NEVER, 0, 0);
    }

    /// A dummy was answered.
    fn answered(&mut self) {
        match self.passing {
            0 => self.window.raise(self.mss),
            _ => self.passing -= 1,
        }
    }
}

#[delegate(self.window: on_recovered, on_idle, cwnd, ssthresh)]
impl CongestionControl for Peach {
    fn capabilities(&self) -> Capabilities {
        Capabilities { paces: false, segments: false, ..Capabilities::ALL }
    }
    fn on_open(&mut self, now: Time, rtt: Option<Span>, window: u64, _: &mut Commands) {
        if let Some(rtt) = rtt.filter(|_| self.episode == 0) {
            self.begin(now, rtt, window);
        }
    }
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        if let Some(rtt) = ack.rtt.filter(|_| self.episode == 0) {
            self.begin(ack.now, rtt, ack.window);
        }
        if ack.tag != Tag(0) && ack.tag.0 == self.episode {
            self.answered();
        }
        self.window.grow(ack);
        if self.allowed > 0 && ack.phase != Phase::Loss {
            let now = u64::from(self.config.dummies_per_ack).min(self.allowed);
            self.allowed -= now;
            (0..now).for_each(|_| commands.dummy(Tag(self.episode)));
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        let before = self.window.cwnd() / self.mss;
        self.window.shrink(event, None);
        match event.cause {
            Cause::Loss | Cause::Ecn | Cause::Timeout { .. } => self.turn_page(),
            Cause::Further | Cause::Spurious => {}
        }
        if event.cause == Cause::Loss && self.config.rapid_recovery {
            (self.allowed, self.passing) = (before, before / 2);
        }
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        self.window.set_mss(mss);
    }
    fn on_timer(&mut self, now: Time, commands: &mut Commands) {
        commands.dummy(Tag(self.episode));
        self.left = self.left.saturating_sub(1);
        self.timer = if self.left > 0 { now + self.interval } else { Time::NEVER };
    }
    fn next_timer(&self) -> Time {
        self.timer
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("wdsn", self.passing as f64);
        out.gauge("adsn", self.allowed as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;
    const PATH: Path = Path { mss: MSS, initial_window: 10 * MSS, ..Path::PLAIN };

    fn answer(tag: u32) -> Ack {
        let mut a = Ack::default();
        a.tag = Tag(tag);
        a
    }

    /// One segment and rwnd - 1 dummies, evenly over a round trip; each answer opens the window by
    /// one.
    #[test]
    fn sudden_start_sends_a_window_of_dummies_in_a_round_trip() {
        let mut p =
            Peach::new(&PeachConfig { rwnd: Packets(8.0), ..PeachConfig::default() }, &PATH);
        let mut commands = Commands::default();
        assert_eq!(p.cwnd(), MSS);
        p.on_open(Time::ZERO, Some(Span::from_ms(80)), 1 << 20, &mut commands);
        let mut at = Vec::new();
        while p.next_timer() != Time::NEVER {
            at.push(p.next_timer().since(Time::ZERO).ps() / 1_000_000_000);
            let due = p.next_timer();
            p.on_timer(due, &mut commands);
        }
        assert_eq!((at, commands.uncounted.len()), ((1..8).map(|n| 10 * n).collect(), 7));
        (0..7).for_each(|_| p.on_ack(&answer(1), &mut Commands::default()));
        assert_eq!(p.cwnd(), 8 * MSS);
        // The receiver's window bounds it.
        let mut p = Peach::new(&PeachConfig::default(), &PATH);
        p.on_open(Time::ZERO, Some(Span::from_ms(80)), 4 * MSS, &mut commands);
        assert_eq!(p.left, 3);
    }

    /// Rapid Recovery follows a loss that duplicates tell of, if it is on, and nothing else.
    #[test]
    fn only_a_loss_lets_dummies_go() {
        for (cause, rapid_recovery, allowed) in [
            (Cause::Loss, true, (20, 10)),
            (Cause::Loss, false, (0, 0)),
            (Cause::Ecn, true, (0, 0)),
            (Cause::Timeout { first: true }, true, (0, 0)),
        ] {
            let mut p =
                Peach::new(&PeachConfig { rapid_recovery, ..PeachConfig::default() }, &PATH);
            p.window.raise(19 * MSS);
            let before = p.episode;
            let event = Congestion::new(Time::ZERO, cause, 20 * MSS, &[]);
            p.on_congestion(&event, &mut Commands::default());
            assert_eq!((p.allowed, p.passing), allowed, "{cause:?} {rapid_recovery}");
            assert_ne!(p.episode, before, "{cause:?}");
        }
    }

    /// A loss at 20: 10 remain, 20 dummies go with the next 20 ACKs, 10 answers pass, and 10
    /// restore the window.
    #[test]
    fn rapid_recovery_restores_the_window_if_the_path_is_free() {
        let mut p = Peach::new(&PeachConfig::default(), &PATH);
        p.window.raise(19 * MSS);
        p.on_congestion(
            &Congestion::new(Time::ZERO, Cause::Loss, 20 * MSS, &[]),
            &mut Commands::default(),
        );
        let (tag, mut commands) = (p.episode, Commands::default());
        let mut duplicate = Ack::default();
        duplicate.phase = Phase::Recovery;
        (0..30).for_each(|_| p.on_ack(&duplicate, &mut commands));
        assert_eq!((p.cwnd(), commands.uncounted.len()), (10 * MSS, 20));
        let windows: Vec<u64> = (0..20)
            .map(|_| {
                p.on_ack(&answer(tag), &mut commands);
                p.cwnd() / MSS
            })
            .collect();
        assert_eq!(windows, [vec![10; 10], (11..=20).collect()].concat());
        // Answers to dummies of before a further loss prove nothing.
        p.on_congestion(
            &Congestion::new(Time::ZERO, Cause::Timeout { first: true }, 20 * MSS, &[]),
            &mut commands,
        );
        p.on_ack(&answer(tag), &mut commands);
        assert_eq!(p.cwnd(), MSS);
    }
}
