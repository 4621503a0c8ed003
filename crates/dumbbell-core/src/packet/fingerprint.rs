//! One number that changes when anything that left a port or a socket changes.

/// A running hash of what left one element, in the order in which it left.
///
/// Elements hash on their own, so that the fingerprint of a run does not depend on the order in
/// which a simulator visits independent elements; they are combined in the plan's order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Takes in one word. (FxHash's step: one rotation, one xor, one multiplication.)
    #[inline]
    pub fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    /// The value so far.
    pub fn value(self) -> u64 {
        crate::rng::split_mix(self.0)
    }
}
