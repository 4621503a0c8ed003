//! TCP that gets feedback from its marker (Yeom and Reddy 1999): a packet marked OUT counts as a
//! sign of congestion to come.
//!
//! The marker tells the sender at once (a meter that does so is `marker_feedback`). The window then
//! becomes what is reserved, and nothing is sent again, because nothing was lost. So hardly
//! anything is sent as OUT, and the flow gets its reservation; it takes little of what others leave
//! (Choi and Kim 2001).
//!
//! Reconstructed: ssthresh follows the window, so that it grows by a segment in a round trip from
//! there; a round trip is over when what had been sent by the last answer is acknowledged; R is of
//! the smoothed round-trip time.
use crate::cc::parts::window::{STANDARD, Window};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, HostSignal, Path, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Rate, Span};
use dumbbell_macros::{config, delegate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to the window when a segment was marked OUT; never less than two segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkingAnswer {
    /// What is reserved: r SRTT, if that is less than it was.
    #[default]
    Reserved,
    /// Half of it, as for a loss.
    Half,
}

/// Parameters of [`MarkerAware`].
#[config]
pub struct MarkerAwareConfig {
    /// The reserved rate (r), of whole IP packets; default what is `reserved` for the flow, and
    /// without that 0.
    #[schemars(extend("x-source" = "Yeom and Reddy 1999: the reservation"))]
    pub rate: Option<Rate>,
    /// What happens to the window when a segment was marked OUT.
    #[schemars(
        extend("x-source" = "reconstructed: what is reserved; Yeom and Reddy 1999 call it a \
            congestion indication"),
    )]
    pub answer: MarkingAnswer,
}

impl Config for MarkerAwareConfig {
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }
}

/// See the module's page.
#[derive(Clone, Debug)]
pub struct MarkerAware {
    window: Box<Window>,
    heard: Box<Heard>,
}

/// The state beside the window.
#[derive(Clone, Debug)]
struct Heard {
    answer: MarkingAnswer,
    /// Bytes of payload that a picosecond of round-trip time adds to what is reserved, and the last
    /// round-trip time.
    per_ps: f64,
    rtt: Span,
    /// The end of the acknowledged data, and of the sent data.
    una: u64,
    high: u64,
    /// Words about data below this were answered.
    until: u64,
    /// Words, and answers.
    words: u64,
    answers: u64,
}

impl Heard {
    fn reserved(&self) -> u64 {
        (self.rtt.ps() as f64 * self.per_ps) as u64
    }
}

impl Algorithm for MarkerAware {
    type Config = MarkerAwareConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "marker_aware",
        title: "TCP with marker feedback",
        idea: "A segment that the marker finds out of profile lowers the window to what is \
            reserved, before anything is lost.",
        equations: "marked OUT:   once a round trip: cwnd = max(min(cwnd, r SRTT), 2 SMSS);  \
            ssthresh = cwnd\nwith `half`:                     cwnd = max(cwnd / 2, 2 \
            SMSS);           ssthresh = cwnd\nnothing is sent again;  without messages from its \
            marker: newreno",
        sources: &[
            "Yeom, Reddy: Realizing throughput guarantees in a differentiated services network, \
                ICMCS 1999; the size of the answer and what a round trip is are reconstructed",
            "S. Choi, C. Kim, TCP throughput guarantee using packet buffering, KISS 28(2), 2001 \
                (what becomes of it)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "losses; its marker says when it exceeds the reservation",
        needs: "`reserved`, the meter `marker_feedback`",
        family: "assured rates",
        ..About::PLAIN
    };
    fn new(config: &MarkerAwareConfig, path: &Path) -> Self {
        let rate = config.rate.or(path.reserved).unwrap_or(Rate::from_bps(0));
        let per_ps = rate.bps() as f64 / 8e12 * path.mss as f64 / (path.mss + path.header) as f64;
        let rtt = path.rtt.unwrap_or_default();
        let heard = Heard {
            answer: config.answer,
            per_ps,
            rtt,
            una: 0,
            high: 0,
            until: 0,
            words: 0,
            answers: 0,
        };
        MarkerAware { window: Box::new(Window::new(STANDARD, path)), heard: Box::new(heard) }
    }
}

