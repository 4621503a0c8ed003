//! DEMO-Vegas (Ho, Chan, Chen, INFOCOM 2006): Vegas for a receiver that moves from one point of
//! attachment to another, and says so.
//!
//! After a handoff the path is another one: Vegas' BaseRTT is stale, and what was in flight is lost
//! without congestion. The receiver says in its acknowledgments that it has moved ([`Ack::moved`]);
//! from the first that says so
//!
//! - BaseRTT is forgotten, and samples of segments that were sent before do not count;
//! - for one round trip, until something sent after it is acknowledged, the window stays as it is;
//! - a loss of what was sent before it is repaired, and takes nothing from the window; a timeout
//!   takes the window (RFC 5681) but not the threshold, so that slow start leads back.
//!
//! Reconstructed from a sketch of the paper: each of these three can be switched off. Without a
//! handoff it is [`super::vegas`].
use super::vegas::{Vegas, VegasConfig};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, Path,
};
use dumbbell_macros::{config, delegate};

/// Parameters of [`DemoVegas`].
#[config]
pub struct DemoVegasConfig {
    /// Vegas' own parameters.
    #[schemars(extend("x-source" = "Linux, as in vegas"))]
    #[config(default = VegasConfig::default())]
    pub vegas: VegasConfig,
    /// Whether BaseRTT is forgotten after a handoff. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: Ho, Chan, Chen 2006"))]
    #[config(default = true)]
    pub forget_base: bool,
    /// Whether the window stays as it is for a round trip after a handoff. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: Ho, Chan, Chen 2006"))]
    #[config(default = true)]
    pub hold: bool,
    /// Whether losses of segments sent before a handoff leave the window as it is. Reconstructed.
    #[schemars(extend("x-source" = "reconstructed: Ho, Chan, Chen 2006"))]
    #[config(default = true)]
    pub forgive: bool,
}

