//! Senders that color their own segments: two tags, and the codepoints for them.
use crate::bucket::TokenBucket;
use crate::dscp::codepoint;
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::Dscp;
use dumbbell_core::transport::{Path, Sent, Tag};
use dumbbell_core::units::{Limit, Rate, Time};

/// A segment within the reserved or promised rate.
pub const IN: Tag = Tag(1);
/// One beyond it.
pub const OUT: Tag = Tag(2);

/// The codepoints of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkingCodepoints {
    inside: Dscp,
    outside: Dscp,
}

impl MarkingCodepoints {
    /// Those of a configuration that was checked.
    pub fn of(inside: &str, outside: &str) -> Self {
        let read = |text| codepoint(text).unwrap_or_default();
        MarkingCodepoints { inside: read(inside), outside: read(outside) }
    }
    /// The codepoint of a segment with `tag`.
    pub fn codepoint(&self, tag: Tag) -> Option<Dscp> {
        match tag {
            IN => Some(self.inside),
            OUT => Some(self.outside),
            _ => None,
        }
    }
}

/// A name that is not a codepoint, under `in` or `out`.
///
/// # Errors
/// The field at fault, the cause and the fix.
pub fn check(inside: &str, outside: &str) -> Result<(), Fault> {
    for (key, text) in [("in", inside), ("out", outside)] {
        if codepoint(text).is_none() {
            let fault = Fault::at(key, format!("`{text}` is no DiffServ codepoint"));
            return Err(fault.fix(
                "write \"af11\" to \"af43\", \"ef\", \"cs1\", \"be\", or a number from \
                    \"0\" to \"63\"",
            ));
        }
    }
    Ok(())
}

/// The profile of a flow at its own sender: tokens for whole IP packets.
#[derive(Clone, Debug)]
pub struct Profile {
    bucket: TokenBucket,
    header: u64,
    packet: u32,
}

impl Profile {
    /// A full bucket of `rate` and `burst`; a BDP is of that rate and of the path's round-trip time
    /// without queues. Never less than a packet.
    pub fn new(rate: Rate, burst: Limit, path: &Path) -> Self {
        let packet = (path.mss + path.header) as u32;
        let bucket = TokenBucket::fitted(
            rate,
            burst,
            path.rtt.unwrap_or_default(),
            crate::bucket::TokenUnit::Byte,
            packet,
        );
        Profile { bucket, header: path.header, packet }
    }
    /// The color of a segment that goes: IN takes its tokens.
    pub fn color(&mut self, sent: &Sent) -> Tag {
        if self.bucket.take(sent.now, (sent.bytes + self.header) as u32) { IN } else { OUT }
    }
    /// Full segments that would be IN now.
    pub fn segments(&mut self, now: Time) -> u32 {
        let tokens = self.bucket.account(now);
        (tokens.level / (u128::from(self.packet) * tokens.unit)).min(u128::from(u32::MAX)) as u32
    }
    /// Tokens at the last look, bytes.
    pub fn level(&self) -> f64 {
        self.bucket.level()
    }
}