#[delegate(self.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for MarkerAware {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides::recovery("newreno")
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { segments: true, samples: true, ..Capabilities::WINDOW }
    }
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        self.heard.una = ack.una;
        if let Some(rtt) = ack.srtt.or(ack.rtt) {
            self.heard.rtt = rtt;
        }
        self.window.grow(ack);
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.window.shrink(event, None);
    }
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.heard.high = self.heard.high.max(sent.end);
        Tag(0)
    }
    fn on_host_signal(&mut self, signal: HostSignal, _: &mut Commands) {
        let h = &mut self.heard;
        if signal != HostSignal::MarkedOut {
            return;
        }
        h.words += 1;
        let left = match h.answer {
            MarkingAnswer::Reserved => h.reserved(),
            MarkingAnswer::Half => self.window.cwnd() / 2,
        };
        if h.una >= h.until && left < self.window.cwnd() {
            (h.until, h.answers) = (h.high, h.answers + 1);
            self.window.set_ssthresh(left);
            self.window.bound(self.window.threshold());
        }
    }
    /// `reserved_window` (r SRTT) in bytes, `words` of the marker and `answers` to them.
    fn probe(&self, out: &mut dyn Probe) {
        self.window.probe(out);
        out.gauge("reserved_window", self.heard.reserved() as f64);
        out.gauge("words", self.heard.words as f64);
        out.gauge("answers", self.heard.answers as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::super::newreno::Newreno;
    use super::*;
    use crate::cc::parts::test_connection::{MSS, TestConnection, path};
    use dumbbell_core::transport::Cause;

    /// 1 Mbps: 12 019 bytes of payload in a round trip of 100 ms.
    fn at(w: f64, answer: MarkingAnswer) -> TestConnection<MarkerAware> {
        let config = MarkerAwareConfig { rate: Some(Rate::from_mbps(1)), answer };
        let mut d = TestConnection::<MarkerAware>::on(&path(w, false), &config);
        d.ack(1);
        send(&mut d);
        d
    }

    /// A window of data goes.
    fn send(d: &mut TestConnection<MarkerAware>) {
        let ack = d.told(0);
        d.cc.on_sent(&Sent::new(d.now, ack.nxt - MSS, MSS, false, d.cc.cwnd()));
    }

    fn word(d: &mut TestConnection<MarkerAware>) -> u64 {
        d.cc.on_host_signal(HostSignal::MarkedOut, &mut Commands::default());
        d.cc.cwnd()
    }

    #[test]
    fn without_a_word_it_is_newreno() {
        let mut d = at(20.0, MarkingAnswer::Reserved);
        let mut reno = TestConnection::<Newreno>::at(20.0, &Default::default());
        reno.ack(1);
        for i in 0..400 {
            d.ack(1);
            reno.ack(1);
            if i % 97 == 96 {
                let cause =
                    [Cause::Loss, Cause::Ecn, Cause::Timeout { first: true }, Cause::Spurious]
                        [i / 97 % 4];
                d.congest(cause);
                reno.congest(cause);
            }
            d.cc.on_host_signal(HostSignal::PathDown, &mut Commands::default());
            assert_eq!((d.cc.cwnd(), d.cc.ssthresh()), (reno.cc.cwnd(), reno.cc.ssthresh()), "{i}");
        }
        assert_eq!(d.cc.tcp_overrides(), reno.cc.tcp_overrides());
    }

    /// From 20 segments to 12 019 bytes, once until the window of then is acknowledged; half of it
    /// with `half`.
    #[test]
    fn a_word_is_answered_once_in_a_round_trip() {
        for (answer, first, then) in
            [(MarkingAnswer::Reserved, 12_019, 12_019), (MarkingAnswer::Half, 10_025, 5_000)]
        {
            let mut d = at(20.0, answer);
            assert_eq!((word(&mut d), d.cc.ssthresh()), (first, Some(first)), "{answer:?}");
            // The round trip is over with the acknowledgment of the 20.05 segments that were sent
            // by then.
            for _ in 0..21 {
                let before = d.cc.cwnd();
                assert_eq!(word(&mut d), before);
                d.ack(1);
            }
            send(&mut d);
            let after = word(&mut d);
            assert!((then..then + 1100).contains(&after), "{answer:?} {after}");
            assert_eq!((d.gauge("words"), d.gauge("answers")), (23.0, 2.0));
        }
    }

    /// Never below two segments, and never up.
    #[test]
    fn the_answer_has_bounds() {
        let mut best_effort =
            TestConnection::<MarkerAware>::at(20.0, &MarkerAwareConfig::default());
        best_effort.ack(1);
        assert_eq!(word(&mut best_effort), 2 * MSS);
        let mut small = at(5.0, MarkingAnswer::Reserved);
        let (before, ssthresh) = (small.cc.cwnd(), small.cc.ssthresh());
        assert_eq!((word(&mut small), small.cc.ssthresh()), (before, ssthresh));
    }
}
