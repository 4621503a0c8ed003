//! Trace lines of ns-2: event, time, from, to, type, size, flags, flow, source, destination,
//! sequence number, unique number, as in "Trace File Format" of the chapter on trace and monitoring
//! support of *The ns Manual*.
use super::Damage;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It came to a link's queue.
    Enqueue,
    /// Its transmission began.
    Dequeue,
    /// It is at the link's other end.
    Receive,
    /// It was dropped.
    Drop,
}

impl Event {
    /// The first letter of a line.
    pub fn letter(self) -> char {
        match self {
            Event::Enqueue => '+',
            Event::Dequeue => '-',
            Event::Receive => 'r',
            Event::Drop => 'd',
        }
    }
}

/// The packet of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// `tcp`, `ack`, `cbr`, ...
    pub kind: &'static str,
    /// Length of the IP packet, bytes.
    pub size: u64,
    /// ECN echo in it, or congestion window reduced, or marked, or ECN-capable.
    pub flags: Flags,
    /// Number of its flow.
    pub fid: usize,
    /// Node and port of its source and of its destination.
    pub from: (usize, usize),
    /// See `from`.
    pub to: (usize, usize),
    /// Number of its segment; -1: none.
    pub seq: i64,
    /// Its own number.
    pub uid: u64,
}

/// Letters of the seventh field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `C`: ECN echo (ECE).
    pub echo: bool,
    /// `A`: congestion window reduced (CWR).
    pub reduced: bool,
    /// `E`: marked (CE).
    pub marked: bool,
    /// `N`: ECN-capable (ECT or CE).
    pub capable: bool,
}

/// Writes one line: `event` at `ns`, on the link between nodes `link`.
pub fn line(out: &mut String, event: Event, ns: u64, link: (usize, usize), s: &Subject) {
    let letter = |on: bool, c: char| if on { c } else { '-' };
    let f = s.flags;
    let _ = writeln!(
        out,
        "{} {}.{:09} {} {} {} {} {}--{}{}-{} {} {}.{} {}.{} {} {}",
        event.letter(),
        ns / 1_000_000_000,
        ns % 1_000_000_000,
        link.0,
        link.1,
        s.kind,
        s.size,
        letter(f.echo, 'C'),
        letter(f.reduced, 'A'),
        letter(f.marked, 'E'),
        letter(f.capable, 'N'),
        s.fid,
        s.from.0,
        s.from.1,
        s.to.0,
        s.to.1,
        s.seq,
        s.uid,
    );
}

/// The counts of one flow in a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowCounts {
    /// The counts of the flow's packets, by type.
    pub kinds: BTreeMap<String, Counts>,
    /// First and last time, s.
    pub span: Option<(f64, f64)>,
}

/// The counts of one flow's packets of one type in a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Packets that came to the first link of their way.
    pub sent: u64,
    /// Packets that arrived at the node of their destination.
    pub received: u64,
    /// Bytes of these.
    pub received_bytes: u64,
    /// Packets dropped.
    pub dropped: u64,
    /// True if the trace has a link at an end of their way. If it has none, as a trace of the
    /// bottleneck alone, what comes to the traced links counts as sent, and what leaves them as
    /// received.
    pub whole_way: bool,
    /// By link: packets that came to it, packets that arrived at its other end, and bytes of these.
    links: BTreeMap<(String, String), [u64; 3]>,
}

impl Counts {
    fn settle(&mut self) {
        self.whole_way = self.sent > 0 || self.received > 0;
        if self.whole_way {
            return;
        }
        let starts: BTreeSet<&String> = self.links.keys().map(|(from, _)| from).collect();
        let ends: BTreeSet<&String> = self.links.keys().map(|(_, to)| to).collect();
        for ((from, to), [came, arrived, bytes]) in &self.links {
            if !ends.contains(from) {
                self.sent += came;
            }
            if !starts.contains(to) {
                self.received += arrived;
                self.received_bytes = self.received_bytes.saturating_add(*bytes);
            }
        }
    }
}

/// The counts of a whole trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Flows, by number.
    pub flows: BTreeMap<u64, FlowCounts>,
    /// Lines that were read.
    pub lines: u64,
}

/// Reads a trace of any program. Comments (`#`) and events other than `+ - r d` are left out. If a
/// line is damaged, the trace before it is returned with the damage.
pub fn read(bytes: &[u8]) -> (Trace, Option<Damage>) {
    let mut trace = Trace::default();
    let damage = read_lines(bytes, &mut trace);
    trace.flows.values_mut().flat_map(|flow| flow.kinds.values_mut()).for_each(Counts::settle);
    (trace, damage)
}

