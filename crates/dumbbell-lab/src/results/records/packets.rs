//! Packets followed one by one: a row for each packet, and one for each link that it came to.
use crate::results::records::packet_fields::{
    dscp, ecn, flags, from, options, payload, widen_clock,
};
use crate::results::records::parquet_table::{Cell, Table, Type};
use dumbbell_core::aqm::Reason;
use dumbbell_core::meter::Color;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::{Extra, Segment, flag, widen};
use dumbbell_core::units::Time;
use dumbbell_plan::{Flow, Plan, Transport};
use dumbbell_sim::{PacketId, Signal};
use parquet::errors::ParquetError;
use std::collections::VecDeque;
use std::path::Path;

const PACKETS: [(&str, Type); 22] = [
    ("flow", Type::Word),
    ("from", Type::Word),
    ("packet", Type::Count),
    ("sent_ps", Type::Count),
    ("delivered_ps", Type::MaybeCount),
    ("dropped_ps", Type::MaybeCount),
    ("dropped_at", Type::Word),
    ("reason", Type::Word),
    ("flags", Type::Word),
    ("seq", Type::MaybeCount),
    ("ack", Type::MaybeCount),
    ("payload_bytes", Type::Count),
    ("ip_len_bytes", Type::Count),
    ("retransmit", Type::Truth),
    ("ecn", Type::Word),
    ("ce_on_arrival", Type::Truth),
    ("dscp", Type::Count),
    ("dscp_on_arrival", Type::MaybeCount),
    ("ts_val_ps", Type::MaybeCount),
    ("ts_ecr_ps", Type::MaybeCount),
    ("window_bytes", Type::MaybeCount),
    ("options", Type::Text),
];
const HOPS: [(&str, Type); 12] = [
    ("flow", Type::Word),
    ("from", Type::Word),
    ("packet", Type::Count),
    ("link", Type::Word),
    ("arrived_ps", Type::Count),
    ("backlog_packets", Type::Count),
    ("dscp", Type::Count),
    ("colour", Type::Word),
    ("departed_ps", Type::MaybeCount),
    ("far_end_ps", Type::MaybeCount),
    ("dropped_ps", Type::MaybeCount),
    ("reason", Type::Word),
];

/// The link where a packet is.
#[derive(Clone, Copy)]
struct Visit {
    link: usize,
    arrived: Time,
    backlog: u32,
    marked: Option<Reason>,
    dress: Markings,
}

/// The codepoint of a packet, and the color that the edge before its next queue gave it.
#[derive(Clone, Copy)]
struct Markings {
    dscp: Dscp,
    colour: Option<Color>,
}

/// The end of a packet's way.
#[derive(Clone, Copy)]
enum End {
    Delivered(Time, Ecn),
    Dropped(Time, usize, Reason),
    /// Still in the network when the run ended.
    Open,
}

/// A packet on its way.
struct PacketInFlight {
    number: u64,
    sent: Time,
    segment: Segment,
    /// Stream offset of its first byte, or of the byte that it expects next.
    offset: u64,
    ts_val: Option<u64>,
    ts_ecr: Option<u64>,
    window: u64,
    options: String,
    /// The codepoint that it left its socket with.
    dscp: Dscp,
    /// Its markings at this point of its path.
    dress: Markings,
    visit: Option<Visit>,
    end: Option<End>,
}

impl PacketInFlight {
    /// Returns its markings at the queue that it comes to; the color is only of the edge before
    /// that queue.
    fn dressed(&mut self) -> Markings {
        Markings { dscp: self.dress.dscp, colour: self.dress.colour.take() }
    }
}

/// The state of one end of a flow.
#[derive(Default)]
struct Side {
    sent: u64,
    timestamps: bool,
    /// The last offset, to widen the next one.
    offset: u64,
    window: u64,
    /// The other end's clock, as this one heard it last.
    peer_clock: Option<u64>,
    /// Packets in the order of their sending; the front is the oldest without an end.
    journeys: VecDeque<PacketInFlight>,
}

/// Writes `packets.parquet` and `hops.parquet`.
pub struct PacketRecorder<'a> {
    plan: &'a Plan,
    packets: Table,
    hops: Table,
    followed: Vec<bool>,
    sides: Vec<[Side; 2]>,
}

impl<'a> PacketRecorder<'a> {
    /// Files in `dir` for the flows that the plan follows.
    ///
    /// # Errors
    /// A file cannot be made.
    pub fn create(plan: &'a Plan, dir: &Path) -> Result<Self, ParquetError> {
        let named = |columns: &[(&str, Type)]| {
            columns.iter().map(|(n, t)| (n.to_string(), *t)).collect::<Vec<_>>()
        };
        let followed = (0..plan.flows.len()).map(|f| plan.record.packets.contains(&f)).collect();
        let side = |f: &Flow| match &f.transport {
            Transport::Tcp { tcp, .. } => {
                Side { window: tcp.window_bytes(), timestamps: tcp.timestamps, ..Side::default() }
            }
            Transport::Quic { .. } | Transport::Scream { .. } | Transport::Udp { .. } => {
                Side::default()
            }
        };
        let sides = plan.flows.iter().map(|f| [side(f), side(f)]);
        Ok(PacketRecorder {
            plan,
            packets: Table::create(&dir.join("packets.parquet"), &named(&PACKETS))?,
            hops: Table::create(&dir.join("hops.parquet"), &named(&HOPS))?,
            followed,
            sides: sides.collect(),
        })
    }

