//! The thread that samples TCP_INFO of the sending sockets, some hundred times a second.
use super::poller::{Poller, StopSignal};
use super::ticks::Ticks;
use super::usage::{CpuUsage, Role};
use crate::clock::Clock;
use crate::sys::tcp::{self as call, TcpInfo};
use crate::traffic::connection_state::ConnectionState;
use crate::traffic::control_state::ControlState;
use dumbbell_core::transport::Phase;
use dumbbell_core::units::Time;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

/// A sample of TCP_INFO of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Time of the sample.
    pub at: Time,
    /// The flow's number in the plan.
    pub flow: u32,
    /// Congestion window, segments.
    pub cwnd: u32,
    /// Slow-start threshold, segments; `None` while there is none.
    pub ssthresh: Option<u32>,
    /// Segment size without options, bytes.
    pub mss: u32,
    /// Smoothed round-trip time, microseconds; 0 before the first sample.
    pub rtt_us: u32,
    /// Mean deviation of the round-trip time, microseconds.
    pub rttvar_us: u32,
    /// Least round-trip time so far, microseconds.
    pub min_rtt_us: u32,
    /// Retransmission timeout, microseconds.
    pub rto_us: u32,
    /// Segments sent and neither acknowledged cumulatively nor taken for lost and not sent again:
    /// as Linux counts its flight, `unacked - (sacked + lost) + retrans`.
    pub in_flight: u32,
    /// Of the segments not acknowledged, those taken for lost.
    pub lost: u32,
    /// Segments sent again and not acknowledged.
    pub retrans: u32,
    /// Segments sent again, ever.
    pub total_retrans: u32,
    /// Segments that arrived twice, as the receiver told (D-SACK), ever.
    pub duplicates: u32,
    /// Segments with data sent, ever, repetitions included.
    pub segments_sent: u32,
    /// Payload bytes sent, ever, repetitions included.
    pub bytes_sent: u64,
    /// Payload bytes that wait in the sender's buffer and were never sent.
    pub not_sent: u32,
    /// Payload bytes acknowledged, ever.
    pub bytes_acked: u64,
    /// Segments delivered, ever.
    pub delivered: u32,
    /// Of these, those that were answered with an ECN echo.
    pub delivered_ce: u32,
    /// Expiries of the retransmission timer, ever; `None` if this kernel does not count them
    /// (before Linux 6.7).
    pub timeouts: Option<u16>,
    /// Rate at which segments leave, bytes a second; `u64::MAX`: as fast as the window allows.
    pub pacing_rate: u64,
    /// Time in which there was something to send, and of this the time limited by the receiver's
    /// window and by the sender's buffer, microseconds.
    pub busy_us: u64,
    /// See `busy_us`.
    pub window_limited_us: u64,
    /// See `busy_us`.
    pub buffer_limited_us: u64,
    /// The receiver's window, bytes.
    pub peer_window: u32,
    /// Phase of the sender.
    pub phase: Phase,
    /// What its congestion control says of itself.
    pub state: ControlState,
}

/// `TCP_INFINITE_SSTHRESH`.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

impl Sample {
    /// A sample from TCP_INFO, of which the kernel wrote `known` bytes.
    pub fn of(at: Time, flow: usize, i: &TcpInfo, known: usize) -> Sample {
        Sample {
            at,
            flow: flow as u32,
            cwnd: i.snd_cwnd,
            ssthresh: Some(i.snd_ssthresh).filter(|s| *s < NO_THRESHOLD),
            mss: i.snd_mss,
            rtt_us: i.rtt,
            rttvar_us: i.rttvar,
            min_rtt_us: i.min_rtt,
            rto_us: i.rto,
            in_flight: (i.unacked + i.retrans).saturating_sub(i.sacked + i.lost),
            lost: i.lost,
            retrans: i.retrans,
            total_retrans: i.total_retrans,
            duplicates: i.dsack_dups,
            segments_sent: i.data_segs_out,
            bytes_sent: i.bytes_sent,
            not_sent: i.notsent_bytes,
            bytes_acked: i.bytes_acked,
            delivered: i.delivered,
            delivered_ce: i.delivered_ce,
            timeouts: TcpInfo::counts_timeouts(known).then_some(i.total_rto),
            pacing_rate: i.pacing_rate,
            busy_us: i.busy_time,
            window_limited_us: i.rwnd_limited,
            buffer_limited_us: i.sndbuf_limited,
            peer_window: i.snd_wnd,
            phase: phase(i.ca_state),
            state: ControlState::default(),
        }
    }
}

impl Sample {
    /// A sample from TCP_INFO as the bytes that a kernel wrote.
    pub fn of_bytes(at: Time, flow: usize, bytes: &[u8]) -> Sample {
        Sample::of(at, flow, &TcpInfo::of_bytes(bytes), bytes.len())
    }
}

/// `TCP_CA_*` of include/uapi/linux/tcp.h in our words: what is not repairing a loss is open,
/// disorder (duplicates that report nothing yet) and the reduction after an ECN echo (CWR) too.
fn phase(ca_state: u8) -> Phase {
    match ca_state {
        3 => Phase::Recovery,
        4 => Phase::Loss,
        _ => Phase::Open,
    }
}

/// Means over the window from the warm-up to the end, from the samples in it, each of which counts
/// for the time until the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    /// Integral of the congestion window, segment seconds.
    pub cwnd_integral: f64,
    /// Seconds that were examined.
    pub seconds: f64,
    /// Of these, seconds in which the sender's buffer had nothing more to send.
    pub unfed_seconds: f64,
    /// Sum of smoothed round-trip times over samples that have one, seconds.
    pub rtt_sum: f64,
    /// Number of these samples.
    pub rtt_count: u64,
}

