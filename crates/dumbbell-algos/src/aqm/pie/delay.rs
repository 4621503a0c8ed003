//! The queueing delay that a controller of delay acts on, estimated in one of three ways (RFC 8033
//! sections 4.3, 5.2).
use dumbbell_core::aqm::{Cx, Needs, QueueView};
use dumbbell_core::packet::Meta;
use dumbbell_core::units::{Bytes, Span, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the queueing delay is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DelayEstimate {
    /// How long the packet that left last had waited; nothing if none is left behind it (Linux,
    /// ns-3).
    #[default]
    Timestamp,
    /// The bytes that wait over the rate at which bytes leave, which is measured while enough of
    /// them wait (RFC 8033, section 5.2; tc's `dq_rate_estimator`). It is blind below the rate
    /// `8 dq_threshold / target`.
    DequeueRate,
    /// The bytes that wait over the link's nominal rate. Decides when a packet arrives, and so
    /// costs least; right only where the rate is constant.
    LinkRate,
}

/// The dequeue rate's weight is its threshold over this (RFC 8033, section 5.2).
const WEIGHT_BASE: f64 = 65_536.0;

/// An estimate, in seconds.
#[derive(Clone, Debug)]
pub struct Delay {
    estimate: DelayEstimate,
    threshold: u64,
    /// Of the packet that left last.
    waited: f64,
    /// Bytes per second; 0 before the first measurement.
    rate: f64,
    /// The time since which departures are counted, and the bytes that have left since.
    cycle: Option<(Time, u64)>,
}

impl Delay {
    /// An estimator without any delay so far.
    pub fn new(estimate: DelayEstimate, threshold: Bytes) -> Self {
        Delay { estimate, threshold: threshold.0, waited: 0.0, rate: 0.0, cycle: None }
    }

    /// Its needs of its port.
    pub fn needs(&self) -> Needs {
        if self.estimate == DelayEstimate::LinkRate { Needs::Arrival } else { Needs::Held }
    }

    /// Forgets its measurements.
    pub fn restart(&mut self) {
        *self = Delay::new(self.estimate, Bytes(self.threshold));
    }

    /// Bytes per second at which packets leave, as far as it is measured.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// True if there is an estimate: not before the first measurement of a rate.
    pub fn is_known(&self) -> bool {
        self.estimate != DelayEstimate::DequeueRate || self.rate > 0.0
    }

    /// A packet leaves a queue that no longer counts it.
    pub fn depart(&mut self, now: Time, q: &impl QueueView, p: &Meta, sojourn: Span) {
        match self.estimate {
            DelayEstimate::Timestamp => {
                self.waited = if q.waiting() == 0 { 0.0 } else { sojourn.seconds() }
            }
            DelayEstimate::DequeueRate => self.measure(now, q.backlog().bytes, p),
            DelayEstimate::LinkRate => {}
        }
    }

    /// A cycle starts when enough bytes wait that the link stays busy until as many have left. The
    /// packet that is about to be sent belongs to the time after `now`.
    fn measure(&mut self, now: Time, waiting: u64, p: &Meta) {
        if let Some((since, bytes)) = self.cycle.filter(|(_, bytes)| *bytes >= self.threshold) {
            let seconds = now.since(since).seconds();
            if seconds > 0.0 {
                let sample = bytes as f64 / seconds;
                let weight = if self.rate == 0.0 {
                    1.0
                } else {
                    (self.threshold as f64 / WEIGHT_BASE).min(1.0)
                };
                self.rate += weight * (sample - self.rate);
            }
            self.cycle = None;
        }
        if self.cycle.is_none() && waiting >= self.threshold {
            self.cycle = Some((now, 0));
        }
        if let Some((_, bytes)) = &mut self.cycle {
            *bytes += u64::from(p.ip_len);
        }
    }

    /// The delay now, in seconds.
    pub fn seconds(&self, cx: &Cx<'_>, q: &impl QueueView) -> f64 {
        match self.estimate {
            DelayEstimate::Timestamp => self.waited,
            DelayEstimate::DequeueRate if self.rate > 0.0 => q.backlog().bytes as f64 / self.rate,
            DelayEstimate::DequeueRate => 0.0,
            DelayEstimate::LinkRate => {
                8.0 * q.backlog().bytes as f64 / cx.link.rate.bps().max(1) as f64
            }
        }
    }
}