    /// The number of the next packet; 0 if its flow is not followed.
    pub fn follow(&mut self, flow: usize, data: bool) -> u64 {
        if !self.followed[flow] {
            return 0;
        }
        let side = &mut self.sides[flow][usize::from(!data)];
        side.sent += 1;
        side.sent
    }

    /// A packet left its socket.
    pub fn sent(&mut self, t: Time, who: PacketId, segment: &Segment, extra: Option<&Extra>) {
        if !self.followed[who.flow] {
            return; // Another record follows it.
        }
        let tcp = segment.flags & flag::UDP == 0;
        let side = &mut self.sides[who.flow][usize::from(!who.data)];
        if tcp {
            side.offset = widen(segment.seq, side.offset);
        }
        let clock = |word: u32| side.timestamps.then(|| widen_clock(word, t));
        let (ts_val, ts_ecr) = if who.data {
            (clock(segment.ts), side.peer_clock)
        } else {
            // An acknowledgment without more to say does not carry its sender's clock: it is the
            // instant itself.
            (
                extra.map_or(side.timestamps.then_some(t.ps()), |x| clock(x.ts_val)),
                clock(segment.ts),
            )
        };
        // Of what a sender of data says besides, only its SYN speaks of a window.
        if let Some(x) = extra.filter(|_| !who.data || segment.flags & flag::SYN != 0) {
            side.window = u64::from(x.window);
        }
        let dscp = dscp(&self.plan.flows[who.flow], extra);
        let journey = PacketInFlight {
            number: who.number,
            sent: t,
            segment: *segment,
            offset: side.offset,
            ts_val,
            ts_ecr,
            window: side.window,
            options: extra
                .filter(|_| tcp)
                .map_or_else(String::new, |x| options(segment, x, side.offset)),
            dscp,
            dress: Markings { dscp, colour: None },
            visit: None,
            end: None,
        };
        side.journeys.push_back(journey);
    }

    /// It came to a link.
    pub fn entered(&mut self, t: Time, who: PacketId, link: usize, backlog: u32) {
        if let Some(journey) = self.journey(who) {
            journey.visit =
                Some(Visit { link, arrived: t, backlog, marked: None, dress: journey.dressed() });
        }
    }

    /// An edge lets it on to the next queue.
    pub fn released(&mut self, who: PacketId, dscp: Dscp, colour: Option<Color>) {
        if let Some(journey) = self.journey(who) {
            journey.dress = Markings { dscp, colour };
        }
    }

