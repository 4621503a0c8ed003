//! A world that nobody watches: the engine compiled without an observer, with everything that it
//! calls in one unit.
use crate::world::World;
use dumbbell_net::Report;

impl World {
    /// [`World::run`] without an observer.
    pub fn run_unobserved(&mut self, events: u64) -> bool {
        self.go(&mut (), events)
    }

    /// [`World::finish`] without an observer.
    pub fn finish_unobserved(self) -> Report {
        self.close(&mut ())
    }
}
