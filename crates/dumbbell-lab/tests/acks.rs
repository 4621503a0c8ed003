//! The reverse path: every acknowledgment in a record, and what they had in common in the result.
mod common;

use common::request;
use dumbbell_lab::api;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::path::Path;

/// Acknowledgments of `ahead` share a small buffer with data of `back`, which is a bulk transfer
/// the other way.
const TWO_WAY: &str = r#"
duration = "10 s"
warmup = "2 s"
queue = { kind = "drop_tail", limit = "30 pkt" }
queue_reverse = { kind = "drop_tail", limit = "20 pkt" }
dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms", reverse = { rate = "2 Mbps" } }
[[flow]]
name = "ahead"
count = 2
start_step = "100 ms"

[[flow]]
name = "back"
direction = "reverse"

[[flow]]
name = "voice"
direction = "reverse"
source = { kind = "cbr", rate = "100 kbps", packet = "100 B" }
"#;

fn run(request: &Value) -> Value {
    api::run(request, &|_| true).unwrap_or_else(|p| panic!("{}", p.rendered))
}

fn rows(dir: &Path, name: &str) -> Vec<Map<String, Value>> {
    let file = SerializedFileReader::new(File::open(dir.join(name)).unwrap()).unwrap();
    let row = |row: Row| {
        let field = |(name, f): (&String, &Field)| {
            let value = match f {
                Field::ULong(n) => json!(n),
                Field::Double(x) => json!(x),
                Field::Str(s) => json!(s),
                Field::Bool(b) => json!(b),
                _ => Value::Null,
            };
            (name.clone(), value)
        };
        row.get_column_iter().map(field).collect()
    };
    file.get_row_iter(None).unwrap().map(|r| row(r.unwrap())).collect()
}

/// The record against the record of all packets, which is made by other code: the same packets, the
/// same instants.
#[test]
fn each_acknowledgement_is_a_row_that_agrees_with_the_record_of_packets() {
    let dir = tempfile::tempdir().unwrap();
    let alone = run(&request(TWO_WAY, &[]));
    let mut wanted =
        request(TWO_WAY, &["record.acks=[\"ahead.1\", \"back\"]", "record.packets=[\"ahead.1\"]"]);
    wanted["out"] = json!(dir.path());
    let result = run(&wanted);
    assert_eq!(result["fingerprint"], alone["fingerprint"], "looking changes nothing");
    let of = |rows: Vec<Map<String, Value>>, flow: &str| -> Vec<Map<String, Value>> {
        rows.into_iter().filter(|r| r["flow"] == flow).collect()
    };
    let acks = of(rows(dir.path(), "acks.parquet"), "ahead.1");
    let packets: Vec<_> = of(rows(dir.path(), "packets.parquet"), "ahead.1")
        .into_iter()
        .filter(|p| p["from"] == "receiver")
        .collect();
    assert!(acks.len() > 1000 && acks.len() == packets.len(), "{} {}", acks.len(), packets.len());
    assert_eq!(
        of(rows(dir.path(), "packets.parquet"), "back").len(),
        0,
        "only its \
        acknowledgments are followed"
    );
    for (ack, packet) in acks.iter().zip(&packets) {
        for (ours, theirs) in [
            ("packet", "packet"),
            ("ack", "ack"),
            ("sent_ps", "sent_ps"),
            ("arrived_ps", "delivered_ps"),
            ("dropped_ps", "dropped_ps"),
            ("dropped_at", "dropped_at"),
            ("reason", "reason"),
        ] {
            assert_eq!(ack[ours], packet[theirs], "{ours} of {ack:?}");
        }
    }
    // The newly acknowledged bytes add up to the last acknowledgment that arrived: the stream
    // begins at 1.
    let newly: u64 = acks.iter().filter_map(|a| a["newly_acked_bytes"].as_u64()).sum();
    let last = acks
        .iter()
        .filter(|a| !a["arrived_ps"].is_null())
        .filter_map(|a| a["ack"].as_u64())
        .max()
        .unwrap();
    assert_eq!(newly + 1, last);
    let lost = acks.iter().filter(|a| !a["dropped_ps"].is_null()).count();
    assert!(lost > 10, "{lost}");
}

