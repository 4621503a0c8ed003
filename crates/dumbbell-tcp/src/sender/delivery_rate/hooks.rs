//! The hooks by which a sender updates its account of delivery rates. They do nothing unless the
//! congestion control asked for it.
use super::super::Sender;
use dumbbell_core::transport::{CongestionControl, Detect, Phase, RateSample, Recover};
use dumbbell_core::units::Time;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// `[from, to)` goes.
    pub(in super::super) fn rate_sent(&mut self, now: Time, from: u64, to: u64) {
        if let Some(rates) = &mut self.cold.rates {
            rates.on_sent(now, from, to, self.phase != Phase::Open);
        }
    }

    /// The application is about to write, an acknowledgment has come, or a timer is due: is there
    /// too little to send? A closed window of the receiver's is no lack of data (section
    /// 4.1.1.3.1).
    pub(in super::super) fn rate_check(&mut self) {
        let short = self.limit.saturating_sub(self.nxt.max(self.high)) < self.mss;
        if let Some(rates) = &mut self.cold.rates
            && short
        {
            rates.short_of_data(self.cc.cwnd());
        }
    }

    /// A byte goes into a closed window: how fast it arrives tells nothing of the path.
    pub(in super::super) fn rate_probe(&mut self) {
        if let Some(rates) = &mut self.cold.rates {
            rates.mark_limited();
        }
    }

    /// An acknowledgment of everything below `una`, whose selective part is taken in: its sample.
    pub(in super::super) fn rate_sample(&mut self, now: Time, una: u64) -> Option<RateSample> {
        let rates = self.cold.rates.as_mut()?;
        rates.on_acked(now, una);
        rates.sample(now)
    }

    /// The detector was asked: what it found.
    pub(in super::super) fn rate_losses(&mut self) {
        let Some(rates) = &mut self.cold.rates else { return };
        let losses = self.detect.losses(&self.board);
        if losses == rates.seen {
            return;
        }
        rates.seen = losses;
        if self.searching && self.only_trial_lost() {
            return;
        }
        let Some(rates) = &mut self.cold.rates else { return };
        let mut found = std::mem::take(&mut rates.found);
        self.detect.lost_ranges(&self.board, self.una, &mut found);
        for (from, to) in found.drain(..) {
            rates.on_lost(from, to, self.detect.by_segment());
        }
        rates.found = found;
    }

    /// The retransmission timer expired: all is lost, or what the detector says.
    pub(in super::super) fn rate_timeout(&mut self) {
        if self.detect.by_segment() {
            self.rate_losses();
        } else if let Some(rates) = &mut self.cold.rates {
            rates.lose_all();
        }
    }

    /// Withdraws the part of `[from, to)` in flight in segments of more than `larger` bytes: it
    /// will not arrive, and gives no sample of the delivery rate.
    #[cold]
    pub(in super::super) fn rate_withdraw(&mut self, from: u64, to: u64, larger: u64) {
        if let Some(rates) = &mut self.cold.rates {
            rates.withdraw(from, to, larger);
        }
    }

    /// The last loss was none.
    pub(in super::super) fn rate_forgiven(&mut self) {
        if let Some(rates) = &mut self.cold.rates {
            rates.forgive();
        }
    }
}
