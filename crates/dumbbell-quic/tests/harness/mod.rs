//! A sender and a receiver on two wires with a delay, a rate and a script of losses.
#![allow(dead_code)]
use dumbbell_algos::cc::AnyCc;
use dumbbell_core::transport::CongestionControl;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment, flag};
use dumbbell_core::units::{Bytes, Rate, Span, Time};
use dumbbell_quic::{Handshake, QuicConfig, Receiver, Sender};
use std::collections::BTreeMap;

/// UDP payload of a full packet, and the stream's part of it.
pub const DATAGRAM: u64 = 1239;
pub const PAYLOAD: u64 = 1200;
/// IP and UDP header.
pub const HEADER: u64 = 28;

/// The wire's effect on a packet: one entry for each copy that arrives, with its additional delay.
pub type Fate = Vec<Span>;
pub fn pass() -> Fate {
    vec![Span::ZERO]
}
pub fn lose() -> Fate {
    vec![]
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Forward,
    Back,
}

/// Decides on each packet: its way, its number on that way, the packet (which it may mark).
pub type Script = Box<dyn FnMut(Way, u64, &mut Segment) -> Fate>;

/// A packet that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub at: Time,
    pub way: Way,
    pub segment: Segment,
    pub extra: Option<Extra>,
}

impl Sent {
    pub fn again(&self) -> bool {
        self.segment.flags & flag::RETRANSMIT != 0
    }
    /// UDP payload, bytes.
    pub fn size(&self) -> u64 {
        u64::from(self.segment.ip_len) - HEADER
    }
}

#[derive(Default)]
pub struct Out(pub Vec<(Segment, Option<Extra>)>);
impl Outbox for Out {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        self.0.push((segment, extra));
    }
}

pub struct Net<C> {
    pub sender: Sender<C>,
    pub receiver: Receiver,
    pub now: Time,
    /// Of each wire.
    pub delay: Span,
    /// Of the forward wire; `None`: infinitely fast.
    pub rate: Option<Rate>,
    pub log: Vec<Sent>,
    pub fate: Script,
    counts: [u64; 2],
    free_at: Time,
    order: u64,
    wire: BTreeMap<(Time, u64), (Way, Segment, Option<Extra>)>,
}

/// Full packets of 1200 bytes of data, no handshake, no pacing.
pub fn plain() -> QuicConfig {
    QuicConfig {
        datagram: Some(Bytes(DATAGRAM)),
        handshake: Handshake::None,
        pacing: false,
        ..QuicConfig::default()
    }
}

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

impl Net<AnyCc> {
    /// With the congestion control `name`, 25 ms each way; everything passes.
    pub fn new(name: &str, config: QuicConfig) -> Self {
        Net::with(config, |path| {
            AnyCc::build(name, &serde_json::json!({}), path).expect("a known congestion control")
        })
    }
}

impl<C: CongestionControl> Net<C> {
    pub fn with(
        config: QuicConfig,
        make: impl FnOnce(&dumbbell_core::transport::Path) -> C,
    ) -> Self {
        let sender = Sender::new(std::sync::Arc::new(config), make);
        Net {
            receiver: sender.receiver(),
            sender,
            now: Time::ZERO,
            delay: Span::from_ms(25),
            rate: None,
            log: Vec::new(),
            fate: Box::new(|_, _, _| pass()),
            counts: [0; 2],
            free_at: Time::ZERO,
            order: 0,
            wire: BTreeMap::new(),
        }
    }

    /// Decides on packets of data by their number, from 0; others pass.
    pub fn drops(mut self, lost: impl Fn(u64) -> bool + 'static) -> Self {
        self.fate = Box::new(
            move |way, number, _| {
                if way == Way::Forward && lost(number) { lose() } else { pass() }
            },
        );
        self
    }

    pub fn open(&mut self) {
        let mut out = Out::default();
        self.sender.open(self.now, &mut out);
        self.launch(Way::Forward, out);
    }
    pub fn write(&mut self, bytes: u64) {
        let mut out = Out::default();
        self.sender.write(self.now, bytes, &mut out);
        self.launch(Way::Forward, out);
    }
    pub fn close(&mut self) {
        let mut out = Out::default();
        self.sender.close(self.now, &mut out);
        self.launch(Way::Forward, out);
    }
    /// Opens, writes so many full packets, and runs.
    pub fn send(&mut self, packets: u64, until: Time) {
        self.open();
        self.write(packets * PAYLOAD);
        self.run(until);
    }

    fn launch(&mut self, way: Way, out: Out) {
        for (mut segment, extra) in out.0 {
            let count = &mut self.counts[usize::from(way == Way::Back)];
            let number = std::mem::replace(count, *count + 1);
            self.log.push(Sent { at: self.now, way, segment, extra });
            let mut leaves = self.now;
            if let (Some(rate), Way::Forward) = (self.rate, way) {
                self.free_at = self.free_at.max(self.now) + rate.span_of(segment.ip_len.into());
                leaves = self.free_at;
            }
            for later in (self.fate)(way, number, &mut segment) {
                self.order += 1;
                let at = leaves + self.delay + later;
                self.wire.insert((at, self.order), (way, segment, extra));
            }
        }
    }

    /// The next instant at which something happens.
    fn next(&self) -> Time {
        let arrival = self.wire.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
        arrival.min(self.sender.deadline()).min(self.receiver.deadline())
    }

    /// Handles everything up to `until`: arrivals before timers.
    pub fn run(&mut self, until: Time) {
        while self.next() <= until {
            self.now = self.next();
            let mut out = Out::default();
            if let Some(entry) = self.wire.first_entry().filter(|e| e.key().0 == self.now) {
                let (way, segment, extra) = entry.remove();
                match way {
                    Way::Forward => {
                        self.receiver.on_segment(self.now, &segment, extra.as_ref(), &mut out);
                        self.launch(Way::Back, out);
                    }
                    Way::Back => {
                        self.sender.on_segment(self.now, &segment, extra.as_ref(), &mut out);
                        self.launch(Way::Forward, out);
                    }
                }
            } else if self.receiver.deadline() <= self.now {
                self.receiver.on_deadline(self.now, &mut out);
                self.launch(Way::Back, out);
            } else {
                self.sender.on_deadline(self.now, &mut out);
                self.launch(Way::Forward, out);
            }
        }
        self.now = self.now.max(until);
    }

    /// What was sent one way, in order.
    pub fn sent(&self, way: Way) -> Vec<Sent> {
        self.log.iter().filter(|sent| sent.way == way).copied().collect()
    }
    /// Instants of the sender's packets, milliseconds.
    pub fn instants(&self) -> Vec<f64> {
        self.sent(Way::Forward).iter().map(|sent| sent.at.seconds() * 1e3).collect()
    }
}
