//! One simulation on several cores: each thread has a part of the network.
//!
//! The parts together have the history of the whole, so that results do not depend on the number of
//! threads (`dumbbell_net::partition`). A thread that waits for a core holds up all others: on a
//! crowded machine one thread simulates all parts, one after the other.
use dumbbell_core::catalogue::Fault;
use dumbbell_core::units::{Span, Time};
use dumbbell_plan::Plan;
use dumbbell_sim::World;
use dumbbell_sim::partition::{Mail, Partition};
use std::hint;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Tries to meet the others before a thread lets the system run something else.
const SPINS: u32 = 2_000;
/// How often the threads look how long they waited for a core.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// With two threads that wait for a core for more than this share of the time, taken together, one
/// is about as fast: each wait holds up both, and two are at most 1.7 times as fast.
const CROWDED: f64 = 0.25;

/// Why a divided run has no result.
pub enum Stopped {
    /// The user stopped it.
    Interrupted,
    /// The simulator refuses the plan.
    Refused(Fault),
}

/// Where the thread of a part stopped.
#[derive(PartialEq)]
enum Left {
    /// At the end of the run.
    AtEnd,
    /// Between two rounds, because the machine is crowded.
    Crowded,
    /// Anywhere, because another thread gave up, or the user did.
    Broken,
}

/// What the threads share.
struct Meeting<'a> {
    partition: &'a Partition,
    /// The horizon of each part in picoseconds; [`u64::MAX`]: it has none.
    horizons: Vec<AtomicU64>,
    /// Packets of this round: from each part a mail to each.
    mail: Vec<Vec<Mutex<Mail>>>,
    arrived: AtomicUsize,
    round: AtomicUsize,
    /// True once a thread has given up.
    broken: AtomicBool,
    stop: &'a AtomicBool,
    /// Called with the time that all parts have reached.
    reached: &'a (dyn Fn(Time) + Sync),
    /// How long the calling thread has waited for a core since its start; `None`: the system does
    /// not tell.
    waited: fn() -> Option<Span>,
    /// Picoseconds that the threads waited for a core since the first thread asked.
    waited_ps: AtomicU64,
    crowded: AtomicBool,
}

/// What a thread knows of its own waiting.
struct Looks {
    at: Instant,
    waited: Span,
}

