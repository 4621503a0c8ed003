//! The conditions that a configuration must satisfy.
use super::ScreamConfig;
use crate::wire;
use dumbbell_core::catalogue::{Config, Fault};
use dumbbell_core::units::{Rate, Span};

impl Config for ScreamConfig {
    fn check(&self) -> Result<(), Fault> {
        if !(wire::LEAST_MSS..=wire::LARGEST_MSS).contains(&self.mss.0) {
            let (least, most) = (wire::LEAST_MSS, wire::LARGEST_MSS);
            return Err(Fault::at("mss", format!("an RTP packet has {least} B to {most} B here"))
                .fix("write \"1000 B\""));
        }
        if !(wire::UDP_HEADER + 1..=120).contains(&self.header.0) {
            return Err(
                Fault::at("header", "IP and UDP headers have 9 B to 120 B").fix("write \"28 B\"")
            );
        }
        if self.minimum_window.0 < self.mss.0 {
            return Err(Fault::at("minimum_window", "the window must hold a packet")
                .fix(format!("write \"{}\" or more", self.mss)));
        }
        self.check_times()?;
        self.check_factors()?;
        for (field, rate, usual) in
            [("ramp_up", self.ramp_up, "200 kbps"), ("pace_min", self.pace_min, "50 kbps")]
        {
            if rate == Rate::from_bps(0) {
                return Err(Fault::at(field, "it must be above 0").fix(format!("write {usual:?}")));
            }
        }
        Ok(())
    }
}

impl ScreamConfig {
    fn check_times(&self) -> Result<(), Fault> {
        for (field, span, usual) in [
            ("qdelay_target_lo", self.qdelay_target_lo, "100 ms"),
            ("qdelay_target_hi", self.qdelay_target_hi, "400 ms"),
            ("resume", self.resume, "5 s"),
            ("rate_interval", self.rate_interval, "200 ms"),
            ("rtp_queue_threshold", self.rtp_queue_threshold, "20 ms"),
            ("discard", self.discard, "1 s"),
            ("probe", self.probe, "500 ms"),
            ("report_least", self.report_least, "20 ms"),
            ("report_most", self.report_most, "400 ms"),
        ] {
            // Timestamps of packets tell times of less than 35 s apart.
            if !(Span::from_ms(1)..=Span::from_secs(10)).contains(&span) {
                let cause = format!("{span} is not between 1 ms and 10 s");
                return Err(Fault::at(field, cause).fix(format!("write {usual:?}")));
            }
        }
        if self.qdelay_target_hi < self.qdelay_target_lo {
            return Err(Fault::at("qdelay_target_hi", "it is below qdelay_target_lo")
                .fix("write \"400 ms\""));
        }
        if self.report_most < self.report_least {
            return Err(
                Fault::at("report_most", "it is below report_least").fix("write \"400 ms\"")
            );
        }
        Ok(())
    }

    fn check_factors(&self) -> Result<(), Fault> {
        for (field, value, least, most, usual) in [
            ("head_room", self.head_room, 1.0, 10.0, 1.1),
            ("gain", self.gain, 0.01, 10.0, 1.0),
            ("beta_loss", self.beta_loss, 0.1, 1.0, 0.8),
            ("beta_ecn", self.beta_ecn, 0.1, 1.0, 0.9),
            ("beta_rate", self.beta_rate, 0.1, 1.0, 0.9),
            ("qdelay_weight", self.qdelay_weight, 0.001, 1.0, 0.1),
            ("trend_threshold", self.trend_threshold, 0.0, 1.0, 0.2),
            ("trend_low", self.trend_low, 0.0, 1.0, 0.2),
            ("pre_congestion_guard", self.pre_congestion_guard, 0.0, 1.0, 0.1),
            ("queue_factor", self.queue_factor, 0.0, 2.0, 1.0),
            ("rtp_queue_scale", self.rtp_queue_scale, 0.1, 1.0, 0.95),
        ] {
            if !(least..=most).contains(&value) {
                return Err(Fault::at(field, format!("{value} is not between {least} and {most}"))
                    .fix(format!("write {usual}")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Ecn;
    use dumbbell_core::units::Bytes;

    #[test]
    fn faults_name_the_field() {
        ScreamConfig::default().check().unwrap();
        let at = |c: ScreamConfig| c.check().unwrap_err().at;
        let base = ScreamConfig::default;
        assert_eq!(at(ScreamConfig { mss: Bytes(12), ..base() }), "mss");
        assert_eq!(at(ScreamConfig { header: Bytes(8), ..base() }), "header");
        assert_eq!(at(ScreamConfig { minimum_window: Bytes(999), ..base() }), "minimum_window");
        assert_eq!(at(ScreamConfig { beta_loss: 1.5, ..base() }), "beta_loss");
        assert_eq!(at(ScreamConfig { beta_ecn: f64::NAN, ..base() }), "beta_ecn");
        assert_eq!(at(ScreamConfig { ramp_up: Rate::from_bps(0), ..base() }), "ramp_up");
        assert_eq!(at(ScreamConfig { discard: Span::from_secs(11), ..base() }), "discard");
        let low = ScreamConfig { qdelay_target_hi: Span::from_ms(99), ..base() };
        assert_eq!(at(low), "qdelay_target_hi");
        let rare = ScreamConfig { report_least: Span::from_ms(500), ..base() };
        assert_eq!(at(rare), "report_most");
    }

    #[test]
    fn choices_have_their_names() {
        let read = |text: &str| serde_json::from_str::<ScreamConfig>(text).unwrap();
        assert_eq!(read(r#"{"ecn": "ect0"}"#).ecn, Ecn::Ect0);
        assert!(serde_json::from_str::<ScreamConfig>(r#"{"sack": true}"#).is_err());
    }
}