/// Samples of one connection, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderSummary {
    /// At the end of the warm-up; `None`: it was not open by then.
    pub warm: Option<Sample>,
    /// At the end of the run; `None`: it never was.
    pub end: Option<Sample>,
    /// In between.
    pub means: Means,
    last: Option<Sample>,
}

impl SenderSummary {
    /// Adds a sample, which lies in the window, is that of the end of the warm-up, or the last.
    pub fn add(&mut self, sample: Sample, windowed: bool, warm: bool, end: bool) {
        if warm {
            self.warm = Some(sample);
        }
        if windowed {
            self.means.add(self.last, &sample);
        }
        self.last = (windowed || warm).then_some(sample);
        if end {
            self.end = Some(sample);
        }
    }
}

/// Rows of all flows, for whoever takes them during the run or after it.
#[derive(Clone, Default)]
pub struct Rows(Arc<Mutex<Vec<Sample>>>);

impl Rows {
    /// Rows since the last call, in the order of time.
    pub fn take(&self) -> Vec<Sample> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
    fn add(&self, rows: &[Sample]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(rows);
    }
}

/// Looks at all connections, at each tick.
pub struct Sampler {
    clock: Clock,
    poller: Poller,
    states: Vec<(usize, Arc<ConnectionState>)>,
    seen: Vec<SenderSummary>,
    ticks: Ticks,
    rows: Rows,
    missed: u64,
}

impl Sampler {
    /// Looks at the sockets of `lines` (with their flows' numbers) at each of `ticks`; rows go to
    /// `rows`.
    ///
    /// # Errors
    /// No descriptors are left.
    pub fn new(
        states: Vec<(usize, Arc<ConnectionState>)>,
        clock: Clock,
        ticks: Ticks,
        halt: &StopSignal,
        rows: Rows,
    ) -> io::Result<Sampler> {
        let seen = vec![SenderSummary::default(); states.len()];
        Ok(Sampler {
            clock,
            poller: Poller::new(clock, halt)?,
            states,
            seen,
            ticks,
            rows,
            missed: 0,
        })
    }

    /// The thread's clock, for an account of what it costs.
    pub fn poller(&mut self) -> &mut Poller {
        &mut self.poller
    }

    /// Works until the end, or until it is told that it is over: what was seen, and how many
    /// instants of the series were missed because the thread came late. Totals are never missed.
    ///
    /// # Errors
    /// The kernel cannot wait.
    pub fn run(mut self) -> io::Result<(Vec<SenderSummary>, u64, CpuUsage)> {
        let mut batch = Vec::with_capacity(self.states.len());
        while self.poller.wait(self.ticks.next(), |_, _| {})? {
            // Late by several periods: what was at these instants nobody knows any more.
            self.missed += self.ticks.skip(self.clock.now());
            while self.ticks.next() <= self.clock.now() {
                self.sample_all(&mut batch);
            }
            self.rows.add(&batch);
            batch.clear();
            if self.ticks.next() == Time::NEVER {
                break;
            }
        }
        if self.ticks.next() < Time::NEVER {
            for i in 0..self.states.len() {
                self.sample_one(i, (false, true));
            }
        }
        let spent = self.poller.spent(Role::Sampler);
        Ok((self.seen, self.missed, spent))
    }

    /// Samples all connections at a tick.
    fn sample_all(&mut self, batch: &mut Vec<Sample>) {
        let tick = self.ticks.take();
        for i in 0..self.states.len() {
            // The counters of a finished flow do not change, so it is sampled only where totals are
            // taken.
            if self.states[i].1.is_finished()
                && self.seen[i].end.is_some()
                && !tick.end
                && !tick.warm
            {
                continue;
            }
            if let Some(sample) = self.sample_one(i, (tick.warm, tick.end))
                && tick.row
                && self.states[i].1.rows
            {
                batch.push(sample);
            }
        }
    }

    /// Asks the socket of `i`, if it is open.
    fn sample_one(&mut self, i: usize, (warm, end): (bool, bool)) -> Option<Sample> {
        let (flow, state) = &self.states[i];
        if !state.is_opened() {
            return None;
        }
        let finished = state.is_finished();
        let (info, known) = call::info(state.sender.as_fd()).ok()?;
        let mut told = [0; 64];
        let told = call::control_state(state.sender.as_fd(), &mut told);
        let state = ControlState::of_bytes(told);
        let sample = Sample { state, ..Sample::of(self.clock.now(), *flow, &info, known) };
        let windowed = self.ticks.past_warmup(sample.at);
        self.seen[i].add(sample, windowed, warm, end || finished);
        Some(sample)
    }
}

impl Means {
    /// `sample` comes after `last`, if that lies in the window.
    fn add(&mut self, last: Option<Sample>, sample: &Sample) {
        if let Some(last) = last {
            let seconds = sample.at.since(last.at).seconds();
            self.cwnd_integral += f64::from(last.cwnd) * seconds;
            self.seconds += seconds;
            self.unfed_seconds += if last.not_sent == 0 { seconds } else { 0.0 };
        }
        if sample.rtt_us > 0 {
            self.rtt_sum += f64::from(sample.rtt_us) * 1e-6;
            self.rtt_count += 1;
        }
    }
    /// Time-weighted mean of the congestion window, segments.
    pub fn cwnd(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.cwnd_integral / self.seconds)
    }
    /// Mean of the smoothed round-trip time, seconds.
    pub fn rtt(&self) -> Option<f64> {
        (self.rtt_count > 0).then(|| self.rtt_sum / self.rtt_count as f64)
    }
}
