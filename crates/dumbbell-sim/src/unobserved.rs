//! A world that nobody watches. [`World::run`] is compiled where it is called, once for each observer; these are compiled
//! here, with everything that they call in one unit: a tenth fewer instructions.
use crate::world::World;
use dumbbell_net::Report;

impl World {
    /// [`World::run`] without an observer.
    pub fn run_unobserved(&mut self, events: u64) -> bool {
        self.run(&mut (), events)
    }

    /// [`World::finish`] without an observer.
    pub fn finish_unobserved(self) -> Report {
        self.finish(&mut ())
    }
}