/// The summary is that of the rows after the warm-up, spacing by spacing.
#[test]
fn the_summary_is_that_of_the_rows() {
    let dir = tempfile::tempdir().unwrap();
    let mut wanted = request(TWO_WAY, &["record.acks=true"]);
    wanted["out"] = json!(dir.path());
    let result = run(&wanted);
    assert!(result["flows"][3].get("acks").is_none(), "nobody acknowledges datagrams");
    let all = rows(dir.path(), "acks.parquet");
    for flow in &result["flows"].as_array().unwrap()[..3] {
        let said = &flow["acks"];
        let of: Vec<_> = all.iter().filter(|r| r["flow"] == flow["name"]).collect();
        let late: Vec<_> =
            of.iter().filter(|r| r["sent_ps"].as_u64().unwrap() >= 2_000_000_000_000).collect();
        let arrived: Vec<_> = late.iter().filter(|r| !r["arrived_ps"].is_null()).collect();
        let lost = late.iter().filter(|r| !r["dropped_ps"].is_null()).count();
        assert_eq!(
            (&said["sent"], &said["arrived"], &said["lost"]),
            (&json!(late.len()), &json!(arrived.len()), &json!(lost))
        );
        assert_eq!(
            said["duplicates"],
            json!(arrived.iter().filter(|r| r["duplicate"] == true).count())
        );
        let column = |rows: &[&&&Map<String, Value>], name: &str| -> Vec<f64> {
            rows.iter().filter_map(|r| r[name].as_f64()).collect()
        };
        let mean = |xs: &[f64]| xs.iter().sum::<f64>() / xs.len() as f64 * 1e-6;
        let close = |key: &str, x: f64| {
            let said = said[key].as_f64().unwrap();
            assert!((said - x).abs() <= 1e-9 * x.abs() + 1e-12, "{key}: {said} {x}");
        };
        let late: Vec<_> = late.iter().collect();
        let arrived: Vec<_> = arrived.to_vec();
        close("mean_spacing_receiver_s", mean(&column(&late, "spacing_receiver_us")));
        close("mean_spacing_sender_s", mean(&column(&arrived, "spacing_sender_us")));
        let pairs: Vec<(f64, f64)> = arrived
            .iter()
            .filter_map(|r| {
                Some((r["spacing_sender_us"].as_f64()?, r["pair_spacing_receiver_us"].as_f64()?))
            })
            .collect();
        let share = |of: &dyn Fn(&(f64, f64)) -> bool| {
            pairs.iter().filter(|p| of(p)).count() as f64 / pairs.len() as f64
        };
        close("compressed_share", share(&|(here, there)| 2.0 * here < *there));
        close("stretched_share", share(&|(here, there)| *here > 2.0 * there));
    }
    // Behind data of 1500 bytes at 2 Mbps those of the flows ahead wait for each other.
    let ahead = &result["flows"][0]["acks"];
    assert!(ahead["compressed_share"].as_f64().unwrap() > 0.1, "{ahead}");
    assert!(ahead["lost"].as_u64().unwrap() > 10, "{ahead}");
}

