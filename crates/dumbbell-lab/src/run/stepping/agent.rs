//! A congestion control that a caller outside the simulation decides. The two share a record: the
//! order for the next step, and the observation of this one.
//!
//! Its clock has two ticks a step. The first, [`PAUSE`] before the end of a step, does nothing: the
//! simulation stops there, and the caller decides. The second, at the end, carries the order out,
//! and the sender then sends what the new window allows. An acknowledgment on the last link is at
//! its sender before its time has come, but by less than the pause.
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::Dscp;
use dumbbell_core::plugin::{Alarm, Page, PluginFactory};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack, Capabilities, Cause, Commands, Congestion, CongestionControl, HostSignal, Path, Sent, Tag,
    TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The exchanges of all agents, by their numbers.
pub(super) type Exchanges = Arc<[Arc<Mutex<Exchange>>]>;

/// The window and the rate from the next step on; `None`: as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Order {
    /// The congestion window, bytes; at least a segment.
    pub window: Option<u64>,
    /// The rate at which segments leave, headers counted.
    pub pacing: Option<Rate>,
}

/// The names of the numbers in [`Seen`].
pub const SEEN: [&str; 14] = [
    "acked_bytes",
    "sent_bytes",
    "resent_bytes",
    "marked_bytes",
    "acks",
    "losses",
    "timeouts",
    "rtt_mean_s",
    "rtt_s",
    "min_rtt_s",
    "in_flight_bytes",
    "window_bytes",
    "pacing_bps",
    "segment_bytes",
];
/// What an agent saw in a step: counts of the step first, then the state at its end. A mean without
/// samples, a round-trip time before the first one, and no pacing are NaN.
pub type Seen = [f64; SEEN.len()];

/// What an agent and the caller share.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub order: Order,
    counts: Counts,
    rtt: Option<Span>,
    min_rtt: Option<Span>,
    in_flight: u64,
    window: u64,
    pacing: Option<Rate>,
    mss: u64,
}

/// Counts of a step.
#[derive(Debug, Default)]
struct Counts {
    acked: u64,
    sent: u64,
    resent: u64,
    marked: u64,
    acks: u64,
    losses: u64,
    timeouts: u64,
    rtt_sum_s: f64,
    rtts: u64,
}

impl Exchange {
    /// What was seen since the last call.
    pub fn take(&mut self) -> Seen {
        let c = std::mem::take(&mut self.counts);
        let seconds = |span: Option<Span>| span.map_or(f64::NAN, Span::seconds);
        [
            c.acked as f64,
            c.sent as f64,
            c.resent as f64,
            c.marked as f64,
            c.acks as f64,
            c.losses as f64,
            c.timeouts as f64,
            if c.rtts > 0 { c.rtt_sum_s / c.rtts as f64 } else { f64::NAN },
            seconds(self.rtt),
            seconds(self.min_rtt),
            self.in_flight as f64,
            self.window as f64,
            self.pacing.map_or(f64::NAN, |rate| rate.bps() as f64),
            self.mss as f64,
        ]
    }

    /// True if a round-trip time is known.
    pub fn is_open(&self) -> bool {
        self.rtt.is_some()
    }

    fn round_trip(&mut self, rtt: Span) {
        self.rtt = Some(rtt);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
    }
}

/// The exchange, locked. A thread that panicked has left nothing half done.
pub(super) fn lock(exchange: &Mutex<Exchange>) -> MutexGuard<'_, Exchange> {
    exchange.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From the instant at which the simulation stops to the end of the step.
pub(super) const PAUSE: Span = Span::from_us(2);

/// The instant at which the simulation stops, of a step that ends at `t`.
pub(super) fn stop_before(t: Time) -> Time {
    Time::from_ps(t.ps() - PAUSE.ps())
}

/// Makes the agents of a simulation.
#[derive(Clone)]
pub(super) struct Agents {
    page: Page,
    exchanges: Exchanges,
    step: Span,
}

impl Agents {
    pub fn new(exchanges: Exchanges, step: Span) -> Agents {
        let page = Page {
            name: "agent".into(),
            title: "Agent".into(),
            idea: "Window and rate are decided from outside, step by step.".into(),
            equations: String::new(),
            sources: vec![],
            language: "Rust".into(),
            file: file!().into(),
            source_hash: String::new(),
            schema: json!({ "type": "object", "properties": {
                "number": { "type": "integer", "minimum": 0, "default": 0 },
                "under": { "type": "string", "default": "" },
            }}),
        };
        Agents { page, exchanges, step }
    }
}

impl PluginFactory<dyn CongestionControl + Send, Path> for Agents {
    fn page(&self) -> &Page {
        &self.page
    }
    fn check(&self, config: &Value) -> Result<(), Fault> {
        if number(config) < self.exchanges.len() {
            return Ok(());
        }
        Err(Fault::at("number", format!("there are {} agents", self.exchanges.len()))
            .fix("number them from 0"))
    }
    fn interpreted(&self) -> bool {
        false
    }
    fn make(
        &self,
        config: &Value,
        site: &Path,
        _: &Alarm,
    ) -> Result<Box<dyn CongestionControl + Send>, Fault> {
        let name = config["under"].as_str().unwrap_or("");
        let under =
            if name.is_empty() { None } else { Some(AnyCc::build(name, &json!({}), site)?) };
        let can = under.as_ref().map_or(Capabilities::WINDOW, CongestionControl::capabilities);
        Ok(Box::new(Agent {
            exchange: Arc::clone(&self.exchanges[number(config)]),
            under,
            can,
            step: self.step,
            tick: Time::NEVER,
            carries_out: false,
            mss: site.mss,
            window: site.initial_window,
            pacing: None,
        }))
    }
}

