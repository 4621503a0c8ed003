//! A fingerprint of whatever can be shown.
use dumbbell_core::packet::fingerprint::Fingerprint;
use std::fmt::{Debug, Write};

/// The fingerprint of all that [`Seen::see`] was given.
#[derive(Default)]
pub struct Seen(pub Fingerprint);

impl Write for Seen {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        text.bytes().for_each(|byte| self.0.mix(u64::from(byte)));
        Ok(())
    }
}

impl Seen {
    /// Adds what `{:?}` shows of `what`.
    pub fn see(&mut self, what: &impl Debug) {
        write!(self, "{what:?}").unwrap();
    }
}