/// The result has it without a directory, too, and each replication by itself.
#[test]
fn results_have_it_without_records() {
    let one = run(&request(TWO_WAY, &["record.acks=[\"back\"]"]));
    assert!(
        one["flows"][0].get("acks").is_none()
            && one["flows"][2]["acks"]["sent"].as_u64().unwrap() > 100
    );
    assert!(run(&request(TWO_WAY, &[]))["flows"][2].get("acks").is_none());
    let three = run(&request(
        TWO_WAY,
        &[
            "record.acks=true",
            "replications=3",
            "flow.0.start_spread=\"1 \
        s\"",
        ],
    ));
    let mean = &three["flows"][0]["acks"]["mean_spacing_sender_s"];
    assert_eq!(mean["n"], 3);
    assert!(mean["ci95"][0].as_f64() < mean["mean"].as_f64());
    let seeds: Vec<_> = three["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["flows"][0]["acks"]["sent"].clone())
        .collect();
    assert!(seeds.iter().all(Value::is_u64) && seeds[0] != seeds[1], "{seeds:?}");
}

/// On a quiet reverse path nothing is compressed, stretched or lost.
#[test]
fn a_quiet_way_back_keeps_the_spacing() {
    let quiet = r#"
        duration = "10 s"
        warmup = "2 s"
        record.acks = true
        dumbbell.bottleneck = { rate = "10 Mbps", delay = "10 ms" }
        flow = [{ name = "s" }]
    "#;
    let acks = &run(&request(quiet, &[]))["flows"][0]["acks"];
    assert_eq!(
        (&acks["lost"], &acks["compressed_share"], &acks["stretched_share"]),
        (&json!(0), &json!(0.0), &json!(0.0))
    );
    let (there, here) = (&acks["mean_spacing_receiver_s"], &acks["mean_spacing_sender_s"]);
    assert!(
        (there.as_f64().unwrap() / here.as_f64().unwrap() - 1.0).abs() < 1e-3,
        "{there} {here}"
    );
}

/// A wire that damages, doubles and delays acknowledgments: a copy has no row, and what the host
/// discards was dropped.
#[test]
fn a_bad_wire_leaves_no_row_open() {
    let dir = tempfile::tempdir().unwrap();
    let wire = "dumbbell.bottleneck.reverse.impairment=[{kind=\"corrupt\", rate=0.05, \
        per=\"packet\"}, {kind=\"duplicate\", share=0.1}, {kind=\"jitter\", max=\"3 ms\"}]";
    let mut wanted =
        request(TWO_WAY, &["record.acks=[\"ahead.1\"]", "record.packets=[\"ahead.1\"]", wire]);
    wanted["out"] = json!(dir.path());
    let result = run(&wanted);
    let all = rows(dir.path(), "acks.parquet");
    let lost = all.iter().filter(|r| r["reason"] == "link").count();
    assert!(lost > all.len() / 40, "{lost} of {}", all.len());
    let packets = rows(dir.path(), "packets.parquet");
    let theirs: Vec<_> = packets.iter().filter(|p| p["from"] == "receiver").collect();
    assert_eq!(theirs.len(), all.len());
    for (ack, packet) in all.iter().zip(theirs) {
        assert_eq!(
            (&ack["arrived_ps"], &ack["dropped_ps"]),
            (&packet["delivered_ps"], &packet["dropped_ps"])
        );
    }
    let said = &result["flows"][0]["acks"];
    let number = |key: &str| said[key].as_u64().unwrap();
    assert!(number("sent") - number("arrived") - number("lost") < 40, "{said}");
    // Neighbors that changed places are no pairs.
    assert!(
        all.iter()
            .any(|r| !r["spacing_sender_us"].is_null() && r["pair_spacing_receiver_us"].is_null())
    );
}

#[test]
fn who_cannot_be_followed_is_named() {
    let wrong = |set: &str| {
        let problem = api::run(&request(TWO_WAY, &[set]), &|_| true).unwrap_err();
        assert_eq!(problem.code, 2);
        problem.rendered
    };
    let text = wrong("record.acks=[\"ahead.7\"]");
    assert!(
        text.contains("there is no flow named `ahead.7`")
            && text.contains(
                "did you mean \
        `ahead."
            ),
        "{text}"
    );
    let text = wrong("record.acks=[\"voice\"]");
    assert!(text.contains("`voice` sends datagrams, which nobody acknowledges"), "{text}");
}
