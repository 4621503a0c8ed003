//! The congestion control and a cache of its answers: each packet reads fields here instead of
//! calling an algorithm.
use dumbbell_core::transport::{
    Ack, Capabilities, Commands, Congestion, CongestionControl, HostSignal, Sent, Tag,
};
use dumbbell_core::units::{Rate, Span, Time};

/// A congestion control, its answers after the last call, and its pending commands.
#[derive(Debug)]
#[repr(C)]
pub(super) struct CachedCc<C> {
    cwnd: u64,
    capabilities: Capabilities,
    /// True if there may be commands.
    command_pending: bool,
    rate: Option<Rate>,
    timer: Time,
    cc: C,
    pub commands: Commands,
}

impl<C: CongestionControl> CachedCc<C> {
    pub fn new(cc: C) -> Self {
        let capabilities = cc.capabilities();
        let commands = Commands::default();
        let mut control = CachedCc {
            cwnd: 0,
            capabilities,
            command_pending: false,
            rate: None,
            timer: Time::NEVER,
            cc,
            commands,
        };
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
    pub fn ssthresh(&self) -> Option<u64> {
        self.cc.ssthresh()
    }
    /// The rate that it wants segments to leave at.
    #[inline]
    pub fn rate(&self) -> Option<Rate> {
        self.rate
    }
    /// The expiry of its timer.
    #[inline]
    pub fn timer(&self) -> Time {
        self.timer
    }
    /// True if it is informed of each segment that is sent.
    #[inline]
    pub fn sees_segments(&self) -> bool {
        self.capabilities.segments
    }
    /// True if it reads all of an acknowledgment.
    #[inline]
    pub fn wants_samples(&self) -> bool {
        self.capabilities.samples
    }
    /// True if it may give commands, or has a timer.
    pub fn gives_commands(&self) -> bool {
        self.capabilities.commands || self.capabilities.timer
    }
    /// True if there may be commands since [`Self::take_command_pending`].
    #[inline]
    pub fn command_pending(&self) -> bool {
        self.command_pending
    }
    /// True if there are commands since the last call of this method.
    #[inline]
    pub fn take_command_pending(&mut self) -> bool {
        std::mem::take(&mut self.command_pending) && !self.commands.is_empty()
    }

    /// Updates the cache after a call.
    #[inline]
    fn refresh(&mut self) {
        self.cwnd = self.cc.cwnd();
        if self.capabilities.any() {
            self.refresh_all();
        }
    }
    fn refresh_all(&mut self) {
        self.command_pending |= self.capabilities.commands;
        self.rate = if self.capabilities.paces { self.cc.pacing() } else { None };
        self.timer = if self.capabilities.timer { self.cc.next_timer() } else { Time::NEVER };
    }

    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) {
        self.cc.on_ack(ack, &mut self.commands);
        self.refresh();
    }
    /// The common case, for a congestion control that wants no samples.
    #[inline]
    pub fn on_expected(&mut self, acked: u64, window_limited: bool) {
        self.cwnd = self.cc.on_expected(acked, window_limited);
    }
    pub fn on_congestion(&mut self, event: &Congestion<'_>) {
        self.cc.on_congestion(event, &mut self.commands);
        self.refresh();
    }
    pub fn on_recovered(&mut self, now: Time, bound: u64) {
        self.cc.on_recovered(now, bound);
        self.refresh();
    }
    pub fn on_idle(&mut self, restart_window: u64) {
        self.cc.on_idle(restart_window);
        self.refresh();
    }
    pub fn on_mss(&mut self, mss: u64) {
        self.cc.on_mss(mss);
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
    pub fn on_sent(&mut self, sent: &Sent) -> Tag {
        let tag = self.cc.on_sent(sent);
        self.refresh();
        tag
    }
}
