//! Accurate ECN (RFC 9768) at the sender: from the counters on every acknowledgment to the newly
//! marked bytes.
use super::Sender;
use crate::config::TcpConfig;
use dumbbell_core::packet::Ecn as Codepoint;
use dumbbell_core::transport::segment::{Extra, flag};
use dumbbell_core::transport::{CongestionControl, Detect, Recover};

/// The value at which a byte counter of the option wraps.
const COUNTER: u64 = 1 << 24;

/// The counters reported by the receiver: s.cep and s.ceb. In a box, because few flows use it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccEcn {
    packets: u64,
    bytes: u64,
}

/// Newly acknowledged, by number and by SACK.
#[derive(Clone, Copy, Debug)]
struct Newly {
    bytes: u64,
    mss: u64,
}

impl AccEcn {
    /// The initial state of a connection that uses AccECN.
    pub fn asked(config: &TcpConfig) -> Option<Box<Self>> {
        config.ecn.accurate().then(|| Box::new(AccEcn { packets: 5, bytes: 0 }))
    }

    /// Bytes that an acknowledgment of something new reports as marked: by the option exactly (RFC
    /// 9768 appendix A.1), without it by the ACE field, in full segments.
    fn marked(&mut self, ace: u8, option: Option<u32>, newly: Newly) -> u64 {
        let packets = self.packets_marked(ace, newly, option.is_none());
        self.packets += packets;
        let marked = match option {
            Some(bytes) => (u64::from(bytes) + COUNTER - self.bytes % COUNTER) % COUNTER,
            None => (packets * newly.mss).min(newly.bytes),
        };
        // A guess that was too high comes back as a step of nearly the whole range: the guess
        // stands until it is true.
        let marked = if marked > COUNTER / 2 { 0 } else { marked };
        self.bytes += marked;
        marked
    }

    /// Packets newly marked (appendix A.2.1). The field has three bits: where eight or more packets
    /// may have been marked since, as many are assumed as it allows, unless the option tells.
    /// `safely`: it does not.
    fn packets_marked(&self, ace: u8, newly: Newly, safely: bool) -> u64 {
        let least = (u64::from(ace) + 8 - self.packets % 8) % 8;
        let packets = newly.bytes.div_ceil(newly.mss);
        if safely && packets >= 8 { packets - (packets - least) % 8 } else { least }
    }
}

/// The ACE field.
fn field(flags: u8) -> u8 {
    let bit = |bit: u8, value: u8| if flags & bit != 0 { value } else { 0 };
    bit(flag::AE, 4) | bit(flag::CWR, 2) | bit(flag::ECE, 1)
}

impl<C: CongestionControl, D: Detect, R: Recover> Sender<C, D, R> {
    /// The echo of an acknowledgment: whether there is congestion, and how many newly acknowledged
    /// bytes were marked.
    #[inline]
    pub(super) fn echoed_marks(&mut self, flags: u8, x: Option<&Extra>, newly: u64) -> (bool, u64) {
        if flags & flag::ACE == 0 && !self.accurate {
            return (false, 0);
        }
        self.marks_in(flags, x, newly)
    }

    #[inline(never)]
    fn marks_in(&mut self, flags: u8, x: Option<&Extra>, newly: u64) -> (bool, u64) {
        let Some(accurate) = self.cold.accurate.as_mut().filter(|_| self.accurate) else {
            let ece = flags & flag::ECE != 0;
            return (ece, if ece { newly } else { 0 });
        };
        if newly == 0 {
            // It may be an old one that was overtaken; the counters come again (section 3.2.2.5).
            return (false, 0);
        }
        let option = x.and_then(Extra::ecn_counts).map(|counts| counts[1]);
        let marked = accurate.marked(field(flags), option, Newly { bytes: newly, mss: self.mss });
        (marked > 0, marked.min(newly))
    }

    /// The flags of a SYN (RFC 9768 section 3.1.1, RFC 3168 section 6.1.1).
    pub(super) fn ecn_request(&self) -> u8 {
        match (self.ecn, self.cold.accurate.is_some()) {
            (false, _) => 0,
            (true, false) => flag::ECE | flag::CWR,
            (true, true) => flag::ACE,
        }
    }

    /// The flags of the SYN-ACK say what holds (RFC 9768 table 2). One that sends all three back
    /// understands nothing.
    pub(super) fn agree_on_ecn(&mut self, flags: u8) {
        let answer = flags & flag::ACE;
        let asked = self.cold.accurate.is_some();
        self.ecn &=
            if asked { answer != 0 && answer != flag::ACE } else { answer & flag::ECE != 0 };
        let accurate = self.ecn && asked && answer != flag::ECE && answer != flag::AE | flag::ECE;
        if asked && !accurate {
            // RFC 3168 instead, and that is no L4S (RFC 9331 section 4.3).
            (self.latched, self.ect) = (true, Codepoint::Ect0);
        }
        self.accurate = accurate;
        if !accurate {
            self.cold.accurate = None;
        }
        if !self.ecn {
            self.ect = Codepoint::NotEct;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accurate() -> AccEcn {
        AccEcn { packets: 5, bytes: 0 }
    }
    fn newly(segments: u64) -> Newly {
        Newly { bytes: segments * 1000, mss: 1000 }
    }

    /// The field alone, three bits wide: from 5 on, around the end, and with as many packets as it
    /// can count.
    #[test]
    fn the_field_counts_modulo_eight() {
        let mut a = accurate();
        let marked: Vec<u64> =
            [5, 6, 7, 0, 0, 2].map(|ace| a.marked(ace, None, newly(2)) / 1000).into();
        assert_eq!((marked, a.packets), (vec![0, 1, 1, 1, 0, 2], 10));
        assert_eq!(a.marked((10 + 7) % 8, None, newly(7)), 7000);
    }

    /// Appendix A.2.1: 21 packets at once, and the field says 3 more: 3, 11 or 19 were marked. The
    /// worst is assumed.
    #[test]
    fn a_field_that_may_have_wrapped_is_read_safely() {
        for (packets, least, expected) in
            [(7, 3, 3), (8, 0, 8), (8, 3, 3), (21, 3, 19), (21, 5, 21), (21, 6, 14)]
        {
            let mut a = accurate();
            assert_eq!(
                a.marked((5 + least) % 8, None, newly(packets)),
                expected * 1000,
                "{packets} \
                {least}"
            );
            assert_eq!(
                a.packets % 8,
                u64::from(5 + least) % 8,
                "and the counter agrees with the \
                field"
            );
        }
    }

    /// The option's counter wraps at 2^24 bytes; while it is there nothing is assumed. One
    /// acknowledgment without the option in between is made up for by the next one.
    #[test]
    fn the_option_counts_bytes_exactly() {
        let mut a = accurate();
        let mut sent = 0u64;
        for step in [0, 1448, 448, 4_000_000, 7_000_000, 4_000_000, 8_000_000] {
            sent += step;
            assert_eq!(a.marked(0, Some((sent % COUNTER) as u32), newly(10_000)), step);
        }
        let guessed = a.marked(((a.packets + 2) % 8) as u8, None, newly(2));
        sent += 3000;
        assert_eq!((guessed, a.marked(0, Some((sent % COUNTER) as u32), newly(2))), (2000, 1000));
        let guessed = a.marked(((a.packets + 2) % 8) as u8, None, newly(2));
        sent += 1500;
        assert_eq!((guessed, a.marked(0, Some((sent % COUNTER) as u32), newly(2))), (2000, 0));
        sent += 1000;
        assert_eq!(a.marked(0, Some((sent % COUNTER) as u32), newly(2)), 500);
    }
}
