//! The conditions that a configuration must satisfy.
use super::QuicConfig;
use crate::wire;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Bytes, Span};

/// The longest `max_ack_delay`: half of what the field of an ACK holds here.
const LONGEST_DELAY: Span = Span::from_ms(250);

impl Config for QuicConfig {
    fn check(&self) -> Result<(), Fault> {
        self.check_sizes()?;
        self.check_times()?;
        for (field, value, least, most, usual) in [
            ("pacing_gain", self.pacing_gain, 0.1, 10.0, "1.25"),
            ("time_threshold", self.time_threshold, 1.0, 10.0, "1.125"),
        ] {
            if !(least..=most).contains(&value) {
                return Err(Fault::at(field, format!("{value} is not between {least} and {most}"))
                    .fix(format!("write {usual}")));
            }
        }
        for (field, value, most, usual) in [
            ("ack_every", self.ack_every, 1000, 2),
            ("packet_threshold", self.packet_threshold, 1000, 3),
            ("probes", self.probes, 2, 2),
            ("persistent_threshold", self.persistent_threshold, 100, 3),
        ] {
            if !(1..=most).contains(&value) {
                return Err(Fault::at(field, format!("{value} is not between 1 and {most}"))
                    .fix(format!("write {usual}")));
            }
        }
        Ok(())
    }
}

impl QuicConfig {
    fn check_sizes(&self) -> Result<(), Fault> {
        if let Some(Bytes(bytes)) = self.datagram
            && !(wire::INITIAL..=65_000).contains(&bytes)
        {
            let cause = format!("{bytes} B is not a valid datagram size (RFC 9000 section 14)");
            return Err(Fault::at("datagram", cause).fix("write a size from 1200 B to 65000 B"));
        }
        if !(wire::UDP_HEADER + 1..=120).contains(&self.header.0) {
            return Err(
                Fault::at("header", "IP and UDP headers have 9 B to 120 B").fix("write \"28 B\"")
            );
        }
        for (field, packets) in [
            ("initial_window", self.initial_window),
            ("minimum_window", self.minimum_window),
            ("pacing_burst", self.pacing_burst),
        ] {
            if !(packets.0 >= 1.0 && packets.0 <= 1e6) {
                return Err(Fault::at(field, "it must hold a packet").fix("write \"10 pkt\""));
            }
        }
        if self.window.0 < 2 * self.datagram_bytes() {
            return Err(
                Fault::at("window", "the window must hold two packets").fix("write \"16 MB\"")
            );
        }
        Ok(())
    }

    fn check_times(&self) -> Result<(), Fault> {
        if self.max_ack_delay > LONGEST_DELAY {
            let cause = format!("{} is above {LONGEST_DELAY}", self.max_ack_delay);
            return Err(Fault::at("max_ack_delay", cause).fix("write \"25 ms\""));
        }
        for (field, span, usual) in
            [("granularity", self.granularity, "1 ms"), ("initial_rtt", self.initial_rtt, "333 ms")]
        {
            if !(Span::from_us(1)..=Span::from_secs(60)).contains(&span) {
                let cause = format!("{span} is not between 1 us and 60 s");
                return Err(Fault::at(field, cause).fix(format!("write \"{usual}\"")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Ecn, Handshake};
    use dumbbell_core::units::Packets;

    /// RFC 9002 section 7.2: ten datagrams, at most the larger of 14,720 bytes and two datagrams.
    #[test]
    fn initial_windows() {
        let window = |bytes| {
            QuicConfig { datagram: Some(Bytes(bytes)), ..QuicConfig::default() }
                .initial_window_bytes()
        };
        assert_eq!([1200, 1472, 1500, 8972].map(window), [12_000, 14_720, 14_720, 17_944]);
    }

    #[test]
    fn faults_name_the_field() {
        QuicConfig::default().check().unwrap();
        let at = |c: QuicConfig| c.check().unwrap_err().at;
        let base = QuicConfig::default;
        assert_eq!(at(QuicConfig { datagram: Some(Bytes(1199)), ..base() }), "datagram");
        assert_eq!(at(QuicConfig { header: Bytes(8), ..base() }), "header");
        assert_eq!(at(QuicConfig { initial_window: Packets(0.5), ..base() }), "initial_window");
        assert_eq!(at(QuicConfig { window: Bytes(2399), ..base() }), "window");
        assert_eq!(at(QuicConfig { max_ack_delay: Span::from_secs(1), ..base() }), "max_ack_delay");
        assert_eq!(at(QuicConfig { initial_rtt: Span::ZERO, ..base() }), "initial_rtt");
        assert_eq!(at(QuicConfig { pacing_gain: 0.0, ..base() }), "pacing_gain");
        assert_eq!(at(QuicConfig { probes: 3, ..base() }), "probes");
        assert_eq!(at(QuicConfig { ack_every: 0, ..base() }), "ack_every");
    }

    #[test]
    fn choices_have_their_names() {
        let read = |text: &str| serde_json::from_str::<QuicConfig>(text).unwrap();
        assert_eq!(read(r#"{"handshake": "0-rtt"}"#).handshake, Handshake::ZeroRtt);
        assert_eq!(read(r#"{"ecn": "l4s"}"#).ecn, Ecn::L4s);
        assert!(serde_json::from_str::<QuicConfig>(r#"{"sack": true}"#).is_err());
    }
}
