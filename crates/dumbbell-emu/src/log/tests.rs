//! Logs are read as they were written; altered logs are refused.
use super::*;
use dumbbell_core::packet::{Dscp, Ecn};
use dumbbell_core::transport::segment::PacketTooBig;
use dumbbell_core::units::{Span, Time};
use dumbbell_net::Fragment;
use dumbbell_net::{Incoming, Outgoing};
use proptest::prelude::*;

fn header() -> Header {
    let plan = Plan {
        name: "a log".into(),
        seed: 7,
        duration: Span::from_secs(1),
        warmup: Span::ZERO,
        nodes: vec![],
        links: vec![],
        flows: vec![],
        sessions: vec![],
        shared_buffers: vec![],
        reassembly: dumbbell_plan::Reassembly::default(),
        testbed: dumbbell_plan::Testbed::default(),
        record: dumbbell_plan::Record::default(),
    };
    Header {
        made_by: "0.1.0".into(),
        plan,
        epoch_ns: 12,
        hosts: vec!["s1".into(), "d1".into()],
        capture: None,
    }
}

fn ecn() -> impl Strategy<Value = Ecn> {
    prop::sample::select(vec![Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce])
}

fn incoming() -> impl Strategy<Value = Record> {
    let numbers =
        (any::<u64>(), any::<u32>(), 1u64..1 << 48, any::<[u16; 2]>(), any::<u32>(), any::<u8>());
    (numbers, ecn(), 0u8..64).prop_map(
        |((t, socket, number, [ip_len, payload], seq, flags), ecn, dscp)| {
            let packet =
                Incoming { socket, number, ip_len, payload, ecn, dscp: Dscp(dscp), seq, flags };
            Record::In { t: Time::from_ps(t), packet }
        },
    )
}

fn outgoing() -> impl Strategy<Value = Record> {
    let fragment = (any::<u32>(), any::<u16>(), any::<u16>(), any::<bool>())
        .prop_map(|(datagram, from, to, last)| Fragment { datagram, from, to, last });
    let icmp_error =
        (any::<u16>(), any::<u32>()).prop_map(|(mtu, seq)| PacketTooBig { mtu: mtu.into(), seq });
    let what = prop_oneof![
        Just((None, None)),
        fragment.prop_map(|fragment| (Some(fragment), None)),
        icmp_error.prop_map(|error| (None, Some(error))),
    ];
    let numbers = (any::<u64>(), any::<u32>(), 1u64..1 << 48, 0u32..1 << 24);
    (numbers, ecn(), 0u8..64, any::<[bool; 2]>(), what).prop_map(
        |(numbers, ecn, dscp, [damaged, refused], what)| {
            let ((at, socket, number, late), (fragment, icmp_error)) = (numbers, what);
            let out = Outgoing {
                at: Time::from_ps(at),
                socket,
                number,
                ecn,
                dscp: Dscp(dscp),
                fragment,
                damaged,
                icmp_error,
            };
            Record::Out { out, late, refused }
        },
    )
}

fn records(most: usize) -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec(prop_oneof![incoming(), outgoing()], 0..most)
}

fn written(records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new(vec![], &header()).expect("memory takes it");
    records.iter().for_each(|record| writer.push(&record.encode()).expect("memory takes it"));
    writer.finish(3).expect("memory takes it").0
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<Record>, Totals), LogFault> {
    let mut reader = Reader::new(bytes)?;
    let mut records = vec![];
    while let Some(record) = reader.next_record()? {
        records.push(record);
    }
    Ok((reader.header.clone(), records, reader.totals().expect("the end was read")))
}

proptest! {
    #[test]
    fn what_is_written_is_read(records in records(50)) {
        let (header_read, records_read, totals) = read(&written(&records)).expect(
            "it is as it was \
            written",
        );
        prop_assert_eq!(header_read, header());
        let incoming = records.iter().filter(|r| matches!(r, Record::In { .. })).count() as u64;
        prop_assert_eq!(
            totals,
            Totals { incoming, outgoing: records.len() as u64 - incoming, lost: 3 }
        );
        prop_assert_eq!(records_read, records);
    }

    #[test]
    fn what_no_router_writes_is_no_record(entry in any::<Entry>()) {
        if let Ok(record) = Record::decode(&entry) {
            prop_assert_eq!(Record::decode(&record.encode()), Ok(record));
        }
    }
}

