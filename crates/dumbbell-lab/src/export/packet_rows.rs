//! Rows of `packets.parquet` as packets.
use crate::export::record_reader::{Record, Rows, count};
use crate::language::problem::Problem;
use arrow_array::{Array, UInt64Array};
use dumbbell_plan::Plan;
use std::collections::{HashMap, VecDeque};

/// The identity of a packet: its flow, true if the flow's sender sent it, its number.
pub type Name = (usize, bool, u64);

/// A packet, from one socket to the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// Its identity.
    pub name: Name,
    /// Departure from its socket, ps.
    pub sent: u64,
    /// Delivery to the other socket, ps.
    pub delivered: Option<u64>,
    /// Instant, ps, and link of its drop.
    pub dropped: Option<(u64, usize)>,
    /// Why it was dropped; empty: it was not.
    pub reason: String,
    /// True if its bytes were sent before.
    pub retransmit: bool,
    /// As tcpdump writes them: `S`, `F`, `E`, `W`, `.`; empty for UDP.
    pub flags: String,
    /// Stream offsets.
    pub seq: Option<u64>,
    /// The next byte expected.
    pub ack: Option<u64>,
    /// Bytes.
    pub payload: u64,
    /// Bytes with headers.
    pub ip_len: u64,
    /// The ECN field as sent: 0, 1 (ECT(1)) or 2 (ECT(0)).
    pub ecn: u8,
    /// True if it arrived marked.
    pub ce: bool,
    /// The codepoint as sent, and as it arrived; `None` in records of older releases.
    pub dscp: Option<u8>,
    /// See `dscp`; also `None` if it did not arrive.
    pub dscp_on_arrival: Option<u8>,
    /// Own clock and echoed clock, ps.
    pub ts: Option<(u64, u64)>,
    /// The window that it offers, bytes.
    pub window: u64,
    /// Options as tcpdump writes them.
    pub options: String,
}

impl Packet {
    /// The bytes of the stream that a packet of TCP takes, from the first to the one after the
    /// last: a SYN and a FIN take one. `None` of UDP.
    pub fn bytes(&self) -> Option<(u64, u64)> {
        let takes = u64::from(self.flags.contains(['S', 'F']));
        self.seq.map(|seq| (seq, seq + self.payload.max(takes)))
    }
}

/// The numbers of flows and links by their names in a plan.
pub struct Names {
    flows: HashMap<String, usize>,
    links: HashMap<String, usize>,
    /// Flows that are wanted.
    pub wanted: Vec<bool>,
}

impl Names {
    /// Of a plan, where only the flows of `wanted` are.
    pub fn new(plan: &Plan, wanted: Vec<bool>) -> Self {
        let flows = plan.flows.iter().enumerate().map(|(i, f)| (f.name.clone(), i)).collect();
        let links = plan.links.iter().enumerate().map(|(i, l)| (l.name.clone(), i)).collect();
        Names { flows, links, wanted }
    }
    /// A wanted flow.
    pub fn flow(&self, name: &str) -> Option<usize> {
        self.flows.get(name).copied().filter(|f| self.wanted[*f])
    }
    /// A link.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.get(name).copied()
    }
}

/// The wanted packets of a record, in its order.
pub struct Packets {
    record: Record,
    ready: VecDeque<Packet>,
}

impl Packets {
    /// From a record that stands at its beginning.
    pub fn new(record: Record) -> Self {
        Packets { record, ready: VecDeque::new() }
    }

    /// The next packet.
    ///
    /// # Errors
    /// Code 3: the record is damaged.
    pub fn next(&mut self, names: &Names) -> Result<Option<Packet>, Problem> {
        while self.ready.is_empty() {
            let Some(rows) = self.record.next()? else { return Ok(None) };
            read(&rows, names, &mut self.ready)?;
        }
        Ok(self.ready.pop_front())
    }
}

fn read(rows: &Rows<'_>, names: &Names, out: &mut VecDeque<Packet>) -> Result<(), Problem> {
    let (flow, from, at) = (rows.words("flow")?, rows.words("from")?, rows.words("dropped_at")?);
    let (flags, ecn) = (rows.words("flags")?, rows.words("ecn")?);
    let flows = flow.places(|n| names.flow(n));
    let links = at.places(|n| names.link(n));
    let [number, sent, delivered, dropped] =
        ["packet", "sent_ps", "delivered_ps", "dropped_ps"].map(|name| rows.counts(name));
    let (number, sent, delivered, dropped) = (number?, sent?, delivered?, dropped?);
    let (seq, ack, window) =
        (rows.counts("seq")?, rows.counts("ack")?, rows.counts("window_bytes")?);
    let (payload, ip_len) = (rows.counts("payload_bytes")?, rows.counts("ip_len_bytes")?);
    let (val, ecr) = (rows.counts("ts_val_ps")?, rows.counts("ts_ecr_ps")?);
    let (ce, options) = (rows.truths("ce_on_arrival")?, rows.texts("options")?);
    let (reason, again) = (rows.words("reason")?, rows.truths("retransmit")?);
    let (dscp, arrived) = (rows.newer_counts("dscp"), rows.newer_counts("dscp_on_arrival"));
    let octet =
        |column: Option<&UInt64Array>, row| column.and_then(|c| count(c, row)).map(|n| n as u8);
    for row in 0..rows.len() {
        let Some(f) = flow.key(row).and_then(|k| flows[k]) else { continue };
        out.push_back(Packet {
            name: (f, from.get(row) == Some("sender"), number.value(row)),
            sent: sent.value(row),
            delivered: count(delivered, row),
            dropped: count(dropped, row).zip(at.key(row).and_then(|k| links[k])),
            reason: reason.get(row).unwrap_or_default().into(),
            retransmit: again.value(row),
            flags: flags.get(row).unwrap_or_default().into(),
            seq: count(seq, row),
            ack: count(ack, row),
            payload: payload.value(row),
            ip_len: ip_len.value(row),
            ecn: match ecn.get(row) {
                Some("ect0") => 2,
                Some("ect1") => 1,
                _ => 0,
            },
            ce: ce.value(row),
            dscp: octet(dscp, row),
            dscp_on_arrival: octet(arrived, row),
            ts: count(val, row).map(|v| (v, count(ecr, row).unwrap_or(0))),
            window: count(window, row).unwrap_or(0),
            options: if options.is_valid(row) { options.value(row).into() } else { String::new() },
        });
    }
    Ok(())
}
