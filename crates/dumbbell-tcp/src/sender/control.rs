//! The congestion control, and what it last said: each packet reads fields here instead of asking an algorithm.
use dumbbell_core::transport::{Ack, Congestion, CongestionControl, Habits, LocalSignal, Orders, Sent, Tag};
use dumbbell_core::units::{Rate, Span, Time};

/// A congestion control, its answers as they were after the last call, and what it asked for.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Control<C> {
    cwnd: u64,
    habits: Habits,
    /// Whether it may have asked for something.
    ordered: bool,
    rate: Option<Rate>,
    timer: Time,
    cc: C,
    pub orders: Orders,
}

impl<C: CongestionControl> Control<C> {
    pub fn new(cc: C) -> Self {
        let habits = cc.habits();
        let orders = Orders::default();
        let mut control = Control { cwnd: 0, habits, ordered: false, rate: None, timer: Time::NEVER, cc, orders };
        control.listen();
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
    /// When its clock is due.
    #[inline]
    pub fn timer(&self) -> Time {
        self.timer
    }
    /// Whether it is told of each segment that goes.
    #[inline]
    pub fn sees_segments(&self) -> bool {
        self.habits.segments
    }
    /// Whether it reads all of an acknowledgement.
    #[inline]
    pub fn wants_samples(&self) -> bool {
        self.habits.samples
    }
    /// Whether it may ask for anything, or has a clock.
    pub fn gives_orders(&self) -> bool {
        self.habits.orders || self.habits.timer
    }
    /// Whether it may have asked for something since [`Self::take_ordered`].
    #[inline]
    pub fn ordered(&self) -> bool {
        self.ordered
    }
    /// Whether it asked for something since this was asked last.
    #[inline]
    pub fn take_ordered(&mut self) -> bool {
        std::mem::take(&mut self.ordered) && !self.orders.is_empty()
    }

    /// Takes in what the last call changed.
    #[inline]
    fn listen(&mut self) {
        self.cwnd = self.cc.cwnd();
        if self.habits.any() {
            self.listen_closely();
        }
    }
    fn listen_closely(&mut self) {
        self.ordered |= self.habits.orders;
        self.rate = if self.habits.paces { self.cc.pacing() } else { None };
        self.timer = if self.habits.timer { self.cc.next_timer() } else { Time::NEVER };
    }

    #[inline]
    pub fn on_ack(&mut self, ack: &Ack) {
        self.cc.on_ack(ack, &mut self.orders);
        self.listen();
    }
    /// The ordinary case, for a control that wants no samples.
    #[inline]
    pub fn on_expected(&mut self, acked: u64, window_limited: bool) {
        self.cwnd = self.cc.on_expected(acked, window_limited);
    }
    pub fn on_congestion(&mut self, event: &Congestion<'_>) {
        self.cc.on_congestion(event, &mut self.orders);
        self.listen();
    }
    pub fn on_recovered(&mut self, now: Time, bound: u64) {
        self.cc.on_recovered(now, bound);
        self.listen();
    }
    pub fn on_idle(&mut self, restart_window: u64) {
        self.cc.on_idle(restart_window);
        self.listen();
    }
    pub fn on_mss(&mut self, mss: u64) {
        self.cc.on_mss(mss);
        self.listen();
    }
    pub fn on_open(&mut self, now: Time, rtt: Option<Span>, window: u64) {
        self.cc.on_open(now, rtt, window, &mut self.orders);
        self.listen();
    }
    pub fn on_timer(&mut self, now: Time) {
        self.cc.on_timer(now, &mut self.orders);
        self.listen();
    }
    pub fn on_local(&mut self, signal: LocalSignal) {
        self.cc.on_local(signal, &mut self.orders);
        self.listen();
    }
    pub fn on_sent(&mut self, sent: &Sent) -> Tag {
        let tag = self.cc.on_sent(sent);
        self.listen();
        tag
    }
}
