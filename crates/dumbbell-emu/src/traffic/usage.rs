//! Processor use of a traffic thread.
use crate::clock::monotonic_ns;
use crate::run_delay;
use dumbbell_core::units::Span;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// The task of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Sends over connections.
    Sender,
    /// Receives over connections.
    Receiver,
    /// Sends datagrams.
    DatagramSender,
    /// Receives datagrams.
    DatagramReceiver,
    /// Samples.
    Sampler,
}

/// Processor time of a thread: what ran in it, its own code and the kernel's on its behalf, and
/// whatever soft interrupts found it running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuUsage {
    /// The thread's task.
    pub role: Role,
    /// In its own code.
    pub user: Span,
    /// In the kernel.
    pub system: Span,
    /// Ready, and without a processor.
    pub waited: Span,
    /// From the start of the account.
    pub wall: Span,
}

impl CpuUsage {
    /// Processor use of the calling thread so far.
    pub fn so_far(role: Role) -> CpuUsage {
        let usage = getrusage(UsageWho::RUSAGE_THREAD);
        let span = |us: i64| Span::from_us(us.max(0) as u64);
        let (user, system) = usage.map_or((0, 0), |u| {
            (u.user_time().num_microseconds(), u.system_time().num_microseconds())
        });
        let waited = run_delay::total_of_this_thread().unwrap_or(Span::ZERO);
        let wall = Span::from_ps(monotonic_ns() * 1_000);
        CpuUsage { role, user: span(user), system: span(system), waited, wall }
    }
    /// Processor use since `before`.
    pub fn since(self, before: CpuUsage) -> CpuUsage {
        CpuUsage {
            role: self.role,
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            waited: self.waited.saturating_sub(before.waited),
            wall: self.wall.saturating_sub(before.wall),
        }
    }
    /// The share of the account's time in which the thread was ready and had no processor.
    pub fn waited_share(&self) -> f64 {
        if self.wall == Span::ZERO { 0.0 } else { self.waited.seconds() / self.wall.seconds() }
    }
}