/// Records enough for two blocks.
fn many() -> Vec<Record> {
    let one = |number: u64| {
        let packet = Incoming {
            socket: 2,
            number,
            ip_len: 1500,
            payload: 1448,
            ecn: Ecn::Ect0,
            dscp: Dscp(10),
            seq: number as u32 * 1448,
            flags: 4,
        };
        Record::In { t: Time::from_ps(number * 1_000), packet }
    };
    (1..=BLOCK as u64 + 100).map(one).collect()
}

#[test]
fn blocks_follow_each_other() {
    let records = many();
    assert_eq!(read(&written(&records)).expect("it is as it was written").1, records);
}

#[test]
fn every_byte_that_was_altered_is_found() {
    let bytes = written(&many()[..40]);
    for at in 0..bytes.len() {
        for bit in [0x01, 0x80] {
            let mut altered = bytes.clone();
            altered[at] ^= bit;
            assert!(read(&altered).is_err(), "byte {at} of {} may be altered", bytes.len());
        }
    }
}

#[test]
fn every_cut_is_found_and_so_is_what_was_added() {
    let bytes = written(&many()[..40]);
    for length in 0..bytes.len() {
        let fault = read(&bytes[..length]).expect_err("it is cut off");
        assert!(
            matches!(fault, LogFault::Truncated { at, .. } if at == length as u64),
            "{length}: \
            {fault}"
        );
    }
    let fault = read(&[&bytes[..], &[0]].concat()).expect_err("a byte was added");
    assert!(
        matches!(&fault, LogFault::Altered { what, .. } if what == "what follows its end"),
        "{fault}"
    );
}

#[test]
fn it_says_where_it_was_altered() {
    let bytes = written(&many());
    let mut altered = bytes.clone();
    let last = bytes.len() - 60 - 32 - 50 * ENTRY;
    altered[last] ^= 4;
    let fault = read(&altered).expect_err("a record was altered").to_string();
    assert!(fault.contains("records 4097 to 4196 (bytes "), "{fault}");
    // A whole block that is missing is found, too: hashes are chained.
    let header = bytes.len() - 60 - (100 * ENTRY + 36) - (BLOCK * ENTRY + 36);
    let without = [&bytes[..header], &bytes[header + BLOCK * ENTRY + 36..]].concat();
    let fault = read(&without).expect_err("a block is missing").to_string();
    assert!(fault.contains("altered: records 1 to 100"), "{fault}");
}

#[test]
fn what_is_no_log_or_another_version_is_told_so() {
    assert!(matches!(read(b"PAR1 and so on, long enough"), Err(LogFault::NotALog)));
    assert!(matches!(read(b"PAR"), Err(LogFault::NotALog)));
    let mut bytes = written(&[]);
    bytes[8] = 9;
    assert!(matches!(read(&bytes), Err(LogFault::Version(9))));
}

#[test]
fn packets_bytes_are_read_with_their_record_and_are_of_version_2() {
    let header = Header { capture: Some(Capture { snaplen: 120, realtime_ns: 5 }), ..header() };
    let mut writer = Writer::new(vec![], &header).expect("memory takes it");
    let (records, packet) = (many(), (0..=119).collect::<Vec<u8>>());
    for (record, length) in records.iter().zip((0..=120).cycle()) {
        captured_bytes::encode(&packet[..length]).for_each(|entry| {
            writer.push(&entry).expect(
                "memory \
            takes it",
            )
        });
        writer.push(&record.encode()).expect("memory takes it");
    }
    let written = writer.finish(0).expect("memory takes it").0;
    assert_eq!(written[8], 2);
    let mut reader = Reader::new(&written[..]).expect("a log");
    assert_eq!(reader.header, header);
    for (record, length) in records.iter().zip((0..=120).cycle()) {
        assert_eq!(reader.next_record().expect("a log"), Some(*record));
        assert_eq!(reader.packet(), &packet[..length]);
    }
    assert_eq!(reader.next_record().expect("a log"), None);
    assert_eq!(reader.totals().expect("the end").incoming, records.len() as u64);
    assert!(captured_bytes::decode(&[31; ENTRY]).is_err(), "an entry has room for 30 bytes");
}
