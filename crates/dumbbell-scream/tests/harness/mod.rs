//! A coder, a sender and a receiver around a link with a queue, whose rate may change.
use dumbbell_core::packet::Ecn;
use dumbbell_core::source::Coder;
use dumbbell_core::transport::segment::{Extra, Outbox, Segment};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_scream::{Media, Receiver, ScreamConfig, Sender, Window};
use std::collections::BTreeMap;

/// IP and UDP header.
pub const HEADER: u64 = 28;

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

pub fn mbps(mbps: f64) -> Rate {
    Rate::from_bps((mbps * 1e6) as u64)
}

/// A packet that was sent: when, and what.
pub type Sent = (Time, Segment, Option<Extra>);

#[derive(Default)]
struct Out(Vec<(Segment, Option<Extra>)>);
impl Outbox for Out {
    fn send(&mut self, segment: Segment, extra: Option<Extra>) {
        self.0.push((segment, extra));
    }
}

/// What happens to a packet of the sender, by its number.
pub type Fate = Box<dyn FnMut(u64, &mut Segment) -> bool>;

pub struct Net {
    pub sender: Sender,
    pub receiver: Receiver,
    pub now: Time,
    pub rate: Rate,
    pub fate: Fate,
    /// Packets of each end.
    pub media: Vec<Sent>,
    pub reports: Vec<Sent>,
    /// Delays in the link's queue: instant, seconds.
    pub queue: Vec<(Time, f64)>,
    delay: Span,
    interval: Span,
    frame_at: Time,
    end: Time,
    free_at: Time,
    order: u64,
    wire: BTreeMap<(Time, u64), (bool, Segment, Option<Extra>)>,
}

impl Net {
    /// A coder of one rate: `bytes` in each frame, `fps` of them in a second.
    pub fn steady(bytes: u64, fps: u64, delay: Span, end: Time) -> Net {
        let mut net = Net::new(ScreamConfig::default(), mbps(10.0), end);
        let rate = Rate::from_bps(8 * bytes * fps);
        let budget = Span::from_ms(200);
        let coder = Coder { least: rate, most: rate, start: rate, budget };
        let window = Window { from: Time::ZERO, end, budget };
        net.sender = Sender::new(std::sync::Arc::new(ScreamConfig::default()), coder, window);
        (net.delay, net.interval) = (delay, Span::from_ps(1_000_000_000_000 / fps));
        net
    }

    /// 25 frames per second from 150 kbps to 5 Mbps, over a link of `rate` with 20 ms each way and
    /// a queue without limit, until `end`; frames may take 200 ms.
    pub fn new(config: ScreamConfig, rate: Rate, end: Time) -> Net {
        let budget = Span::from_ms(200);
        let (least, most) = (mbps(0.15), mbps(5.0));
        let coder = Coder { least, most, start: least, budget };
        let window = Window { from: Time::ZERO, end, budget };
        let config = std::sync::Arc::new(config);
        Net {
            sender: Sender::new(config.clone(), coder, window),
            receiver: Receiver::new(config, window),
            now: Time::ZERO,
            rate,
            fate: Box::new(|_, _| true),
            media: Vec::new(),
            reports: Vec::new(),
            queue: Vec::new(),
            delay: Span::from_ms(20),
            interval: Span::from_ms(40),
            frame_at: Time::ZERO,
            end,
            free_at: Time::ZERO,
            order: 0,
            wire: BTreeMap::new(),
        }
    }

    /// Marks and losses of packets by their numbers.
    pub fn fate(mut self, fate: impl FnMut(u64, &mut Segment) -> bool + 'static) -> Net {
        self.fate = Box::new(fate);
        self
    }

    pub fn media(&self) -> Media {
        Media::of(&self.sender, &self.receiver)
    }

    fn launch(&mut self, data: bool, out: Out) {
        for (mut segment, extra) in out.0 {
            let mut leaves = self.now;
            let mut passes = true;
            if data {
                passes = (self.fate)(self.media.len() as u64, &mut segment);
                self.media.push((self.now, segment, extra));
            } else {
                self.reports.push((self.now, segment, extra));
            }
            if !passes {
                continue;
            }
            if data {
                let start = self.free_at.max(self.now);
                self.queue.push((self.now, start.since(self.now).seconds()));
                self.free_at = start + self.rate.span_of(segment.ip_len.into());
                leaves = self.free_at;
            }
            self.order += 1;
            self.wire.insert((leaves + self.delay, self.order), (data, segment, extra));
        }
    }

    fn next(&self) -> Time {
        let arrival = self.wire.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
        let timers = self.sender.deadline().min(self.receiver.deadline());
        arrival.min(self.frame_at).min(timers)
    }

    /// Handles everything up to `until`: frames, arrivals, timers.
    pub fn run(&mut self, until: Time) {
        let until = until.min(self.end);
        while self.next() <= until {
            self.now = self.next();
            let mut out = Out::default();
            if self.frame_at == self.now {
                if self.now == Time::ZERO {
                    self.sender.open(self.now);
                }
                self.frame_at = self.now + self.interval;
                let bytes = self.sender.media_rate().bytes_in(self.interval);
                self.sender.write(self.now, bytes, &mut out);
                self.launch(true, out);
            } else if let Some(entry) = self.wire.first_entry().filter(|e| e.key().0 == self.now) {
                let (data, segment, extra) = entry.remove();
                if data {
                    self.receiver.on_segment(self.now, &segment, &mut out);
                } else {
                    self.sender.on_segment(self.now, &segment, extra.as_ref(), &mut out);
                }
                self.launch(!data, out);
            } else if self.receiver.deadline() <= self.now {
                self.receiver.on_deadline(self.now, &mut out);
                self.launch(false, out);
            } else {
                self.sender.on_deadline(self.now, &mut out);
                self.launch(true, out);
            }
        }
        self.now = self.now.max(until);
    }

    /// Bits per second of IP packets sent in a part of the run.
    pub fn sent_bps(&self, from: Time, to: Time) -> f64 {
        let bytes: u64 = self
            .media
            .iter()
            .filter(|(at, ..)| (from..to).contains(at))
            .map(|(_, s, _)| u64::from(s.ip_len))
            .sum();
        bytes as f64 * 8.0 / to.since(from).seconds()
    }

    /// Mean queue delay of packets in a part of the run, seconds.
    pub fn queued(&self, from: Time, to: Time) -> f64 {
        let of: Vec<f64> =
            self.queue.iter().filter(|(at, _)| (from..to).contains(at)).map(|(_, d)| *d).collect();
        of.iter().sum::<f64>() / of.len() as f64
    }
}

/// A packet is marked.
pub fn mark(s: &mut Segment) {
    s.ecn = Ecn::Ce;
}
