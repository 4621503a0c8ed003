//! The congestion control and a cache of its answers: each packet reads fields here instead of
//! calling an algorithm.
use dumbbell_core::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, HostSignal, Sent, Tag,
};
use dumbbell_core::units::{Rate, Span, Time};

/// A congestion control, its answers after the last call, and its pending commands.
#[derive(Debug)]
pub(super) struct Control<C> {
    cwnd: u64,
    /// The window is never less (RFC 9002 section 7.2).
    least: u64,
    rate: Option<Rate>,
    timer: Time,
    capabilities: Capabilities,
    cc: C,
    pub commands: Commands,
}

impl<C: CongestionControl> Control<C> {
    pub fn new(cc: C, least: u64) -> Self {
        let (capabilities, commands) = (cc.capabilities(), Commands::default());
        let (cwnd, rate, timer) = (0, None, Time::NEVER);
        let mut control = Control { cwnd, least, rate, timer, capabilities, cc, commands };
        control.refresh();
        control
    }

    pub fn algorithm(&self) -> &C {
        &self.cc
    }
    /// The congestion window, bytes.
    #[inline]
    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }
    /// The rate that it wants packets to leave at.
    #[inline]
    pub fn rate(&self) -> Option<Rate> {
        self.rate
    }
    /// The expiry of its timer.
    #[inline]
    pub fn timer(&self) -> Time {
        self.timer
    }
    /// True if it goes by delivery rates, so that its own rate counts no headers.
    #[inline]
    pub fn rated(&self) -> bool {
        self.capabilities.rates
    }

    /// Updates the cache after a call.
    #[inline]
    fn refresh(&mut self) {
        self.cwnd = self.cc.cwnd().max(self.least);
        if self.capabilities.paces {
            self.rate = self.cc.pacing();
        }
        if self.capabilities.timer {
            self.timer = self.cc.next_timer();
        }
    }

    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) {
        self.cc.on_ack(ack, &mut self.commands);
        self.refresh();
    }
    pub fn on_congestion(&mut self, event: &Congestion<'_>) {
        self.cc.on_congestion(event, &mut self.commands);
        self.refresh();
    }
    pub fn on_recovered(&mut self, now: Time) {
        self.cc.on_recovered(now, u64::MAX);
        self.refresh();
    }
    pub fn on_open(&mut self, now: Time, rtt: Option<Span>, window: u64) {
        self.cc.on_open(now, rtt, window, &mut self.commands);
        self.refresh();
    }
    pub fn on_timer(&mut self, now: Time) {
        self.cc.on_timer(now, &mut self.commands);
        self.refresh();
    }
    pub fn on_host_signal(&mut self, signal: HostSignal) {
        self.cc.on_host_signal(signal, &mut self.commands);
        self.refresh();
    }
    #[inline]
    pub fn on_sent(&mut self, sent: &Sent) -> Tag {
        if !self.capabilities.segments {
            return Tag(0);
        }
        let tag = self.cc.on_sent(sent);
        self.refresh();
        tag
    }
}
