//! A segment as a script writes it: one form for what must leave, what left and what arrives.
use dumbbell_core::packet::Ecn;
use dumbbell_core::transport::segment::{Extra, Segment, TS_UNIT_SHIFT, flag};
use dumbbell_core::units::Span;
use std::fmt;

/// The flags that a script names; the others follow from what the segment is.
pub const NAMED: [(&str, u8); 5] = [
    ("FIN", flag::FIN),
    ("AE", flag::AE),
    ("ECE", flag::ECE),
    ("CWR", flag::CWR),
    ("again", flag::RETRANSMIT),
];
const MASK: u8 = flag::FIN | flag::ACE | flag::RETRANSMIT;

/// The kind of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// Bytes `[from, to)`.
    Data(u64, u64),
    /// A FIN alone, wherever.
    Fin,
    /// A pure acknowledgment: the next byte expected.
    Ack(u64),
    Syn,
    SynAck,
}

/// Options of a SYN or a SYN-ACK; `None`: whatever the configuration says, or not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SynOptions {
    pub mss: Option<u64>,
    pub wscale: Option<u8>,
    pub sack: Option<bool>,
    pub timestamps: Option<bool>,
}

/// A segment as a script describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct SegmentPattern {
    pub what: SegmentKind,
    /// Of [`NAMED`].
    pub flags: u8,
    /// The ECN field; `None`: not checked, or not ECN-capable.
    pub ecn: Option<Ecn>,
    /// SACK blocks in their order; a D-SACK first.
    pub sack: Vec<(u64, u64)>,
    /// The window, bytes.
    pub window: Option<u64>,
    /// The sender's clock, or the one echoed.
    pub ts: Option<Span>,
    pub syn: SynOptions,
    /// The place in the script.
    pub place: (usize, usize),
}

impl SegmentPattern {
    pub fn new(what: SegmentKind, place: (usize, usize)) -> Self {
        SegmentPattern {
            what,
            flags: 0,
            ecn: None,
            sack: vec![],
            window: None,
            ts: None,
            syn: SynOptions::default(),
            place,
        }
    }

    /// A segment that an end sent, whose header without data is `overhead` bytes long.
    pub fn sent(s: &Segment, x: Option<&Extra>, overhead: u64) -> Self {
        let bytes = u64::from(s.ip_len).saturating_sub(overhead);
        let at = u64::from(s.seq);
        let what = match (s.flags & flag::SYN != 0, s.flags & flag::ACK != 0) {
            (true, true) => SegmentKind::SynAck,
            (true, false) => SegmentKind::Syn,
            (false, true) => SegmentKind::Ack(at),
            (false, false) => SegmentKind::Data(at, at + bytes),
        };
        let mut seg = SegmentPattern {
            flags: s.flags & MASK,
            ecn: Some(s.ecn),
            ..SegmentPattern::new(what, (0, 0))
        };
        match what {
            SegmentKind::Syn | SegmentKind::SynAck => seg.flags &= !flag::ACE,
            // A script does not check PSH.
            SegmentKind::Data(..) => seg.flags &= !flag::PSH,
            SegmentKind::Fin | SegmentKind::Ack(_) => {}
        }
        seg.ts = Some(Span::from_ps(u64::from(s.ts) << TS_UNIT_SHIFT));
        if let Some(x) = x {
            seg.sack = x.blocks().iter().map(|b| (u64::from(b.0), u64::from(b.1))).collect();
            seg.window = Some(u64::from(x.window));
            if matches!(what, SegmentKind::Syn | SegmentKind::SynAck) {
                let syn = x.syn();
                seg.syn = SynOptions {
                    mss: Some(u64::from(syn.mss)),
                    wscale: Some(syn.window_scale),
                    sack: Some(syn.sack_permitted),
                    timestamps: Some(syn.timestamps),
                };
            }
        }
        seg
    }

    /// True if `seen` matches this pattern. Fields that it does not mention match anything, except
    /// flags and SACK blocks.
    pub fn fits(&self, seen: &SegmentPattern) -> bool {
        fn said<T: PartialEq>(said: Option<T>, seen: Option<T>) -> bool {
            said.is_none() || said == seen
        }
        let what = match (self.what, seen.what) {
            (SegmentKind::Fin, SegmentKind::Data(from, to)) => from == to,
            (said, seen) => said == seen,
        };
        what && self.flags == seen.flags
            && self.sack == seen.sack
            && said(self.ecn, seen.ecn)
            && said(self.window, seen.window)
            && self.ts.is_none_or(|ts| seen.ts.is_some_and(|s| near(ts, s)))
            && said(self.syn.mss, seen.syn.mss)
            && said(self.syn.wscale, seen.syn.wscale)
            && said(self.syn.sack, seen.syn.sack)
            && said(self.syn.timestamps, seen.syn.timestamps)
    }

    /// This one's own text, with of `other`'s details only those that `wanted` looks at.
    pub fn as_far_as(&self, wanted: &SegmentPattern) -> SegmentPattern {
        let mut short = self.clone();
        short.ecn = wanted.ecn.and(self.ecn);
        short.window = wanted.window.and(self.window);
        short.ts = wanted.ts.and(self.ts);
        short.syn = SynOptions {
            mss: wanted.syn.mss.and(self.syn.mss),
            wscale: wanted.syn.wscale.and(self.syn.wscale),
            sack: wanted.syn.sack.and(self.syn.sack),
            timestamps: wanted.syn.timestamps.and(self.syn.timestamps),
        };
        short
    }
}

/// True if two times are one in a segment's timestamps: 32 bits of 16 ns, and what a script rounds.
fn near(a: Span, b: Span) -> bool {
    let [a, b] = [a, b].map(|t| (t.ps() >> TS_UNIT_SHIFT) as u32);
    (a.wrapping_sub(b) as i32).abs() <= 1
}

/// The names of the ECN field's values.
pub const ECN: [(&str, Ecn); 4] =
    [("not-ect", Ecn::NotEct), ("ect0", Ecn::Ect0), ("ect1", Ecn::Ect1), ("ce", Ecn::Ce)];

impl fmt::Display for SegmentPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            SegmentKind::Data(from, to) => write!(f, "{from}:{to}")?,
            SegmentKind::Fin => write!(f, "FIN")?,
            SegmentKind::Ack(next) => write!(f, "ack {next}")?,
            SegmentKind::Syn => write!(f, "SYN")?,
            SegmentKind::SynAck => write!(f, "SYN-ACK")?,
        }
        let shown =
            if self.what == SegmentKind::Fin { self.flags & !flag::FIN } else { self.flags };
        NAMED.iter().filter(|n| shown & n.1 != 0).try_for_each(|(name, _)| write!(f, " {name}"))?;
        if let Some((name, _)) = ECN.iter().find(|e| Some(e.1) == self.ecn) {
            write!(f, " {name}")?;
        }
        if !self.sack.is_empty() {
            write!(f, " sack")?;
        }
        self.sack.iter().try_for_each(|(from, to)| write!(f, " {from}:{to}"))?;
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        if let Some(ts) = self.ts {
            write!(f, " ts {}", ts.seconds())?;
        }
        let o = &self.syn;
        o.mss.map_or(Ok(()), |v| write!(f, " mss {v}"))?;
        o.wscale.map_or(Ok(()), |v| write!(f, " wscale {v}"))?;
        o.sack.map_or(Ok(()), |v| write!(f, " sackok {v}"))?;
        o.timestamps.map_or(Ok(()), |v| write!(f, " tsok {v}"))
    }
}
