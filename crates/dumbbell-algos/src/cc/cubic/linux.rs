//! The growth of CUBIC in Linux: S. Ha, I. Rhee, L. Xu, "CUBIC: a new TCP-friendly high-speed TCP
//! variant", 2008, algorithm 1, and RFC 8312. Windows are whole segments there, and so is what the
//! cubic is asked for: between two whole numbers the window waits.
use super::{Cubic, Epoch};
use dumbbell_core::units::Span;

/// Acknowledged segments for one of growth: at least this, so that a round trip adds half a window
/// at most.
const FASTEST: f64 = 2.0;
/// Before the first loss: at most this.
const UNKNOWN_PATH: f64 = 20.0;
/// Where the cubic is not above the window: this times the window.
const PLATEAU: f64 = 100.0;

impl Cubic {
    /// Grows for `n` acknowledged segments, `t` seconds into the epoch.
    pub(super) fn grow_as_linux(
        &mut self,
        epoch: &mut Epoch,
        t: f64,
        n: f64,
        min_rtt: Option<Span>,
    ) {
        let w = libm::floor(self.window);
        let lead = min_rtt.unwrap_or(Span::ZERO).seconds();
        epoch.w_est += self.alpha * n / w;
        let target = libm::floor(self.cubic(t + lead, epoch.k));
        let mut per_growth = if target > w { w / (target - w) } else { PLATEAU * w };
        if !self.known {
            per_growth = per_growth.min(UNKNOWN_PATH);
        }
        let reno = libm::floor(epoch.w_est);
        if self.config.tcp_friendliness && reno > w {
            per_growth = per_growth.min(w / (reno - w));
        }
        self.window += n / libm::floor(per_growth).max(FASTEST);
        self.cwnd = (self.window * self.mss as f64) as u64;
    }
}
