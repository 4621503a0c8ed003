//! ICMP messages about packets that were too large (RFC 1191, RFC 8201), and the change of the
//! segment size: data that is outstanding in larger segments is sent again in smaller ones, which
//! is not congestion.
use crate::config::Discovery;
use crate::sender::frto::Frto;
use crate::sender::path_mtu::{PathSize, PathStats, plateau_below};
use crate::sender::{Sender, Stage};
use dumbbell_core::transport::segment::{Outbox, PacketTooBig, widen};
use dumbbell_core::transport::{CongestionControl, Detect, Phase, Recover};
use dumbbell_core::units::Time;

/// The least payload of a segment: what IPv4's least MTU leaves beside timestamps.
const LEAST_PAYLOAD: u32 = 16;

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// The size of a packet with a full segment, header and options counted, bytes: the path's MTU,
    /// as far as this end knows or believes.
    pub fn path_mtu(&self) -> u32 {
        self.overhead + self.mss as u32
    }

    /// The counters of path MTU discovery.
    pub fn path_stats(&self) -> PathStats {
        self.cold.path.as_ref().map_or(PathStats::default(), |path| path.stats)
    }

    /// A router dropped a packet of this connection because it was too large. The notice is heeded
    /// if the packet's data is in flight (RFC 5927 section 4.1) and the size is smaller than that
    /// of a full segment now, but not below the least that IP allows. What is outstanding in larger
    /// segments goes again at once, as far as the window goes; the window stays, and no timer is
    /// backed off (RFC 1191 section 6.5).
    pub fn on_packet_too_big(&mut self, now: Time, notice: PacketTooBig, out: &mut impl Outbox) {
        self.settle_timers();
        if self.rated {
            self.rate_check();
        }
        let told = self.heed(notice);
        match told.filter(|_| !self.was_told(notice)) {
            Some(size) => {
                self.count().notices += 1;
                self.act_on(now, notice, size, out);
            }
            None => self.count().notices_ignored += 1,
        }
        self.settle(now);
    }

    /// The size in an ICMP message, if the message is valid.
    fn heed(&mut self, notice: PacketTooBig) -> Option<u32> {
        let config = &self.cold.config;
        let at = widen(notice.seq, self.una);
        let in_flight = self.stage == Stage::Established && self.una <= at && at < self.high;
        if !config.pmtu_discovery.heeds_routers() || !in_flight {
            return None;
        }
        let trial = self.cold.path.as_ref().and_then(|path| path.trial).filter(|t| t.from == at);
        // The largest size that the packet can have had: no notice names a size that it would have
        // fitted into.
        let dropped = trial.map_or(self.overhead + self.mss.min(self.high - at) as u32, |t| t.size);
        let told = if notice.mtu == 0 { plateau_below(dropped) } else { notice.mtu };
        (config.pmtu_least.0 as u32 <= told && told < dropped).then_some(told.max(self.least_mtu()))
    }

    /// True if a notice without a size says what another one of the same flight has said.
    fn was_told(&mut self, notice: PacketTooBig) -> bool {
        let (at, high) = (widen(notice.seq, self.una), self.high);
        notice.mtu == 0 && self.path_size().tells_again(at, high)
    }

    fn act_on(&mut self, now: Time, notice: PacketTooBig, told: u32, out: &mut impl Outbox) {
        let (present, raise_after) = (self.path_mtu(), self.cold.config.pmtu_raise_after);
        let at = widen(notice.seq, self.una);
        let path = self.path_size();
        path.high = told;
        if path.trial.is_some_and(|t| t.from == at) && told >= present {
            path.named = Some(told);
            return self.trial_failed(now, out);
        }
        // The size in the notice passes the router, and no larger one does: there is nothing to
        // search for.
        (path.low, path.trial, path.mending, path.wait) = (told, None, 0, 0);
        path.raise_at = now + raise_after;
        self.watch_path();
        self.refit(now, told, out);
    }

    /// Packets are at most of `size` from now on, and what is outstanding in larger ones is lost,
    /// by its size: it goes again. Not congestion: the window stays, the timer is started again and
    /// not backed off.
    fn refit(&mut self, now: Time, size: u32, out: &mut impl Outbox) {
        self.resize(size);
        if self.phase == Phase::Recovery {
            self.cc.on_recovered(now, u64::MAX);
        }
        if self.una < self.high {
            let (mss, kept) = (self.mss, self.high);
            let larger = if self.detect.by_segment() { mss } else { 0 };
            self.detect.withdraw(mss);
            self.rate_withdraw(self.una, u64::MAX, larger);
            self.beyond -= self.cold.tags.take_lost(self.high, self.una, true, &self.board);
            self.tagged = !self.cold.tags.is_empty();
            self.cold.frto = Frto::Off;
            self.cold.episode.close();
            self.probing = false;
            self.go_back();
            self.timed_end = 0;
            self.detect.settled();
            if self.detect.by_segment() {
                // Lost segments are retransmitted; SND.NXT stays.
                self.nxt = kept;
            }
            self.cold.refitting = true;
        }
        self.restart_timer(now);
        self.transmit(now, out);
    }

    /// A full segment fills a packet of `size` from now on.
    pub(crate) fn resize(&mut self, size: u32) {
        self.count().mtu_changes += 1;
        self.mss = u64::from(size.saturating_sub(self.overhead).max(1));
        self.cc.on_mss(self.mss);
        self.detect.on_mss(self.mss);
    }

    /// The state of the path, from now on if there was none.
    pub(crate) fn path_size(&mut self) -> &mut PathSize {
        let (most, base) = (self.path_mtu(), self.base_mtu());
        self.cold.path.get_or_insert_with(|| Box::new(PathSize::new(most, base)))
    }

    /// The least size that is ever gone down to.
    pub(crate) fn least_mtu(&self) -> u32 {
        (self.cold.config.pmtu_least.0 as u32).max(self.overhead + LEAST_PAYLOAD)
    }
    /// The size of `pmtu_base`.
    pub(crate) fn base_mtu(&self) -> u32 {
        (self.cold.config.pmtu_base.0 as u32).max(self.least_mtu())
    }

    pub(crate) fn count(&mut self) -> &mut PathStats {
        &mut self.path_size().stats
    }

    /// Works out what is to be examined from now on: a search, and a raise to come.
    pub(crate) fn watch_path(&mut self) {
        let step = self.cold.config.pmtu_step.0.min(u64::from(u32::MAX)) as u32;
        let searches = self.cold.config.pmtu_discovery == Discovery::Probe;
        let una = self.una;
        let Some(path) = &mut self.cold.path else { return };
        self.searching =
            searches && (path.next(step).is_some() || path.trial.is_some() || path.mending > una);
        self.raising = path.raise_at != Time::NEVER;
        // A deadline more: the short way of those who have one only, the retransmission timer's,
        // would pass it by.
        self.attentive |= self.raising;
    }

    /// Returns the time of the next attempt with a larger size; a connection that is over makes
    /// none.
    pub(crate) fn raise_at(&self) -> Time {
        let at = self.cold.path.as_ref().map_or(Time::NEVER, |path| path.raise_at);
        if self.finished() { Time::NEVER } else { at }
    }

    /// The path may have become larger: it is tried (RFC 1191 section 6.3), or searched for (RFC
    /// 4821, RFC 8899).
    #[cold]
    pub(crate) fn raise(&mut self) {
        let path = self.path_size();
        (path.raise_at, path.high) = (Time::NEVER, path.most);
        let most = path.most;
        if self.cold.config.pmtu_discovery == Discovery::Icmp && self.path_mtu() < most {
            self.resize(most);
        }
        self.watch_path();
    }
}