impl Meeting<'_> {
    /// Waits until all threads are here; false if one never will be.
    fn wait(&self) -> bool {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.horizons.len() {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round + 1, Ordering::Release);
            return !self.broken.load(Ordering::Acquire);
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if self.broken.load(Ordering::Acquire) {
                return false;
            }
            spins += 1;
            if spins < SPINS { hint::spin_loop() } else { thread::yield_now() }
        }
        true
    }

    /// The time before which all parts may run; `None` if they are at the end.
    fn bound(&self) -> Option<Time> {
        let least = self.horizons.iter().map(|h| h.load(Ordering::Acquire)).min();
        least.filter(|least| *least != u64::MAX).map(Time::from_ps)
    }

    /// Runs a part to its end, or for as long as threads are worthwhile.
    fn run(&self, number: usize, world: &mut World) -> Left {
        let mut looks = Looks { at: Instant::now(), waited: self.waited_so_far() };
        loop {
            self.tell_horizon(number, world);
            if !self.wait() {
                return Left::Broken;
            }
            let Some(bound) = self.bound() else { return Left::AtEnd };
            world.run_before(bound);
            self.post(number, world);
            self.look(number, &mut looks);
            if number == 0 {
                (self.reached)(bound);
                if self.stop.load(Ordering::Relaxed) {
                    self.broken.store(true, Ordering::Release);
                }
            }
            if !self.wait() {
                return Left::Broken;
            }
            self.collect(number, world);
            if self.crowded.load(Ordering::Acquire) {
                return Left::Crowded;
            }
        }
    }

    /// Runs all parts to their end on this thread; false if the user stopped it.
    fn run_all(&self, worlds: &mut [World]) -> bool {
        loop {
            worlds.iter().enumerate().for_each(|(number, world)| self.tell_horizon(number, world));
            let Some(bound) = self.bound() else { return true };
            for (number, world) in worlds.iter_mut().enumerate() {
                world.run_before(bound);
                self.post(number, world);
            }
            (self.reached)(bound);
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            worlds.iter_mut().enumerate().for_each(|(number, world)| self.collect(number, world));
        }
    }

    fn tell_horizon(&self, number: usize, world: &World) {
        let horizon = world.horizon(self.partition.lookahead()).map_or(u64::MAX, |t| t.ps());
        self.horizons[number].store(horizon, Ordering::Release);
    }

    /// Each thread adds what it waited; the first judges the sum.
    fn look(&self, number: usize, looks: &mut Looks) {
        let passed = looks.at.elapsed();
        if passed < LOOK_EVERY {
            return;
        }
        let waited = self.waited_so_far();
        let since = waited.saturating_sub(looks.waited);
        self.waited_ps.fetch_add(since.ps(), Ordering::AcqRel);
        *looks = Looks { at: Instant::now(), waited };
        if number == 0 {
            let waited = Span::from_ps(self.waited_ps.swap(0, Ordering::AcqRel));
            self.crowded
                .store(waited.seconds() > CROWDED * passed.as_secs_f64(), Ordering::Release);
        }
    }

    fn waited_so_far(&self) -> Span {
        (self.waited)().unwrap_or(Span::ZERO)
    }

    /// Sends what left a part. The mails that were delivered come back in exchange, with their
    /// memory.
    fn post(&self, number: usize, world: &mut World) {
        for (mail, sent) in self.mail[number].iter().zip(world.outboxes()) {
            if !sent.is_empty() {
                let mut mail = mail.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::swap(&mut *mail, sent);
            }
        }
    }

    /// Brings to a part what the others sent.
    fn collect(&self, number: usize, world: &mut World) {
        for from in &self.mail {
            world.enter(&mut from[number].lock().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// Frees the others if a thread panics or gives up.
struct Leaves<'a>(&'a AtomicBool);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The world of `plan` at its end, simulated in the parts of `partition`, each on a thread of its
/// own, until the threads have `waited` too long for cores.
///
/// # Errors
/// It was stopped, or the simulator refuses the plan.
pub fn run(
    plan: &Plan,
    partition: &Partition,
    stop: &AtomicBool,
    reached: &(dyn Fn(Time) + Sync),
    waited: fn() -> Option<Span>,
) -> Result<World, Stopped> {
    let parts = partition.parts();
    let meeting = Meeting {
        partition,
        horizons: (0..parts).map(|_| AtomicU64::new(u64::MAX)).collect(),
        mail: (0..parts).map(|_| (0..parts).map(|_| Mutex::default()).collect()).collect(),
        arrived: AtomicUsize::new(0),
        round: AtomicUsize::new(0),
        broken: AtomicBool::new(false),
        stop,
        reached,
        waited,
        waited_ps: AtomicU64::new(0),
        crowded: AtomicBool::new(false),
    };
    let part = |number: usize| -> Result<World, Stopped> {
        let leaves = Leaves(&meeting.broken);
        let mut world = World::part(plan, partition, number).map_err(Stopped::Refused)?;
        if meeting.run(number, &mut world) == Left::Broken {
            return Err(Stopped::Interrupted);
        }
        std::mem::forget(leaves);
        Ok(world)
    };
    let worlds = thread::scope(|scope| {
        let others: Vec<_> = (1..parts)
            .map(|number| {
                let part = &part;
                scope.spawn(move || part(number))
            })
            .collect();
        let first = part(0);
        let others = others
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect::<Vec<_>>()
    });
    // A refusal says more than that the others were stopped by it.
    let (refused, rest): (Vec<_>, Vec<_>) =
        worlds.into_iter().partition(|world| matches!(world, Err(Stopped::Refused(_))));
    let mut worlds = refused.into_iter().chain(rest).collect::<Result<Vec<_>, _>>()?;
    if !meeting.run_all(&mut worlds) {
        return Err(Stopped::Interrupted);
    }
    Ok(World::join(worlds))
}
