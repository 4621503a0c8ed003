//! The conditions that a configuration must satisfy.
use super::{Recovery, TcpConfig};
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Bytes, Limit, Packets, Span};

impl Config for TcpConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.min_rto > self.max_rto {
            return Err(Fault::at(
                "min_rto",
                format!("min_rto ({}) is above max_rto ({})", self.min_rto, self.max_rto),
            ));
        }
        if self.recovery == Recovery::Sack && !self.sack {
            return Err(Fault::at("recovery", "recovery = \"sack\" needs sack = true").fix(
                "use recovery = \
                    \"newreno\"",
            ));
        }
        for (field, limit) in [
            ("initial_window_bytes", self.initial_window_bytes),
            ("initial_ssthresh", self.initial_ssthresh),
            ("receive_window", self.receive_window),
        ] {
            if matches!(limit, Limit::Buffers(..) | Limit::Time(_) | Limit::Bdp(_)) {
                return Err(Fault::at(field, format!("{limit} is not a valid window size")).fix(
                    "write \
                    pkt or bytes",
                ));
            }
        }
        if matches!(self.receive_window, Limit::Bytes(Bytes(0)) | Limit::Packets(Packets(0.0))) {
            let cause = format!("a receiver with a window of {} gets no data", self.receive_window);
            return Err(Fault::at("receive_window", cause).fix("write \"64 kB\""));
        }
        if self.min_rto == Span::ZERO || self.initial_rto == Span::ZERO {
            return Err(Fault::at("min_rto", "a retransmission timeout must be above zero").fix(
                "write \
                \"200 ms\"",
            ));
        }
        if self.header.0 == 0 || self.header.0 > 120 {
            return Err(Fault::at("header", "IP and TCP headers have 1 B to 120 B").fix(
                "write \"40 \
                B\"",
            ));
        }
        let gains = [
            ("pacing_gain_slow_start", self.pacing_gain_slow_start),
            ("pacing_gain_avoidance", self.pacing_gain_avoidance),
        ];
        for (field, gain) in gains {
            if !(0.1..=10.0).contains(&gain) {
                return Err(Fault::at(field, format!("{gain} is not a valid pacing gain")).fix(
                    "write \
                    1.2",
                ));
            }
        }
        if !(0.01..=10.0).contains(&self.dcr_delay) {
            let cause = format!("{} is not a valid delay in round-trip times", self.dcr_delay);
            return Err(Fault::at("dcr_delay", cause).fix("write 1"));
        }
        if self.initial_window.0 < 1.0 {
            return Err(Fault::at("initial_window", "the initial window must hold a packet").fix(
                "write \
                \"2 pkt\"",
            ));
        }
        for (field, size) in [("mss", self.mss), ("peer_mss", self.peer_mss)] {
            if let Some(Bytes(mss)) = size
                && !(16..=65_000).contains(&mss)
            {
                let cause = format!("{mss} B is not a valid segment size");
                return Err(Fault::at(field, cause).fix("write a size from 16 B to 65000 B"));
            }
        }
        self.check_discovery()
    }
}

