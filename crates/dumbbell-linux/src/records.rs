//! What agents told: records (the agent's `report` module writes them), and the outcomes of flows
//! that follow from them.
use crate::orders::ns;
use crate::programs::Programs;
use dumbbell_core::probe::Gauges;
use dumbbell_core::units::{Span, Time};
use dumbbell_emu::traffic::app::{Act, App};
use dumbbell_emu::traffic::control_state::ControlState;
use dumbbell_emu::traffic::outcome::{Outcome, Outcomes};
use dumbbell_emu::traffic::receiver::{Delivered, Progress};
use dumbbell_emu::traffic::sampler::{Sample, SenderSummary};
use dumbbell_plan::{Plan, Transport};

/// The kind of the frames that carry records.
pub const ETHERTYPE: [u8; 2] = [0x88, 0xb5];
const ETHERNET: usize = 14;
/// Bytes of a record before its body.
const HEAD: usize = 15;
const NO_FLOW: u32 = u32::MAX;

const OPENED: u8 = 1;
const ESTABLISHED: u8 = 2;
const SAMPLE: u8 = 3;
const COUNT: u8 = 4;
const SENT: u8 = 5;
const COMPLETE: u8 = 6;
const FAILURE: u8 = 7;
const CONTROL: u8 = 8;
const ACKNOWLEDGED: u8 = 9;
const END: u8 = 10;
const QUEUE: u8 = 15;

/// Flags of a sample and of a count.
const WARM: u8 = 1;
const AT_END: u8 = 2;
const ROW: u8 = 4;
const OVER: u8 = 8;

/// One flow, as it was told so far.
#[derive(Default)]
struct FlowRecords {
    outcome: Outcome,
    summary: SenderSummary,
    complete: Option<Time>,
    whole: bool,
    /// Instants at which it went on after acknowledgments.
    acknowledged: Vec<Time>,
}

/// Everything that agents told.
pub struct Records {
    flows: Vec<FlowRecords>,
    rows: Vec<bool>,
    warmup: Time,
    samples: Vec<Sample>,
    progress: Vec<Progress>,
    /// What programs of the user's said and how they ended; `None` if there are none.
    pub programs: Option<Programs>,
    /// Agents that have told everything.
    pub ended: usize,
    /// What the kernel tells of a queue of its own, if asked: the answer's bytes.
    pub queue: Option<Vec<u8>>,
    /// Why the run cannot be.
    pub failure: Option<String>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

fn instant(ns: u64) -> Time {
    Time::from_ps(ns.saturating_mul(1000))
}

impl Records {
    /// Nothing has been told yet about the flows of `plan`.
    pub fn new(plan: &Plan) -> Records {
        let flow = |(number, planned): (usize, &dumbbell_plan::Flow)| FlowRecords {
            outcome: Outcome {
                flow: number,
                datagrams: matches!(planned.transport, Transport::Udp { .. })
                    .then(Default::default),
                ..Outcome::default()
            },
            ..FlowRecords::default()
        };
        Records {
            flows: plan.flows.iter().enumerate().map(flow).collect(),
            rows: plan.flows.iter().map(|flow| flow.session.is_none()).collect(),
            warmup: Time::ZERO + plan.warmup.min(plan.duration),
            samples: vec![],
            progress: vec![],
            programs: None,
            ended: 0,
            queue: None,
            failure: None,
        }
    }

    /// Takes a frame of an agent's.
    pub fn frame(&mut self, frame: &[u8]) {
        if frame.get(12..ETHERNET) != Some(&ETHERTYPE[..]) {
            return;
        }
        let mut rest = &frame[ETHERNET..];
        while rest.len() >= HEAD {
            let length = usize::from(u16::from_le_bytes([rest[0], rest[1]]));
            if !(HEAD..=rest.len()).contains(&length) {
                return;
            }
            let (record, later) = rest.split_at(length);
            self.record(record[2], u32_at(record, 3), u64_at(record, 7), &record[HEAD..]);
            rest = later;
        }
    }