fn number(config: &Value) -> usize {
    config["number"].as_u64().map_or(usize::MAX, |n| n as usize)
}

struct Agent {
    exchange: Arc<Mutex<Exchange>>,
    /// A control of the catalogue that decides instead, so that it is seen in the same way.
    under: Option<AnyCc>,
    /// What that one can do.
    can: Capabilities,
    step: Span,
    tick: Time,
    /// The next tick carries the order out.
    carries_out: bool,
    mss: u64,
    window: u64,
    pacing: Option<Rate>,
}

impl Agent {
    /// The end of the step that `now` is in.
    fn end_after(&self, now: Time) -> Time {
        Time::from_ps((now.ps() / self.step.ps() + 1) * self.step.ps())
    }

    fn ticks(&mut self, now: Time) {
        if !self.carries_out {
            (self.tick, self.carries_out) = (self.end_after(now), true);
            return;
        }
        (self.tick, self.carries_out) = (stop_before(self.end_after(now)), false);
        let order = lock(&self.exchange).order;
        self.window = order.window.unwrap_or(self.window).max(self.mss);
        self.pacing = order.pacing.or(self.pacing);
        self.show();
    }

    /// Writes its state into the exchange.
    fn show(&self) {
        let mut exchange = lock(&self.exchange);
        (exchange.window, exchange.pacing, exchange.mss) = (self.cwnd(), self.pacing(), self.mss);
    }
}

impl CongestionControl for Agent {
    fn tcp_overrides(&self) -> TcpOverrides {
        self.under.as_ref().map_or(TcpOverrides::NOTHING, CongestionControl::tcp_overrides)
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            commands: self.can.commands,
            rates: self.can.rates,
            discriminates: true,
            ..Capabilities::ALL
        }
    }
    fn on_open(&mut self, now: Time, rtt: Option<Span>, window: u64, commands: &mut Commands) {
        (self.tick, self.carries_out) = (stop_before(self.end_after(now)).max(now), false);
        if let Some(rtt) = rtt {
            lock(&self.exchange).round_trip(rtt);
        }
        if let Some(under) = &mut self.under {
            under.on_open(now, rtt, window, commands);
        }
        self.show();
    }
    fn on_ack(&mut self, ack: &Ack, commands: &mut Commands) {
        if let Some(under) = &mut self.under {
            under.on_ack(ack, commands);
        }
        let (window, pacing) = (self.cwnd(), self.pacing());
        let mut exchange = lock(&self.exchange);
        exchange.counts.acks += 1;
        exchange.counts.acked += ack.acked;
        exchange.counts.marked += ack.marked;
        exchange.in_flight = ack.in_flight.saturating_sub(ack.acked + ack.sacked);
        if let Some(rtt) = ack.rtt {
            exchange.counts.rtts += 1;
            exchange.counts.rtt_sum_s += rtt.seconds();
            exchange.round_trip(rtt);
        }
        (exchange.window, exchange.pacing) = (window, pacing);
    }
    fn seed(&mut self, seed: u64) {
        if let Some(under) = &mut self.under {
            under.seed(seed);
        }
    }
    fn on_congestion(&mut self, event: &Congestion<'_>, commands: &mut Commands) {
        match event.cause {
            Cause::Loss => lock(&self.exchange).counts.losses += 1,
            Cause::Timeout { .. } => lock(&self.exchange).counts.timeouts += 1,
            Cause::Ecn | Cause::Further | Cause::Spurious => {}
        }
        if let Some(under) = &mut self.under {
            under.on_congestion(event, commands);
            self.show();
        }
    }
    fn on_recovered(&mut self, now: Time, bound: u64) {
        if let Some(under) = &mut self.under {
            under.on_recovered(now, bound);
        }
    }
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        {
            let mut exchange = lock(&self.exchange);
            exchange.counts.sent += sent.bytes;
            exchange.counts.resent += if sent.retransmit { sent.bytes } else { 0 };
            exchange.in_flight = sent.in_flight + sent.bytes;
        }
        match &mut self.under {
            Some(under) if self.can.segments => under.on_sent(sent),
            _ => Tag(0),
        }
    }
    fn codepoint(&self, tag: Tag) -> Option<Dscp> {
        self.under.as_ref().and_then(|under| under.codepoint(tag))
    }
    fn on_idle(&mut self, restart_window: u64) {
        if let Some(under) = &mut self.under {
            under.on_idle(restart_window);
        }
    }
    fn on_mss(&mut self, mss: u64) {
        self.mss = mss;
        if let Some(under) = &mut self.under {
            under.on_mss(mss);
        }
    }
    fn on_timer(&mut self, now: Time, commands: &mut Commands) {
        if self.tick <= now {
            self.ticks(now);
        }
        if let Some(under) = &mut self.under
            && self.can.timer
            && under.next_timer() <= now
        {
            under.on_timer(now, commands);
        }
    }
    fn next_timer(&self) -> Time {
        let under = self.under.as_ref().filter(|_| self.can.timer);
        under.map_or(self.tick, |under| self.tick.min(under.next_timer()))
    }
    fn on_host_signal(&mut self, signal: HostSignal, commands: &mut Commands) {
        if let Some(under) = &mut self.under {
            under.on_host_signal(signal, commands);
        }
    }
    fn cwnd(&self) -> u64 {
        self.under.as_ref().map_or(self.window, CongestionControl::cwnd)
    }
    fn ssthresh(&self) -> Option<u64> {
        self.under.as_ref().and_then(CongestionControl::ssthresh)
    }
    fn pacing(&self) -> Option<Rate> {
        match &self.under {
            Some(under) => under.pacing().filter(|_| self.can.paces),
            None => self.pacing,
        }
    }
    fn probe(&self, out: &mut dyn Probe) {
        if let Some(under) = &self.under {
            under.probe(out);
        }
    }
}