impl Config for DemoVegasConfig {
    fn check(&self) -> Result<(), Fault> {
        self.vegas.check().map_err(|fault| Fault { at: format!("vegas.{}", fault.at), ..fault })
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct DemoVegas {
    law: Vegas,
    /// SND.UNA.
    una: u64,
    /// The bytes below it were sent before the receiver said that it moved; 0: it never said so.
    handoff: u64,
    /// Handoffs, and losses that they were held responsible for.
    handoffs: u64,
    forgiven: u64,
    forget_base: bool,
    hold: bool,
    forgive: bool,
}

impl Algorithm for DemoVegas {
    type Config = DemoVegasConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "demo_vegas",
        title: "DEMO-Vegas",
        idea: "Vegas with signals of handoffs: measure the new path afresh, and do not take losses \
            on the old one for congestion.",
        equations: "the receiver says that it moved, SND.NXT = h:  BaseRTT is forgotten\nuntil \
            SND.UNA > h:   samples do not count, the window stays\nloss of bytes < h:   repaired, \
            cwnd and ssthresh stay;  timeout: cwnd = 1, ssthresh = cwnd before\nall else as vegas",
        sources: &["Ho, Chan, Chen: An Efficient Mechanism of TCP-Vegas on Mobile IP Networks, \
            INFOCOM 2006"],
        provenance: Provenance::Reconstruction,
        rule: "Vegas; signals of handoffs from the receiver",
        needs: "signals from the host",
        family: "wireless and moving",
        ..About::PLAIN
    };
    fn new(config: &DemoVegasConfig, path: &Path) -> Self {
        DemoVegas {
            law: Vegas::new(&config.vegas, path),
            una: 0,
            handoff: 0,
            handoffs: 0,
            forgiven: 0,
            forget_base: config.forget_base,
            hold: config.hold,
            forgive: config.forgive,
        }
    }
}

#[delegate(self.law: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for DemoVegas {
    fn capabilities(&self) -> Capabilities {
        Capabilities { samples: true, discriminates: true, ..Capabilities::WINDOW }
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        self.una = ack.una;
        if ack.moved {
            self.handoff = ack.nxt;
            self.handoffs += 1;
            if self.forget_base {
                self.law.forget();
            }
        }
        if ack.una > self.handoff {
            return self.law.on_ack(ack, commands);
        }
        if !self.hold {
            let mut unsampled = *ack;
            unsampled.rtt = if self.forget_base { None } else { ack.rtt };
            self.law.on_ack(&unsampled, commands);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, commands: &mut Commands) {
        let forgiven = self.forgive && self.una < self.handoff;
        match event.cause {
            Cause::Loss if forgiven => self.forgiven += 1,
            Cause::Timeout { first: true } if forgiven => {
                self.forgiven += 1;
                let before = self.law.window.cwnd();
                self.law.on_congestion(event, commands);
                self.law.window.set_ssthresh(before);
            }
            _ => self.law.on_congestion(event, commands),
        }
    }
    /// Vegas' own, `handoffs`, and losses `forgiven`.
    fn probe(&self, out: &mut dyn Probe) {
        self.law.probe(out);
        out.gauge("handoffs", self.handoffs as f64);
        out.gauge("forgiven", self.forgiven as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::vegas::Vegas;
    use super::*;
    use crate::cc::parts::test_connection::{MSS, TestConnection, path};
    use dumbbell_core::units::Span;

    fn drill(config: &DemoVegasConfig) -> TestConnection<DemoVegas> {
        let mut d = TestConnection::<DemoVegas>::at(20.0, config);
        d.rounds(3, 100);
        d
    }

    /// The receiver says with its next acknowledgment that it has moved: the path takes 200 ms
    /// from now on.
    fn move_on(d: &mut TestConnection<DemoVegas>) {
        d.rtt = Span::from_ms(200);
        let mut ack = d.told(1);
        ack.moved = true;
        d.cc.on_ack(&ack, &mut Commands::default());
    }

    /// A longer path after a handoff is a new base, not a queue: the window stays for a round trip,
    /// and grows then.
    #[test]
    fn a_longer_path_is_no_queue() {
        let mut d = drill(&DemoVegasConfig::default());
        let w = d.w();
        move_on(&mut d);
        (0..d.w() as u64 - 1).for_each(|_| d.ack(1));
        assert_eq!((d.w(), d.gauge("base_rtt")), (w, 0.0), "the round trip after it");
        d.rounds(5, 200);
        assert_eq!(d.gauge("base_rtt"), 0.2);
        assert!(d.w() > w, "{}", d.w());
        // Vegas takes the path for a queue.
        let mut vegas = TestConnection::<Vegas>::at(20.0, &VegasConfig::default());
        vegas.rounds(3, 100);
        vegas.rounds(6, 200);
        assert!(vegas.w() < w && vegas.gauge("base_rtt") == 0.1, "{}", vegas.w());
    }

    /// Data sent before the handoff may be lost without a reduction; data sent after it may not.
    #[test]
    fn what_the_old_path_lost_is_forgiven() {
        for (forgive, left) in [(true, 1.0), (false, 0.5)] {
            let mut d = drill(&DemoVegasConfig { forgive, ..Default::default() });
            let w = d.w();
            move_on(&mut d);
            d.lose();
            assert_eq!(d.w(), (w * left * 1000.0).floor() / 1000.0);
            // Everything of before is acknowledged, and a round trip more.
            d.rounds(4, 200);
            let w = d.cc.cwnd();
            d.lose();
            assert_eq!(d.cc.cwnd(), w / 2);
        }
        let mut d = drill(&DemoVegasConfig::default());
        let w = d.w();
        move_on(&mut d);
        d.congest(Cause::Timeout { first: true });
        assert_eq!((d.w(), d.ssthresh()), (1.0, w));
        assert_eq!(d.gauge("forgiven"), 1.0);
    }

    /// Whatever happens, without a handoff.
    #[test]
    fn without_a_handoff_it_is_vegas() {
        let mut demo =
            TestConnection::<DemoVegas>::on(&path(2.0, true), &DemoVegasConfig::default());
        let mut vegas = TestConnection::<Vegas>::on(&path(2.0, true), &VegasConfig::default());
        for i in 0..2000u64 {
            let rtt = Span::from_us(100_000 + i * 7919 % 30_000);
            (demo.rtt, vegas.rtt) = (rtt, rtt);
            demo.ack(1);
            vegas.ack(1);
            if i % 311 == 310 {
                let cause = if i % 2 == 0 { Cause::Loss } else { Cause::Timeout { first: true } };
                demo.congest(cause);
                vegas.congest(cause);
            }
            assert_eq!(
                (demo.cc.cwnd(), demo.cc.ssthresh()),
                (vegas.cc.cwnd(), vegas.cc.ssthresh()),
                "{i}"
            );
        }
        assert!(demo.cc.cwnd() > MSS);
    }

    #[test]
    fn faults_of_vegas_are_named_within() {
        let mut config = DemoVegasConfig::default();
        config.vegas.alpha.0 = 9.0;
        assert_eq!(config.check().unwrap_err().at, "vegas.alpha");
    }
}
