//! A queue in tc's words as the message that the kernel gets for it: its kind, and the attributes
//! of its options, whose layout is that of linux/pkt_sched.h.
//!
//! The words are those that [`super::export`] writes. Its tests have what tc 6.1 sends
//! for such words.
mod attributes;
mod flow_queues;
mod red;
mod shapers;
mod single;
#[cfg(test)]
mod tests;

use super::units;
use dumbbell_core::units::{Bytes, Rate, Span};

/// A queue for the kernel, or a class of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// True: it is a class of the queue before it.
    pub class: bool,
    /// Its kind, as tc calls it.
    pub kind: String,
    /// The attributes of its options, or a struct.
    pub options: Vec<u8>,
}

/// Makes the options of a kind from its words; `None`: a word is missing or cannot be read.
type Make = fn(&Words<'_>) -> Option<Vec<u8>>;

/// Every kind that has a message.
const KINDS: &[(&str, Make)] = &[
    ("pfifo", single::fifo),
    ("bfifo", single::fifo),
    ("pfifo_head_drop", single::fifo),
    ("tbf", shapers::tbf),
    ("codel", single::codel),
    ("pie", single::pie),
    ("sfb", single::sfb),
    ("red", red::red),
    ("choke", red::choke),
    ("sfq", flow_queues::sfq),
    ("fq_codel", flow_queues::fq_codel),
    ("fq_pie", flow_queues::fq_pie),
    ("fq", flow_queues::fq),
    ("cake", flow_queues::cake),
    ("netem", shapers::netem),
    ("htb", shapers::htb),
];

/// Every kind of class that has a message.
const CLASSES: &[(&str, Make)] = &[("htb", shapers::htb_class)];

/// The message for a queue in words, as `codel limit 100 target 5ms`, or for a class of the queue
/// before it, as `class htb rate 8mbit burst 3000`. `None`: this kind has none, or lacks a word.
pub fn message(words: &str) -> Option<Message> {
    let of_class = words.strip_prefix("class ");
    let words = Words(of_class.unwrap_or(words).split(' ').collect());
    let kind = *words.0.first()?;
    let kinds = if of_class.is_some() { CLASSES } else { KINDS };
    let (_, make) = kinds.iter().find(|(name, _)| *name == kind)?;
    Some(Message { class: of_class.is_some(), kind: kind.into(), options: make(&words)? })
}

/// A kind and its options.
struct Words<'a>(Vec<&'a str>);

impl Words<'_> {
    fn has(&self, flag: &str) -> bool {
        self.0.contains(&flag)
    }
    fn value<T>(&self, name: &str, read: fn(&str) -> Result<T, String>) -> Option<T> {
        let place = self.0.iter().position(|word| *word == name)?;
        read(self.0.get(place + 1)?).ok()
    }
    fn whole(&self, name: &str) -> Option<u32> {
        self.value(name, units::whole)
    }
    fn signed(&self, name: &str) -> Option<i32> {
        self.value(name, units::signed)
    }
    /// A time in microseconds.
    fn micros(&self, name: &str) -> Option<u32> {
        let time: Span = self.value(name, units::micros)?;
        u32::try_from(time.ps() / 1_000_000).ok()
    }
    fn size(&self, name: &str) -> Option<u32> {
        let size: Bytes = self.value(name, units::size)?;
        u32::try_from(size.0).ok()
    }
    fn rate(&self, name: &str) -> Option<Rate> {
        self.value(name, units::rate)
    }
    fn real(&self, name: &str) -> Option<f64> {
        self.value(name, units::real)
    }
}
