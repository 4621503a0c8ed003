//! TCP New Jersey (Xu, Tian, Ansari, Computer Networks 47, 2005): Jersey whose estimate goes by the
//! receiver's clock.
//!
//! The timestamps in acknowledgments say when data arrived; when the acknowledgments themselves
//! arrive no longer matters, and what a reverse path does to them (compression, delay) does not
//! mislead the estimate (TABE). All else is [`super::jersey`].
//!
//! Reconstructed: that the receiver's clock is known to run in seconds, whatever its tick; that
//! acknowledgments with the same timestamp, or an earlier one, count together with the next.
//! Without timestamps the instants of arrival count, as in Jersey.
use super::jersey::{Core, HABITS, JerseyConfig};
use dumbbell_core::catalogue::{About, Algorithm, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, Path, TcpOverrides,
};
use dumbbell_macros::delegate;

/// See the module's page.
#[derive(Clone, Debug)]
pub struct NewJersey(Core);

impl Algorithm for NewJersey {
    type Config = JerseyConfig;
    type Site = Path;
    const ABOUT: About = About {
        name: "new_jersey",
        title: "TCP New Jersey",
        idea: "Jersey with the receiver's timestamps in place of the times of arrival: the reverse \
            path does not mislead it.",
        equations: "each ACK:  R <- (RTT R + L) / (r_n - r_(n-1) + RTT)     r: the receiver's \
            clock in the ACK (TSval)\nr_n <= r_(n-1):  L waits for the next ACK\nall else as \
            jersey",
        sources: &[
            "Xu, Tian, Ansari: Improving TCP performance in integrated wireless communications \
                networks, Computer Networks 47(2), 2005",
            "RFC 7323 (timestamps)",
        ],
        provenance: Provenance::Reconstruction,
        rule: "the same, by the receiver's clock",
        needs: "ECN by packet, timestamps",
        family: "what arrives",
        ..About::PLAIN
    };
    fn new(config: &JerseyConfig, path: &Path) -> Self {
        NewJersey(Core::new(config, path))
    }
}

#[delegate(self.0.window: on_recovered, on_idle, on_mss, cwnd, ssthresh)]
impl CongestionControl for NewJersey {
    fn tcp_overrides(&self) -> TcpOverrides {
        TcpOverrides {
            ecn: Some("per_packet"),
            timestamps: true,
            ..TcpOverrides::recovery("newreno")
        }
    }
    fn capabilities(&self) -> Capabilities {
        HABITS
    }
    #[inline]
    fn on_ack(&mut self, ack: &Ack, _: &mut Commands) {
        match ack.peer_clock {
            Some(r) => self.0.on_ack(ack, r, true),
            None => self.0.on_ack(ack, ack.now, false),
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, _: &mut Commands) {
        self.0.on_congestion(event);
    }
    fn probe(&self, out: &mut dyn Probe) {
        self.0.probe(out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::jersey::Jersey;
    use super::*;
    use dumbbell_core::probe::Gauges;
    use dumbbell_core::units::{Span, Time};

    const MSS: u64 = 1000;

    fn made<C: Algorithm<Site = Path>>() -> C
    where
        C::Config: Default,
    {
        let path = Path {
            mss: MSS,
            initial_window: 10 * MSS,
            initial_ssthresh: MSS,
            growth_limit: 1,
            ..Path::PLAIN
        };
        C::new(&C::Config::default(), &path)
    }

    fn rate(cc: &impl CongestionControl) -> f64 {
        let mut gauges = Gauges::default();
        cc.probe(&mut gauges);
        gauges.get("rate").unwrap()
    }

    /// A segment each 10 ms at the receiver; acknowledgments arrive at once `hold` of them at a
    /// time, or (1) as they left. The highest estimate of the last second.
    fn highest(cc: &mut impl CongestionControl, hold: u64) -> f64 {
        let mut highest = 0.0f64;
        for n in 0..1000 {
            let mut ack = Ack::default();
            (ack.acked, ack.in_flight) = (MSS, 10 * MSS);
            ack.peer_clock = Some(Time::ZERO + Span::from_ms(10 * n));
            ack.now = Time::ZERO + Span::from_ms(50 + 10 * (n / hold + 1) * hold);
            ack.srtt = Some(Span::from_ms(100));
            cc.on_ack(&ack, &mut Commands::default());
            if n >= 900 {
                highest = highest.max(rate(cc));
            }
        }
        highest
    }

    /// Acknowledgments of two round trips at once: Jersey's estimate more than doubles, New
    /// Jersey's stays within 1 %.
    #[test]
    fn compressed_acks_do_not_mislead_it() {
        let (even, jersey) =
            (highest(&mut made::<Jersey>(), 1), highest(&mut made::<Jersey>(), 20));
        assert!((even - 100_000.0).abs() < 100.0 && jersey > 2.0 * even, "{even} {jersey}");
        let (even, ours) =
            (highest(&mut made::<NewJersey>(), 1), highest(&mut made::<NewJersey>(), 20));
        assert!(
            (even - 100_000.0).abs() < 100.0 && (ours / even - 1.0).abs() < 0.01,
            "{even} \
            {ours}"
        );
    }

    /// Acknowledgments with equal timestamps of a coarse clock, or late ones, wait: 1000 segments a
    /// second under a tick of 10 ms.
    #[test]
    fn equal_timestamps_count_together() {
        let mut cc = made::<NewJersey>();
        for n in 0..2000u64 {
            let mut ack = Ack::default();
            (ack.acked, ack.srtt) = (MSS, Some(Span::from_ms(100)));
            ack.now = Time::ZERO + Span::from_ms(n);
            let late = if n % 100 == 57 { 20 } else { 0 };
            ack.peer_clock = Some(Time::ZERO + Span::from_ms((n / 10 * 10).max(late) - late));
            cc.on_ack(&ack, &mut Commands::default());
        }
        assert!((rate(&cc) - 1e6).abs() < 1e4, "{}", rate(&cc));
    }

    /// With exact clocks and an even path the two are one.
    #[test]
    fn on_an_even_path_it_is_jersey() {
        let (mut jersey, mut ours) = (made::<Jersey>(), made::<NewJersey>());
        for n in 0..500 {
            let mut ack = Ack::default();
            (ack.acked, ack.window_limited, ack.ece) = (MSS, true, n % 50 == 49);
            (ack.now, ack.srtt) =
                (Time::ZERO + Span::from_us(1000 * n + 50_000), Some(Span::from_ms(40)));
            ack.peer_clock = Some(Time::ZERO + Span::from_us(1000 * n));
            jersey.on_ack(&ack, &mut Commands::default());
            ours.on_ack(&ack, &mut Commands::default());
            if n % 50 == 49 {
                let event =
                    Congestion::new(ack.now, dumbbell_core::transport::Cause::Ecn, 30 * MSS, &[]);
                jersey.on_congestion(&event, &mut Commands::default());
                ours.on_congestion(&event, &mut Commands::default());
            }
            assert_eq!((jersey.cwnd(), jersey.ssthresh()), (ours.cwnd(), ours.ssthresh()));
            assert_eq!(rate(&jersey), rate(&ours));
        }
    }

    #[test]
    fn it_needs_timestamps() {
        let implied = made::<NewJersey>().tcp_overrides();
        assert_eq!(
            (implied.timestamps, implied.ecn, implied.recovery),
            (true, Some("per_packet"), Some("newreno"))
        );
        assert!(!made::<Jersey>().tcp_overrides().timestamps);
    }
}
