//! Duplex mismatch: a link of Ethernet, one end of which believes that it shares the wire, and the
//! other that it does not.
//!
//! The end that is `half` runs CSMA/CD (IEEE 802.3 clause 4): it waits while it hears the other,
//! breaks off when it hears it while it sends, and tries again after a random time. The full-duplex
//! end never listens; what it sends into a transmission of the other arrives broken, and it does
//! not know. With both ends half it is an Ethernet of two stations as it was meant.
//!
//! The behavior of one end depends on the other, so no service alone can tell when a packet leaves:
//! taken by itself (a link that is driven alone, nothing on the reverse path) it is a constant
//! rate. In a network the simulator puts both ends on one [`medium::Medium`].
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::service::{Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Span, Time, Transmitter};
use dumbbell_macros::config;
use medium::Station;

pub mod medium;

/// The fastest Ethernet that has this half duplex: at 1 Gbps the slot is another, and hardly
/// anybody built it.
pub const FASTEST: Rate = Rate::from_mbps(100);
/// Half a slot: beyond it a station could have sent a least frame before it hears of the collision.
const FARTHEST_BYTES: u64 = 32;

/// Parameters of [`DuplexMismatch`], of one end.
#[config]
pub struct DuplexMismatchConfig {
    /// Whether this end is half duplex. The other end's own service decides for that end; without
    /// one it is the opposite.
    #[schemars(extend("x-source" = "IEEE 802.3 clause 28: who cannot negotiate is half duplex"))]
    #[config(default = true)]
    pub half: bool,
    /// Rate of the Ethernet, at most 100 Mbps; default the link's.
    #[schemars(extend("x-source" = "the link's rate"))]
    pub rate: Option<Rate>,
    /// Delay from this station to the other one. At most half a slot. The link's `delay` may be
    /// more, for what lies behind.
    #[schemars(extend("x-source" = "IEEE 802.3 clause 24: 100 m of cable"))]
    #[config(default = Span::from_ps(500_000))]
    pub propagation: Span,
}

impl Config for DuplexMismatchConfig {
    fn check(&self) -> Result<(), Fault> {
        // The check that a rate is too high is made where both ends are known, since a rate may
        // come from their link.
        let farthest = self.rate.map_or(FASTEST, |rate| rate.min(FASTEST)).span_of(FARTHEST_BYTES);
        if self.propagation < Span::from_ps(1000) || self.propagation > farthest {
            let cause = format!(
                "{} is not a valid delay between two stations of one Ethernet",
                self.propagation
            );
            let fix = format!(
                "write 1 ns to {farthest}; what lies beyond the next station is \
                `delay` of the link"
            );
            return Err(Fault::at("propagation", cause).fix(fix));
        }
        Ok(())
    }
}

/// One end of a link of Ethernet.
#[derive(Clone, Debug)]
pub struct DuplexMismatch {
    clock: Transmitter,
    rate: Rate,
    station: Station,
}

impl Algorithm for DuplexMismatch {
    type Config = DuplexMismatchConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "duplex_mismatch",
        title: "Duplex mismatch",
        idea: "One end of an Ethernet waits for the wire and gives way, the other sends whenever \
            it likes.",
        equations: "half: waits while it hears the other;  starts 96 bit times after, if the first \
            64 were quiet\nhears the other while it sends: stops 32 bits later, and tries again \
            after r slots of 512 bits,\nr uniform in 0 .. 2^min(n, 10) - 1 after n collisions;  \
            after the 16th the frame is dropped\na collision later than 512 bit times into the \
            frame: the frame is dropped at once\nfull: starts at once;  what reaches a half-duplex \
            end while that sends arrives broken\nboth full, or nothing from the other end: finish \
            = start + wire_bytes * 8 / rate\nthe last 96 bit times of a frame's time are the gap, \
            in which there is no carrier",
        sources: &[
            "IEEE Std 802.3-2002, clause 4: Media Access Control (4.2.3.2, 4.4.2)",
            "S. Shalunov, R. Carlson: Detecting Duplex Mismatch on Ethernet, PAM 2005",
            "R. Metcalfe, D. Boggs: Ethernet: Distributed Packet Switching for Local Computer \
                Networks, CACM 19(7), 1976",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &DuplexMismatchConfig, site: &Site) -> Self {
        let rate = config.rate.unwrap_or(site.link.rate);
        let station = Station::new(config.half, rate, config.propagation, site.chance.clone());
        DuplexMismatch { clock: Transmitter::new(rate), rate, station }
    }
}

impl DuplexMismatch {
    /// This end as it stands on a medium.
    pub fn station(&self) -> Station {
        self.station.clone()
    }
}

impl Service for DuplexMismatch {
    /// As long as the wire is quiet.
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        self.clock.finish(arrived, start, wire_bytes)
    }
    fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
mod tests;
