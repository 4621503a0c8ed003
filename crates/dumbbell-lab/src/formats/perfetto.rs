//! Perfetto's trace format: of its protobuf schema the messages and fields that an export writes
//! (perfetto.dev/docs/reference/trace-packet-proto). A tag is the number of a field there.
use prost::Message;
use std::collections::HashMap;

/// The clock of all timestamps: nanoseconds since the start of the run.
pub const BOOTTIME: u32 = 6;
/// The clock that Perfetto shows as the date: the run starts with 1970.
pub const REALTIME: u32 = 1;
/// The only writer of a trace.
const SEQUENCE: u32 = 1;
/// `sequence_flags`: interned names begin here.
const CLEARED: u32 = 1;
/// `sequence_flags`: the packet refers to interned names.
const NEEDED: u32 = 2;
/// `ChildTracksOrdering`: children stand by `sibling_order_rank`.
const EXPLICIT: i32 = 3;

/// `TrackEvent.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A slice begins on the track.
    Begin = 1,
    /// The innermost slice of the track ends.
    End = 2,
    /// Something happens at an instant.
    Instant = 3,
    /// A counter has a new value.
    Counter = 4,
}

/// A unit of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `UNIT_SIZE_BYTES`.
    Bytes,
    /// By its name; empty: none.
    Named(&'static str),
}

#[allow(missing_docs)]
mod messages {
    use prost::Message;

