//! What both ends measured, together.
use crate::measures::Measures;
use crate::receiver::Receiver;
use crate::sender::{Sender, SenderStats};

/// The measures of a session: of the window, but for `stats` and `reports`, which are of the whole
/// run.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// Mean of the target rate over time, bits per second; `None` if the window is empty.
    pub target_bps: Option<f64>,
    /// Rate of the coder, bits per second.
    pub media_bps: Option<f64>,
    /// Delay of packets in the RTP queue, seconds: mean, 95th percentile, largest.
    pub rtp_queue_s: [Option<f64>; 3],
    /// Queue delay of the network as the sender estimates it, seconds: mean, 95th percentile,
    /// largest.
    pub qdelay_s: [Option<f64>; 3],
    /// Target of the queue delay at the end, seconds.
    pub qdelay_target_s: f64,
    /// Frames that were captured.
    pub frames: u64,
    /// Of these, complete after the budget.
    pub late: u64,
    /// Of these, not complete at the end of the run.
    pub lost: u64,
    /// From capture to completeness, seconds: mean, percentiles 50, 95, 99, largest.
    pub frame_delay_s: [Option<f64>; 5],
    /// Counters of the sender.
    pub stats: SenderStats,
    /// Reports of the receiver.
    pub reports: u64,
}

impl Media {
    /// Of both ends at the end of the run.
    pub fn of(sender: &Sender, receiver: &Receiver) -> Media {
        let (sent, arrived) = (sender.measured(), receiver.frames());
        let three = |d: &Measures| [d.mean_s(), d.quantile_s(0.95), d.max_s()];
        let delays = arrived.delays();
        let quantiles = [0.5, 0.95, 0.99].map(|q| delays.quantile_s(q));
        let [p50, p95, p99] = quantiles;
        Media {
            target_bps: sender.mean_target(),
            media_bps: sender.mean_coded(),
            rtp_queue_s: three(&sent.rtp_queue),
            qdelay_s: three(&sent.qdelay),
            qdelay_target_s: sender.qdelay_target().seconds(),
            frames: sent.frames,
            late: delays.count() - arrived.in_time(),
            lost: sent.frames.saturating_sub(delays.count()),
            frame_delay_s: [delays.mean_s(), p50, p95, p99, delays.max_s()],
            stats: *sender.stats(),
            reports: receiver.stats().reports,
        }
    }
    /// Frames that missed the budget: late or lost.
    pub fn missed(&self) -> u64 {
        self.late + self.lost
    }
}
