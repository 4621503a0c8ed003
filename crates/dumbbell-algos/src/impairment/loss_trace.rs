//! Losses as they were recorded: no chance, but a list of what is lost.
use crate::impairment::parts::loss_list::{Losses, Of};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::impairment::{Impairment, WireEffect};
use dumbbell_core::packet::Meta;
use dumbbell_core::rng::Stream;
use dumbbell_core::units::Time;
use dumbbell_macros::config;

/// Parameters of [`LossTrace`].
#[config]
pub struct LossTraceConfig {
    /// File with the words of the trace, relative to the scenario that names it; used instead of
    /// `trace`.
    #[schemars(extend("x-source" = "none: no file"))]
    #[config(default = String::new())]
    pub file: String,
    /// What the words of the trace are.
    #[schemars(extend("x-source" = "ours: the form in which testbeds publish traces"))]
    #[config(default = Of::Bits)]
    pub of: Of,
    /// The words: `0x99 1` (bits), `100 200` (packets), `0.5 12.25` (times, seconds).
    #[schemars(extend("x-source" = "none: an example, to be replaced"))]
    #[config(default = "1".into())]
    pub trace: String,
    /// Whether the trace begins again after its last bit.
    #[schemars(extend("x-source" = "ours: nothing is lost that was not recorded"))]
    pub repeat: bool,
}

impl Config for LossTraceConfig {
    fn check(&self) -> Result<(), Fault> {
        if !self.file.is_empty() {
            // Whoever can read files has put the contents into `trace` by now.
            let cause = format!("`{}` was not read: files are read where scenarios are", self.file);
            return Err(Fault::at("file", cause).fix("write its words in `trace`"));
        }
        if self.repeat && self.of != Of::Bits {
            let cause = "only bits say where the trace ends, and so when it begins again";
            return Err(Fault::at("repeat", cause).fix("leave it out, or write the trace as bits"));
        }
        let example = match self.of {
            Of::Bits => "write trace = \"0x99 1\"",
            Of::Packets => "write trace = \"100 200\", or say what its words are: of = \"bits\"",
            Of::Times => "write trace = \"0.5 12.25\", or say what its words are: of = \"bits\"",
        };
        Losses::parse(self.of, &self.trace)
            .map(|_| ())
            .map_err(|cause| Fault::at("trace", cause).fix(example))
    }
}

/// Loses the packets of a list.
#[derive(Clone, Debug)]
pub struct LossTrace {
    losses: Losses,
    repeat: bool,
    /// Packets that came in this round.
    came: u64,
    /// The loss that is next.
    next: usize,
}

impl Algorithm for LossTrace {
    type Config = LossTraceConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "loss_trace",
        title: "Loss trace",
        idea: "Packets are lost as a record says: by their places, by their numbers, or at given \
            times.",
        equations: "bits:     the n-th packet is lost  iff  the n-th bit is 1;  after the last \
            none is, or it repeats\npackets:  the n-th packet is lost  iff  n is in the \
            list\ntimes:    a packet is lost  iff  a time of the list came since the packet before \
            it left",
        sources: &["ns-2 ListErrorModel: droplist, of packets and of times"],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &LossTraceConfig, (): &()) -> Self {
        let losses = Losses::parse(config.of, &config.trace).unwrap_or_default();
        LossTrace { losses, repeat: config.repeat, came: 0, next: 0 }
    }
}

impl Impairment for LossTrace {
    fn effect(&mut self, now: Time, _: &mut Stream, _: &Meta) -> WireEffect {
        if self.repeat && self.came == self.losses.length() {
            (self.came, self.next) = (0, 0);
        }
        let reached = if self.losses.of() == Of::Times { now.ps() } else { self.came };
        self.came += 1;
        let due =
            self.losses.lost()[self.next..].iter().take_while(|place| **place <= reached).count();
        self.next += due;
        if due > 0 { WireEffect::Lost } else { WireEffect::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::catalogue::read;
    use dumbbell_core::units::Span;
    use serde_json::{Value, json};

    /// The numbers, from 1, of packets that are lost, one each 100 ms from 100 ms on.
    fn lost(v: Value) -> Vec<u64> {
        let (mut link, mut rng) =
            (LossTrace::new(&read(&v).unwrap(), &()), Stream::named(1, "unused"));
        let at = |n: u64| Time::ZERO + Span::from_ms(100 * n);
        (1..=30)
            .filter(|n| link.effect(at(*n), &mut rng, &Meta::default()) == WireEffect::Lost)
            .collect()
    }

    #[test]
    fn bits_stand_for_packets() {
        assert_eq!(lost(json!({ "trace": "0x3 1 0 1x2" })), [4, 6, 7]);
        assert_eq!(
            lost(json!({ "trace": "00 1", "repeat": true })),
            [3, 6, 9, 12, 15, 18, 21, 24, 27, 30]
        );
        assert!(lost(json!({ "trace": "0", "repeat": true })).is_empty());
    }

    #[test]
    fn numbers_name_packets() {
        assert_eq!(lost(json!({ "of": "packets", "trace": "1 2 17 31" })), [1, 2, 17]);
    }

    /// At 0.05 s the first packet, which leaves at 0.1 s, is the next; 0.31 and 0.39 s both mean
    /// the one of 0.4 s.
    #[test]
    fn a_time_loses_the_next_packet() {
        assert_eq!(
            lost(json!({ "of": "times", "trace": "0.05 0.31 0.39 1 1.01" })),
            [1, 4, 10, 11]
        );
    }

    #[test]
    fn refuses_what_is_no_trace() {
        let at = |v: Value| read::<LossTraceConfig>(&v).unwrap_err().at;
        assert_eq!(at(json!({ "trace": "0 1 2" })), "trace");
        assert_eq!(at(json!({ "trace": "" })), "trace");
        assert_eq!(at(json!({ "of": "packets", "trace": "0" })), "trace");
        assert_eq!(at(json!({ "of": "times", "repeat": true })), "repeat");
        assert_eq!(at(json!({ "file": "losses.txt" })), "file");
    }
}