    /// It left a link.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn left(
        &mut self,
        who: PacketId,
        link: usize,
        done: Time,
        arrives: Time,
    ) -> Result<(), ParquetError> {
        if !self.followed[who.flow] {
            return Ok(());
        }
        let Some(journey) = self.journey(who) else { return Ok(()) };
        let visit = journey.visit.take();
        let here =
            || Visit { link, arrived: done, backlog: 0, marked: None, dress: journey.dressed() };
        let visit = visit.unwrap_or_else(here);
        self.hop(who, visit, Some((done, arrives)), None)
    }

    /// A queue marked or dropped it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn signal(&mut self, s: &Signal) -> Result<(), ParquetError> {
        let who = PacketId { flow: s.flow, data: s.data, number: s.number };
        let Some(journey) = self.journey(who) else { return Ok(()) };
        if s.marked {
            journey.visit.iter_mut().for_each(|v| v.marked = Some(s.reason));
            return Ok(());
        }
        journey.end = Some(End::Dropped(s.t, s.link, s.reason));
        let visit = journey.visit.take();
        let dress = journey.dressed();
        let here =
            Visit { link: s.link, arrived: s.t, backlog: s.backlog_packets, marked: None, dress };
        let visit = visit.unwrap_or(here);
        self.hop(who, visit, None, Some((s.t, s.reason)))?;
        self.flush(who.flow, who.data)
    }

    /// It arrived at the other end.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn delivered(&mut self, t: Time, who: PacketId, ecn: Ecn) -> Result<(), ParquetError> {
        let Some(journey) = self.journey(who) else { return Ok(()) };
        journey.end = Some(End::Delivered(t, ecn));
        let clock = journey.ts_val;
        if !who.data {
            self.sides[who.flow][0].peer_clock = clock;
        }
        self.flush(who.flow, who.data)
    }

    /// It arrived at the other end with a wrong bit, from `link`, and was discarded there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn discarded(&mut self, t: Time, who: PacketId, link: usize) -> Result<(), ParquetError> {
        let Some(journey) = self.journey(who) else { return Ok(()) };
        journey.end = Some(End::Dropped(t, link, Reason::Link));
        self.flush(who.flow, who.data)
    }

    /// Writes what is still on its way, and ends the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn close(mut self, metadata: &[(String, String)]) -> Result<(), ParquetError> {
        for flow in 0..self.sides.len() {
            for data in [true, false] {
                let on_the_way = &mut self.sides[flow][usize::from(!data)].journeys;
                let mut visits = Vec::new();
                for j in on_the_way.iter_mut().filter(|j| j.end.is_none()) {
                    visits.extend(j.visit.take().map(|v| (j.number, v)));
                    j.end = Some(End::Open);
                }
                for (number, visit) in visits {
                    self.hop(PacketId { flow, data, number }, visit, None, None)?;
                }
                self.flush(flow, data)?;
            }
        }
        self.packets.close(metadata)?;
        self.hops.close(metadata)
    }

    fn journey(&mut self, who: PacketId) -> Option<&mut PacketInFlight> {
        let journeys = &mut self.sides[who.flow][usize::from(!who.data)].journeys;
        let first = journeys.front()?.number;
        journeys.get_mut(usize::try_from(who.number.checked_sub(first)?).ok()?)
    }

    /// A row of `hops.parquet`. What would happen after the end of the run has not happened.
    fn hop(
        &mut self,
        who: PacketId,
        v: Visit,
        through: Option<(Time, Time)>,
        dropped: Option<(Time, Reason)>,
    ) -> Result<(), ParquetError> {
        let end = Time::ZERO + self.plan.duration;
        let past = |t: Time| (t <= end).then_some(t.ps());
        if v.arrived > end {
            return Ok(());
        }
        self.hops.row([
            Cell::Word(&self.plan.flows[who.flow].name),
            Cell::Word(from(who.data)),
            Cell::Count(who.number),
            Cell::Word(&self.plan.links[v.link].name),
            Cell::Count(v.arrived.ps()),
            Cell::Count(v.backlog.into()),
            Cell::Count(v.dress.dscp.0.into()),
            v.dress.colour.map_or(Cell::Nothing, |c| Cell::Word(c.name())),
            through.and_then(|t| past(t.0)).into(),
            through.and_then(|t| past(t.1)).into(),
            dropped.map(|d| d.0.ps()).into(),
            dropped.map(|d| d.1).or(v.marked).map_or(Cell::Nothing, |r| Cell::Word(r.name())),
        ])
    }

    /// Writes the packets that have an end, in the order of their sending.
    fn flush(&mut self, flow: usize, data: bool) -> Result<(), ParquetError> {
        let side = &mut self.sides[flow][usize::from(!data)];
        while let Some(end) = side.journeys.front().and_then(|j| j.end) {
            let Some(j) = side.journeys.pop_front() else { break };
            write(&mut self.packets, self.plan, flow, data, &j, end)?;
        }
        Ok(())
    }
}

fn write(
    table: &mut Table,
    plan: &Plan,
    flow: usize,
    data: bool,
    j: &PacketInFlight,
    end: End,
) -> Result<(), ParquetError> {
    let s = &j.segment;
    let udp = s.flags & flag::UDP != 0;
    let (delivered, ce) = match end {
        End::Delivered(t, ecn) => (Some(t.ps()), ecn == Ecn::Ce),
        _ => (None, false),
    };
    let dropped = match end {
        End::Dropped(t, link, reason) => Some((t.ps(), link, reason)),
        _ => None,
    };
    let syn = s.flags & flag::SYN != 0;
    let (seq, ack) = match (udp, data) {
        (true, _) => (None, None),
        (false, true) => (Some(j.offset), (!syn).then_some(1)),
        (false, false) => (Some(u64::from(!syn)), Some(j.offset)),
    };
    table.row([
        Cell::Word(&plan.flows[flow].name),
        Cell::Word(from(data)),
        Cell::Count(j.number),
        Cell::Count(j.sent.ps()),
        delivered.into(),
        dropped.map(|d| d.0).into(),
        dropped.map_or(Cell::Nothing, |d| Cell::Word(&plan.links[d.1].name)),
        dropped.map_or(Cell::Nothing, |d| Cell::Word(d.2.name())),
        Cell::Word(flags(s.flags, data)),
        seq.into(),
        ack.into(),
        Cell::Count(payload(&plan.flows[flow], data, s)),
        Cell::Count(s.ip_len.into()),
        Cell::Truth(s.flags & flag::RETRANSMIT != 0),
        Cell::Word(ecn(s.ecn)),
        Cell::Truth(ce),
        Cell::Count(j.dscp.0.into()),
        delivered.map(|_| u64::from(j.dress.dscp.0)).into(),
        j.ts_val.into(),
        j.ts_ecr.into(),
        (!udp).then_some(j.window).into(),
        if j.options.is_empty() { Cell::Nothing } else { Cell::Text(&j.options) },
    ])
}