    #[derive(Clone, PartialEq, Message)]
    pub struct TracePacket {
        #[prost(message, optional, tag = "6")]
        pub clock_snapshot: Option<ClockSnapshot>,
        #[prost(uint64, optional, tag = "8")]
        pub timestamp: Option<u64>,
        #[prost(uint32, optional, tag = "10")]
        pub trusted_packet_sequence_id: Option<u32>,
        /// An encoded [`TrackEvent`]; in protobuf the same bytes as the message itself.
        #[prost(bytes = "vec", optional, tag = "11")]
        pub track_event: Option<Vec<u8>>,
        #[prost(message, optional, tag = "12")]
        pub interned_data: Option<InternedData>,
        #[prost(uint32, optional, tag = "13")]
        pub sequence_flags: Option<u32>,
        #[prost(uint32, optional, tag = "58")]
        pub timestamp_clock_id: Option<u32>,
        #[prost(message, optional, tag = "59")]
        pub trace_packet_defaults: Option<TracePacketDefaults>,
        #[prost(message, optional, tag = "60")]
        pub track_descriptor: Option<TrackDescriptor>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct TracePacketDefaults {
        #[prost(uint32, optional, tag = "58")]
        pub timestamp_clock_id: Option<u32>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct ClockSnapshot {
        #[prost(message, repeated, tag = "1")]
        pub clocks: Vec<Clock>,
        #[prost(uint32, optional, tag = "2")]
        pub primary_trace_clock: Option<u32>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct Clock {
        #[prost(uint32, optional, tag = "1")]
        pub clock_id: Option<u32>,
        #[prost(uint64, optional, tag = "2")]
        pub timestamp: Option<u64>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct InternedData {
        #[prost(message, repeated, tag = "2")]
        pub event_names: Vec<Name>,
        #[prost(message, repeated, tag = "3")]
        pub debug_annotation_names: Vec<Name>,
    }

    /// `EventName` and `DebugAnnotationName`.
    #[derive(Clone, PartialEq, Message)]
    pub struct Name {
        #[prost(uint64, optional, tag = "1")]
        pub iid: Option<u64>,
        #[prost(string, optional, tag = "2")]
        pub name: Option<String>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct TrackEvent {
        #[prost(message, repeated, tag = "4")]
        pub debug_annotations: Vec<DebugAnnotation>,
        #[prost(int32, optional, tag = "9")]
        pub r#type: Option<i32>,
        #[prost(uint64, optional, tag = "10")]
        pub name_iid: Option<u64>,
        #[prost(uint64, optional, tag = "11")]
        pub track_uuid: Option<u64>,
        #[prost(int64, optional, tag = "30")]
        pub counter_value: Option<i64>,
        #[prost(double, optional, tag = "44")]
        pub double_counter_value: Option<f64>,
        #[prost(fixed64, repeated, packed = "false", tag = "47")]
        pub flow_ids: Vec<u64>,
        #[prost(fixed64, repeated, packed = "false", tag = "48")]
        pub terminating_flow_ids: Vec<u64>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct DebugAnnotation {
        #[prost(uint64, optional, tag = "1")]
        pub name_iid: Option<u64>,
        #[prost(bool, optional, tag = "2")]
        pub bool_value: Option<bool>,
        #[prost(uint64, optional, tag = "3")]
        pub uint_value: Option<u64>,
        #[prost(double, optional, tag = "5")]
        pub double_value: Option<f64>,
        #[prost(string, optional, tag = "6")]
        pub string_value: Option<String>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct TrackDescriptor {
        #[prost(uint64, optional, tag = "1")]
        pub uuid: Option<u64>,
        #[prost(string, optional, tag = "2")]
        pub name: Option<String>,
        #[prost(message, optional, tag = "3")]
        pub process: Option<ProcessDescriptor>,
        #[prost(message, optional, tag = "4")]
        pub thread: Option<ThreadDescriptor>,
        #[prost(uint64, optional, tag = "5")]
        pub parent_uuid: Option<u64>,
        #[prost(message, optional, tag = "8")]
        pub counter: Option<CounterDescriptor>,
        #[prost(int32, optional, tag = "11")]
        pub child_ordering: Option<i32>,
        #[prost(int32, optional, tag = "12")]
        pub sibling_order_rank: Option<i32>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct ProcessDescriptor {
        #[prost(int32, optional, tag = "1")]
        pub pid: Option<i32>,
        #[prost(string, optional, tag = "6")]
        pub process_name: Option<String>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct ThreadDescriptor {
        #[prost(int32, optional, tag = "1")]
        pub pid: Option<i32>,
        #[prost(int32, optional, tag = "2")]
        pub tid: Option<i32>,
        #[prost(string, optional, tag = "5")]
        pub thread_name: Option<String>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub struct CounterDescriptor {
        #[prost(int32, optional, tag = "3")]
        pub unit: Option<i32>,
        #[prost(string, optional, tag = "6")]
        pub unit_name: Option<String>,
    }
}
use messages::{
    Clock, ClockSnapshot, CounterDescriptor, InternedData, Name, ProcessDescriptor,
    ThreadDescriptor, TracePacket, TracePacketDefaults,
};
pub use messages::{DebugAnnotation, TrackDescriptor, TrackEvent};

/// A value of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A truth value.
    Truth(bool),
    /// A count.
    Count(u64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
}

/// Names of events and of annotations, which a trace writes once.
#[derive(Default)]
pub struct Names {
    events: HashMap<String, u64>,
    annotations: HashMap<String, u64>,
}

impl Names {
    /// An event of a name.
    pub fn event(&mut self, kind: Kind, name: &str) -> TrackEvent {
        let name_iid = Some(number(&mut self.events, name));
        TrackEvent { r#type: Some(kind as i32), name_iid, ..TrackEvent::default() }
    }

    /// An annotation.
    pub fn annotation(&mut self, name: &str, value: Value) -> DebugAnnotation {
        let mut a = DebugAnnotation {
            name_iid: Some(number(&mut self.annotations, name)),
            ..DebugAnnotation::default()
        };
        match value {
            Value::Truth(x) => a.bool_value = Some(x),
            Value::Count(x) => a.uint_value = Some(x),
            Value::Real(x) => a.double_value = Some(x),
            Value::Text(x) => a.string_value = Some(x),
        }
        a
    }
}

fn number(names: &mut HashMap<String, u64>, name: &str) -> u64 {
    if let Some(iid) = names.get(name) {
        return *iid;
    }
    let iid = names.len() as u64 + 1; // 0 means none.
    names.insert(name.into(), iid);
    iid
}

fn table(names: &HashMap<String, u64>) -> Vec<Name> {
    let mut all: Vec<Name> =
        names.iter().map(|(n, i)| Name { iid: Some(*i), name: Some(n.clone()) }).collect();
    all.sort_by_key(|n| n.iid);
    all
}

/// The value of a counter.
pub fn counter(track: u64, value: f64) -> TrackEvent {
    let (whole, real) = if value == value.trunc() && value.abs() < 9e15 {
        (Some(value as i64), None)
    } else {
        (None, Some(value))
    };
    TrackEvent {
        r#type: Some(Kind::Counter as i32),
        track_uuid: Some(track),
        counter_value: whole,
        double_counter_value: real,
        ..TrackEvent::default()
    }
}

/// The group of a host, a queue or the run.
pub fn process(uuid: u64, pid: i32, name: &str) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        process: Some(ProcessDescriptor { pid: Some(pid), process_name: Some(name.into()) }),
        child_ordering: Some(EXPLICIT),
        ..TrackDescriptor::default()
    }
}

/// A thread of a process: a flow at its host.
pub fn thread(uuid: u64, pid: i32, tid: i32, name: &str) -> TrackDescriptor {
    let thread_name = Some(name.into());
    TrackDescriptor {
        uuid: Some(uuid),
        thread: Some(ThreadDescriptor { pid: Some(pid), tid: Some(tid), thread_name }),
        child_ordering: Some(EXPLICIT),
        ..TrackDescriptor::default()
    }
}

/// A track below `parent`, in the place `rank` among its siblings; with a unit, a counter.
pub fn track(uuid: u64, parent: u64, rank: i32, name: &str, unit: Option<Unit>) -> TrackDescriptor {
    let counter = unit.map(|unit| match unit {
        Unit::Bytes => CounterDescriptor { unit: Some(3), unit_name: None },
        Unit::Named("") => CounterDescriptor::default(),
        Unit::Named(name) => CounterDescriptor { unit: None, unit_name: Some(name.into()) },
    });
    TrackDescriptor {
        uuid: Some(uuid),
        parent_uuid: Some(parent),
        name: Some(name.into()),
        sibling_order_rank: Some(rank),
        counter,
        ..TrackDescriptor::default()
    }
}

/// Appends the packets that a trace begins with: the clock and the names.
pub fn head(names: &Names, out: &mut Vec<u8>) {
    let at = |clock| Clock { clock_id: Some(clock), timestamp: Some(0) };
    let clocks = ClockSnapshot {
        clocks: vec![at(BOOTTIME), at(REALTIME)],
        primary_trace_clock: Some(BOOTTIME),
    };
    let interned = InternedData {
        event_names: table(&names.events),
        debug_annotation_names: table(&names.annotations),
    };
    framed(
        &TracePacket {
            clock_snapshot: Some(clocks),
            trusted_packet_sequence_id: Some(SEQUENCE),
            ..TracePacket::default()
        },
        out,
    );
    framed(
        &TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(CLEARED | NEEDED),
            interned_data: Some(interned),
            trace_packet_defaults: Some(TracePacketDefaults { timestamp_clock_id: Some(BOOTTIME) }),
            ..TracePacket::default()
        },
        out,
    );
}

/// Appends the packet of a track.
pub fn descriptor(track: TrackDescriptor, out: &mut Vec<u8>) {
    framed(
        &TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            track_descriptor: Some(track),
            ..TracePacket::default()
        },
        out,
    );
}

/// Appends the packet of an event, given as an encoded [`TrackEvent`]; `ns` since the start.
pub fn event(ns: u64, event: Vec<u8>, out: &mut Vec<u8>) {
    framed(
        &TracePacket {
            timestamp: Some(ns),
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(NEEDED),
            track_event: Some(event),
            ..TracePacket::default()
        },
        out,
    );
}

/// A trace is a message of packets: field 1, length, packet.
fn framed(packet: &TracePacket, out: &mut Vec<u8>) {
    out.push(1 << 3 | 2);
    // A vector grows: encoding into it cannot fail.
    let _ = packet.encode_length_delimited(out);
}