impl TcpConfig {
    fn check_discovery(&self) -> Result<(), Fault> {
        if !(68..=65_535).contains(&self.pmtu_base.0) {
            let cause = format!("{} is not a valid packet size", self.pmtu_base);
            return Err(Fault::at("pmtu_base", cause).fix(
                "write a size from 68 B (RFC 791) to 65535 B, \
                    such as 1024 B",
            ));
        }
        if !(1..=20).contains(&self.pmtu_black_hole) {
            let cause = format!("{} timeouts tell nothing", self.pmtu_black_hole);
            return Err(Fault::at("pmtu_black_hole", cause).fix("write 3"));
        }
        if !(68..=65_535).contains(&self.pmtu_least.0) {
            let cause = format!("{} is no MTU", self.pmtu_least);
            return Err(Fault::at("pmtu_least", cause).fix(
                "write \"68 B\", or \"1280 B\" for IP \
                version 6",
            ));
        }
        if self.pmtu_step.0 == 0 {
            return Err(Fault::at("pmtu_step", "a search in steps of nothing does not end").fix(
                "write \
                \"8 B\"",
            ));
        }
        if self.pmtu_raise_after == Span::ZERO {
            return Err(Fault::at(
                "pmtu_raise_after",
                "the larger size would be tried at once, \
                again and again",
            )
            .fix("write \"600 s\""));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_pass_their_own_check() {
        for name in TcpConfig::PROFILES {
            TcpConfig::profile(name).unwrap().check().unwrap();
        }
    }

    /// RFC 6928 section 2 and RFC 3390 section 1.
    #[test]
    fn initial_windows() {
        let rfc6928 = TcpConfig::rfc();
        let rfc3390 = TcpConfig {
            initial_window: Packets(4.0),
            initial_window_bytes: Limit::Bytes(Bytes(4380)),
            ..TcpConfig::rfc()
        };
        let windows = |c: &TcpConfig| [536, 1095, 1460, 8960].map(|mss| c.initial_window_for(mss));
        assert_eq!(windows(&rfc6928), [5360, 10_950, 14_600, 17_920]);
        assert_eq!(windows(&rfc3390), [2144, 4380, 4380, 17_920]);
        assert_eq!(TcpConfig::ns2().initial_window_for(1000), 2000);
    }

    /// RFC 9293 section 3.7.1 and RFC 6691: the smaller one, whichever end has it; options come out
    /// of it.
    #[test]
    fn the_smaller_mss_holds() {
        let payload = |mss, peer, timestamps| {
            let (mss, peer_mss) = (Some(Bytes(mss)), Some(Bytes(peer)));
            TcpConfig { mss, peer_mss, timestamps, ..TcpConfig::rfc() }.segment_bytes()
        };
        assert_eq!((payload(9140, 1460, false), payload(1460, 9140, false)), (1460, 1460));
        assert_eq!((payload(9140, 1460, true), payload(9140, 9140, true)), (1448, 9128));
        assert_eq!(TcpConfig::rfc().segment_bytes(), 536 - 12);
    }

    /// Fields that came later are written down only where they say something, and a plan without
    /// them knows its path.
    #[test]
    fn plans_of_before_stay_as_they_were() {
        let mut ns2 = serde_json::to_value(TcpConfig::ns2()).unwrap();
        let written: Vec<_> = ns2
            .as_object()
            .unwrap()
            .keys()
            .filter(|k| k.contains("mtu") || k.contains("peer"))
            .collect();
        assert!(written.is_empty(), "{written:?}");
        let fields = ns2.as_object_mut().unwrap();
        fields.insert("pmtu_step".into(), "16 B".into());
        let read: TcpConfig = serde_json::from_value(ns2).unwrap();
        assert_eq!(read, TcpConfig { pmtu_step: Bytes(16), ..TcpConfig::ns2() });
        assert_eq!(serde_json::to_value(TcpConfig::rfc()).unwrap()["pmtu_discovery"], "icmp");
    }

    /// RFC 7323 section 2.2: the field has 16 bits, the shift is at most 14.
    #[test]
    fn windows_fit_their_field() {
        let window = |window_scaling, limit| {
            TcpConfig {
                window_scaling,
                receive_window: limit,
                mss: Some(Bytes(1460)),
                ..TcpConfig::rfc()
            }
            .window_bytes()
        };
        assert_eq!(window(false, Limit::Unlimited), 65_535);
        assert_eq!(window(true, Limit::Unlimited), 65_535 << 14);
        assert_eq!(window(true, Limit::Bytes(Bytes(65_537))), 65_536);
        assert_eq!(window(true, Limit::Packets(Packets(20.0))), 20 * 1448);
        assert_eq!(TcpConfig::ns2().window_bytes(), 20_000);
    }

    #[test]
    fn faults_name_the_field() {
        let at = |c: TcpConfig| c.check().unwrap_err().at;
        assert_eq!(at(TcpConfig { sack: false, ..TcpConfig::rfc() }), "recovery");
        assert_eq!(at(TcpConfig { max_rto: Span::from_ms(1), ..TcpConfig::rfc() }), "min_rto");
        assert_eq!(
            at(TcpConfig { receive_window: Limit::Bdp(1.0), ..TcpConfig::rfc() }),
            "receive_window"
        );
        for none in ["0 B", "0 pkt"].map(|text| text.parse().unwrap()) {
            assert_eq!(
                at(TcpConfig { receive_window: none, ..TcpConfig::rfc() }),
                "receive_window"
            );
        }
        assert_eq!(at(TcpConfig { mss: Some(Bytes(8)), ..TcpConfig::rfc() }), "mss");
        assert_eq!(at(TcpConfig { peer_mss: Some(Bytes(65_001)), ..TcpConfig::rfc() }), "peer_mss");
        assert_eq!(at(TcpConfig { pmtu_base: Bytes(67), ..TcpConfig::rfc() }), "pmtu_base");
        assert_eq!(at(TcpConfig { pmtu_black_hole: 0, ..TcpConfig::rfc() }), "pmtu_black_hole");
        assert_eq!(at(TcpConfig { pmtu_step: Bytes(0), ..TcpConfig::rfc() }), "pmtu_step");
        assert_eq!(
            at(TcpConfig { pmtu_raise_after: Span::ZERO, ..TcpConfig::rfc() }),
            "pmtu_raise_after"
        );
    }
}