fn read_lines(bytes: &[u8], trace: &mut Trace) -> Option<Damage> {
    let mut at = 0;
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        let start = at;
        at += line.len();
        let Ok(text) = std::str::from_utf8(line) else {
            return Some(Damage::new(start, "this line is not text"));
        };
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let known = fields.first().is_some_and(|f| matches!(*f, "+" | "-" | "r" | "d"));
        if !known && fields.first().is_none_or(|f| f.starts_with('#') || f.len() == 1) {
            continue;
        }
        if let Err(cause) = take(trace, &fields) {
            return Some(Damage::new(start, cause));
        }
        trace.lines += 1;
    }
    None
}

fn take(trace: &mut Trace, fields: &[&str]) -> Result<(), String> {
    let [event, time, from, to, kind, size, _, fid, source, destination, _, _, ..] = fields else {
        return Err(format!(
            "a line of {} fields: 12 are event, time, from, to, type, size, ...",
            fields.len()
        ));
    };
    let time: f64 = time.parse().ok().filter(|t: &f64| t.is_finite()).ok_or(format!(
        "`{time}` is \
        no time"
    ))?;
    let size: u64 = size.parse().map_err(|_| format!("`{size}` is not a size"))?;
    let fid: u64 = fid.parse().map_err(|_| format!("`{fid}` is not a flow number"))?;
    let node = |address: &str| address.split('.').next().unwrap_or_default().to_string();
    let flow = trace.flows.entry(fid).or_default();
    let (first, last) = flow.span.unwrap_or((time, time));
    flow.span = Some((first.min(time), last.max(time)));
    let counts = flow.kinds.entry(kind.to_string()).or_default();
    if *event == "d" {
        counts.dropped += 1;
        return Ok(());
    }
    let [came, arrived, bytes] =
        counts.links.entry((from.to_string(), to.to_string())).or_default();
    match *event {
        "+" => {
            *came += 1;
            counts.sent += u64::from(node(source) == *from);
        }
        "r" => {
            *arrived += 1;
            *bytes = bytes.saturating_add(size);
            if node(destination) == *to {
                counts.received += 1;
                counts.received_bytes = counts.received_bytes.saturating_add(size);
            }
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the manual's example read as they are explained there.
    #[test]
    fn lines_of_the_manual() {
        let text = b"+ 1.84375 0 2 cbr 210 ------- 0 0.0 3.1 225 610\n\
            - 1.84375 0 2 cbr 210 ------- 0 0.0 3.1 225 610\n\
            r 1.84471 2 1 cbr 210 ------- 1 3.0 1.0 195 600\n\
            d 1.84566 2 0 ack 40 ------- 2 3.2 0.1 82 602\n";
        let (trace, damage) = read(text);
        assert_eq!((trace.lines, damage), (4, None));
        assert_eq!(trace.flows[&0].kinds["cbr"].sent, 1);
        let counts = &trace.flows[&1].kinds["cbr"];
        assert_eq!((counts.received, counts.received_bytes), (1, 210));
        assert_eq!(trace.flows[&2].kinds["ack"].dropped, 1);
    }

    /// Between routers 1 and 2, and on to 3, on the way from 0 to 4: no end of the way is in the
    /// trace.
    #[test]
    fn a_trace_of_links_between_counts_what_comes_to_them_and_what_leaves_them() {
        let line = |event: &str, link: &str| {
            format!(
                "{event} 1 {link} tcp 1000 ------- 1 0.0 4.0 \
            0 0\n"
            )
        };
        let through = |link: &str| ["+", "-", "r"].map(|event| line(event, link)).concat();
        let text = [through("1 2"), through("2 3"), line("+", "1 2"), line("d", "1 2")].concat();
        let (trace, damage) = read(text.as_bytes());
        let counts = &trace.flows[&1].kinds["tcp"];
        assert_eq!(damage, None);
        assert!(!counts.whole_way);
        assert_eq!(
            (counts.sent, counts.received, counts.received_bytes, counts.dropped),
            (2, 1, 1000, 1)
        );
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let flags = Flags { marked: true, capable: true, ..Flags::default() };
        let s = Subject {
            kind: "tcp",
            size: 1500,
            flags,
            fid: 3,
            from: (1, 2),
            to: (4, 2),
            seq: 17,
            uid: 99,
        };
        let mut out = String::new();
        line(&mut out, Event::Receive, 1_000_000_042, (2, 4), &s);
        assert_eq!(out, "r 1.000000042 2 4 tcp 1500 ----E-N 3 1.2 4.2 17 99\n");
        assert_eq!(read(out.as_bytes()).0.flows[&3].kinds["tcp"].received_bytes, 1500);
    }

    #[test]
    fn damage_has_its_place_and_keeps_what_came_before() {
        let (trace, damage) =
            read(b"r 1 0 1 tcp 1000 ------- 1 0.0 1.0 0 0\nr 2 0 1 tcp x ------- 1 0.0 1.0 1 1\n");
        assert_eq!((trace.lines, damage.map(|d| d.offset)), (1, Some(39)));
        let (trace, damage) = read(b"r 1 0 1 tcp");
        assert_eq!((trace.lines, damage.unwrap().offset), (0, 0));
    }
}