    fn record(&mut self, kind: u8, flow: u32, at_ns: u64, body: &[u8]) {
        let at = instant(at_ns);
        if let Some(programs) = &mut self.programs {
            programs.record(kind, at, body);
        }
        if kind == END {
            self.ended += 1;
        } else if kind == QUEUE {
            self.queue = Some(body.to_vec());
        } else if kind == FAILURE && flow == NO_FLOW {
            self.failure = Some(String::from_utf8_lossy(body).into_owned());
        }
        let Some(records) = self.flows.get_mut(flow as usize) else { return };
        let outcome = &mut records.outcome;
        match kind {
            OPENED => outcome.opened = Some(at),
            ESTABLISHED => outcome.established = Some(at),
            SENT => {
                outcome.written = u64_at(body, 0);
                outcome.closed = body.get(8) == Some(&1);
                records.whole = outcome.closed;
            }
            COMPLETE => records.complete = Some(at),
            ACKNOWLEDGED => records.acknowledged.push(at),
            CONTROL => outcome.control = Some(String::from_utf8_lossy(body).into_owned()),
            FAILURE => {
                let end = if body.first() == Some(&0) { "sender" } else { "receiver" };
                let cause = String::from_utf8_lossy(body.get(1..).unwrap_or_default());
                outcome.failure = Some(format!("its {end}: {cause}"));
            }
            SAMPLE => self.sample(flow as usize, at, body),
            COUNT => self.count(flow as usize, at, body),
            _ => {}
        }
    }

    fn sample(&mut self, flow: usize, at: Time, body: &[u8]) {
        let Some((&[flags, of_state], rest)) = body.split_first_chunk() else { return };
        let Some((state, info)) = rest.split_at_checked(of_state.into()) else { return };
        let state = ControlState::of_bytes(state);
        let sample = Sample { state, ..Sample::of_bytes(at, flow, info) };
        let (warm, end) = (flags & WARM != 0, flags & (AT_END | OVER) != 0);
        self.flows[flow].summary.add(sample, at >= self.warmup, warm, end);
        if flags & ROW != 0 && self.rows[flow] {
            self.samples.push(sample);
        }
    }

    fn count(&mut self, flow: usize, at: Time, body: &[u8]) {
        let flags = body.first().copied().unwrap_or(0);
        let delivered = Delivered { at, bytes: u64_at(body, 9), segments: u32_at(body, 17) };
        let outcome = &mut self.flows[flow].outcome;
        if flags & WARM != 0 {
            outcome.warm = delivered;
        }
        if flags & AT_END != 0 {
            outcome.end = delivered;
        }
        if flags & ROW != 0 {
            let at = instant(u64_at(body, 1));
            self.progress.push(Progress { at, flow, delivered });
        }
    }

    /// The outcomes of all flows, whose applications these are, from their beginning on.
    pub fn outcomes(self, apps: Vec<(usize, App)>, end: Time) -> Outcomes {
        let Records { mut flows, mut samples, mut progress, .. } = self;
        for (flow, app) in apps.into_iter().filter(|(_, app)| app.awaits()) {
            flows[flow].outcome.application = measured(app, &flows[flow].acknowledged, end);
        }
        let close = |records: FlowRecords| {
            let FlowRecords { mut outcome, summary, complete, whole, .. } = records;
            outcome.sender_warm = summary.warm.unwrap_or_default();
            outcome.sender_end = summary.end.unwrap_or_default();
            outcome.means = summary.means;
            let all = whole && outcome.end.bytes == outcome.written && outcome.written > 0;
            outcome.completed = complete.filter(|_| all);
            outcome
        };
        samples.sort_by_key(|sample| sample.at);
        progress.sort_by_key(|row| (row.at, row.flow));
        Outcomes {
            flows: flows.into_iter().map(close).collect(),
            progress,
            samples,
            ..Outcomes::default()
        }
    }
}

/// What an application measures by `end` that went on at these instants, each time that everything
/// was acknowledged.
fn measured(mut app: App, acknowledged: &[Time], end: Time) -> Gauges {
    let mut acknowledged = acknowledged.iter();
    loop {
        if app.waits() {
            let Some(at) = acknowledged.next() else { break };
            app.acknowledged(*at);
        } else if app.next() > end || app.act() == Act::Close {
            break;
        }
    }
    app.measured(end)
}

/// A period as whole nanoseconds that is at least one.
pub fn period(span: Span) -> Span {
    Span::from_ps(1000 * ns(Time::ZERO + span).max(1))
}
