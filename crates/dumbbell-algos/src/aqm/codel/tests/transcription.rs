//! RFC 8289, section 5, as it stands there: a queue whose `dequeue` takes packets itself.
use crate::aqm::codel::CodelConfig;
use dumbbell_core::aqm::{Cx, Reason};
use dumbbell_core::packet::Packet;
use dumbbell_core::probe::Probe;
use dumbbell_core::qdisc::packet_queue::Waiting;
use dumbbell_core::qdisc::{Qdisc, Sink};
use dumbbell_core::testing::Numbered;
use dumbbell_core::units::{Backlog, Time};
use std::collections::VecDeque;

/// Instants in picoseconds, as the RFC's `time_t`; 0 of `first_above_time` is "not set".
#[derive(Default)]
pub struct Literal {
    target: u64,
    interval: u64,
    maxpacket: u64,
    ecn: bool,
    packets: VecDeque<Waiting<Numbered>>,
    bytes: u64,
    first_above_time: u64,
    drop_next: u64,
    count: u32,
    lastcount: u32,
    dropping: bool,
}

impl Literal {
    pub fn of(config: &CodelConfig) -> Self {
        let (target, interval) = (config.target.ps(), config.interval.ps());
        Literal { target, interval, maxpacket: config.mtu.0, ecn: config.ecn, ..Literal::default() }
    }

    fn control_law(&self, t: u64) -> u64 {
        t + libm::round(self.interval as f64 * (1.0 / libm::sqrt(f64::from(self.count)))) as u64
    }

    fn dodequeue(&mut self, now: u64) -> (Option<Waiting<Numbered>>, bool) {
        let Some(p) = self.packets.pop_front() else {
            self.first_above_time = 0;
            return (None, false);
        };
        self.bytes -= u64::from(p.packet.meta.ip_len);
        let mut ok_to_drop = false;
        let sojourn_time = now - p.since.ps();
        if sojourn_time < self.target || self.bytes <= self.maxpacket {
            self.first_above_time = 0;
        } else if self.first_above_time == 0 {
            self.first_above_time = now + self.interval;
        } else if now >= self.first_above_time {
            ok_to_drop = true;
        }
        (Some(p), ok_to_drop)
    }

    /// Marks `p` if that can be done.
    fn marks(&self, p: &mut Option<Waiting<Numbered>>, sink: &mut impl Sink<Numbered>) -> bool {
        match p {
            Some(w) if self.ecn && w.packet.meta.ecn.capable() => {
                w.packet.set_ce();
                sink.marked(&w.packet, Reason::Head, &|_| {});
                true
            }
            _ => false,
        }
    }
}

fn drop_packet(p: Option<Waiting<Numbered>>, sink: &mut impl Sink<Numbered>) {
    let w = p.expect("only a packet that was taken is dropped");
    sink.dropped(w.packet, Some(w.since), Reason::Head, &|_| {});
}

impl Qdisc<Numbered> for Literal {
    fn enqueue(&mut self, cx: &mut Cx<'_>, p: Numbered, sink: &mut impl Sink<Numbered>) {
        if !cx.link.capacity.fits(self.backlog(), p.meta.ip_len) {
            return sink.dropped(p, None, Reason::Overflow, &|_| {});
        }
        self.bytes += u64::from(p.meta.ip_len);
        self.packets.push_back(Waiting { since: cx.now, packet: p });
    }

    fn dequeue(
        &mut self,
        cx: &mut Cx<'_>,
        sink: &mut impl Sink<Numbered>,
    ) -> Option<Waiting<Numbered>> {
        let now = cx.now.ps();
        let (mut p, mut ok_to_drop) = self.dodequeue(now);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            }
            while now >= self.drop_next && self.dropping {
                if self.marks(&mut p, sink) {
                    self.count += 1;
                    self.drop_next = self.control_law(self.drop_next);
                    return p;
                }
                drop_packet(p, sink);
                self.count += 1;
                (p, ok_to_drop) = self.dodequeue(now);
                if !ok_to_drop {
                    self.dropping = false;
                } else {
                    self.drop_next = self.control_law(self.drop_next);
                }
            }
        } else if ok_to_drop {
            if !self.marks(&mut p, sink) {
                drop_packet(p, sink);
                (p, _) = self.dodequeue(now);
            }
            self.dropping = true;
            let delta = self.count - self.lastcount;
            self.count = 1;
            if delta > 1 && (now as i64 - self.drop_next as i64) < 16 * self.interval as i64 {
                self.count = delta;
            }
            self.drop_next = self.control_law(now);
            self.lastcount = self.count;
        }
        p
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.packets.len() as u32, bytes: self.bytes, buffers: 0 }
    }
    fn set_in_service(&mut self, _: Option<u32>) {}
    fn idle(&mut self, _: &mut Cx<'_>) {}
    fn next_wakeup(&self) -> Option<Time> {
        None
    }
    fn wake(&mut self, _: &mut Cx<'_>) {}
    fn waiting_since(&self) -> Vec<Time> {
        self.packets.iter().map(|w| w.since).collect()
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("count", f64::from(self.count));
    }
}
