//! Outcomes of a run's traffic.
use super::datagrams::{DatagramResult, Datagrams, DatagramsSent};
use super::sampler::{Means, Sample, SenderSummary};
use super::usage::CpuUsage;
use crate::traffic::receiver::{Delivered, Progress, Received};
use crate::traffic::sender::Sent;
use dumbbell_core::probe::Gauges;
use dumbbell_core::units::Time;

/// The outcome of one flow. Counts are since its start; counts at the end of the warm-up are kept
/// beside.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number in the plan.
    pub flow: usize,
    /// The congestion control of its sender, as the kernel says it; `None` for datagrams.
    pub control: Option<String>,
    /// Time of its opening; `None`: never. Later than planned by its thread's lateness.
    pub opened: Option<Time>,
    /// Time of the complete handshake.
    pub established: Option<Time>,
    /// Bytes that its application handed to its socket.
    pub written: u64,
    /// True if the application has closed.
    pub closed: bool,
    /// The receiver at the end of the warm-up.
    pub warm: Delivered,
    /// The receiver at the end of the run.
    pub end: Delivered,
    /// The sender at the end of the warm-up; zero if it was not open by then.
    pub sender_warm: Sample,
    /// The sender at the end of the run.
    pub sender_end: Sample,
    /// Means over the window.
    pub means: Means,
    /// Time when the receiving application had everything; `None` if the sender has not closed, or
    /// bytes are missing.
    pub completed: Option<Time>,
    /// Measures of the application.
    pub application: Gauges,
    /// The error that broke it, with the end where it happened.
    pub failure: Option<String>,
    /// Of a flow of datagrams.
    pub datagrams: Option<Datagrams>,
}

impl Outcome {
    pub(super) fn of_connection(
        flow: usize,
        control: String,
        sent: Sent,
        seen: SenderSummary,
        received: Received,
    ) -> Outcome {
        let whole = sent.closed && received.end.bytes == sent.written && sent.written > 0;
        let failure = sent.failure.map(|t| format!("its sender: {t}"));
        Outcome {
            flow,
            control: Some(control),
            opened: sent.opened,
            established: sent.established,
            written: sent.written,
            closed: sent.closed,
            warm: received.warm,
            end: received.end,
            sender_warm: seen.warm.unwrap_or_default(),
            sender_end: seen.end.unwrap_or_default(),
            means: seen.means,
            completed: received.complete.filter(|_| whole),
            application: sent.application,
            failure: failure.or(received.failure.map(|t| format!("its receiver: {t}"))),
            datagrams: None,
        }
    }
    pub(super) fn of_datagrams(flow: usize, sent: DatagramsSent, came: DatagramResult) -> Outcome {
        let (warm, end, datagrams) = came;
        Outcome {
            flow,
            opened: sent.opened,
            written: sent.bytes,
            closed: sent.closed,
            warm,
            end,
            application: sent.application.clone(),
            datagrams: Some(Datagrams { sent, ..datagrams }),
            ..Outcome::default()
        }
    }
    /// Payload per time that the receiving application got, bits a second, between the two instants
    /// at which it was counted.
    pub fn goodput_bps(&self) -> f64 {
        let seconds = self.end.at.since(self.warm.at).seconds();
        if seconds > 0.0 { (self.end.bytes - self.warm.bytes) as f64 * 8.0 / seconds } else { 0.0 }
    }
    /// Segments sent again in the window.
    pub fn retransmits(&self) -> u32 {
        self.sender_end.total_retrans - self.sender_warm.total_retrans
    }
    /// Expiries of the retransmission timer in the window; `None` if this kernel does not count
    /// them.
    pub fn timeouts(&self) -> Option<u16> {
        let warm = self.sender_warm.timeouts.unwrap_or(0);
        self.sender_end.timeouts.map(|end| end - warm)
    }
}

/// Outcomes of all flows.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// Flows, in the plan's order.
    pub flows: Vec<Outcome>,
    /// The series of the receivers: each instant, each flow.
    pub progress: Vec<Progress>,
    /// Rows of the senders that nobody took while the run went on.
    pub samples: Vec<Sample>,
    /// Instants of the samples that were missed.
    pub missed_samples: u64,
    /// Processor use of each thread after the warm-up.
    pub spent: Vec<CpuUsage>,
}
