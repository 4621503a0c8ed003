//! Records: series, reactions, signals and the journeys of packets.
use crate::common::{RED, request};
use crate::{files, recorded, run};
use dumbbell_lab::api;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row, RowAccessor};
use serde_json::{Value, json};
use std::fs::File;

/// Two ways through full queues: CAE's estimate and backoffs are columns of the series, null for a
/// flow without them, and each backoff is a reaction.
#[test]
fn what_a_control_sees_is_recorded() {
    const TWO_WAYS: &str = r#"duration = "10 s"
profile = "ns2"
record = { every = "10 ms", drops = true }
tcp = { clock = "0 s" }
[dumbbell]
bottleneck = { rate = "5 Mbps", delay = "10 ms" }
[queue]
kind = "drop_tail"
limit = "20 pkt"
[[flow]]
name = "there"
cc = "cae"
[[flow]]
name = "back"
direction = "reverse"
start = "2 s"
"#;
    let dir = tempfile::tempdir().unwrap();
    let mut request = request(TWO_WAYS, &[]);
    request["out"] = json!(dir.path());
    run(&request);
    let rows = |name: &str| -> Vec<Row> {
        let file = SerializedFileReader::new(File::open(dir.path().join(name)).unwrap()).unwrap();
        file.get_row_iter(None).unwrap().map(Result::unwrap).collect()
    };
    let get =
        |row: &Row, name: &str| row.get_column_iter().find(|c| c.0 == name).unwrap().1.clone();
    let series = rows("flows.parquet");
    let of = |name: &str, column: &str| -> Vec<Field> {
        let mine = |r: &&Row| get(r, "flow") == Field::Str(name.into());
        series.iter().filter(mine).map(|r| get(r, column)).collect()
    };
    assert!(of("back", "cc_estimate").iter().all(|v| *v == Field::Null));
    let (estimates, backoffs) = (of("there", "cc_estimate"), of("there", "cc_backoffs"));
    let (Field::Double(alone), none) = (&estimates[190], &backoffs[190]) else {
        panic!("{estimates:?}")
    };
    // Timestamps have units of 16.384 ns.
    assert!((alone - 1.0).abs() < 1e-4 && *none == Field::Double(0.0), "{alone} {none}");
    let Some(Field::Double(backoffs)) = backoffs.last() else { panic!("{backoffs:?}") };
    let seen = rows("reactions.parquet")
        .iter()
        .filter(|r| get(r, "cause") == Field::Str("rto_backed_off".into()))
        .count();
    assert!(
        *backoffs > 10.0 && seen as f64 <= *backoffs && seen as f64 > 0.9 * backoffs,
        "{backoffs} \
        {seen}"
    );
}

#[test]
fn records_have_units_and_say_where_they_come_from() {
    let dir = tempfile::tempdir().unwrap();
    let result = run(&recorded(dir.path()));
    assert_eq!(
        files(dir.path()),
        [
            "flows.parquet",
            "queues.parquet",
            "reactions.parquet",
            "scenario.toml",
            "signals.parquet",
            "summary.json"
        ]
    );
    let open =
        |name: &str| SerializedFileReader::new(File::open(dir.path().join(name)).unwrap()).unwrap();
    let flows = open("flows.parquet");
    let meta = flows.metadata().file_metadata();
    let value = |key: &str| {
        meta.key_value_metadata()
            .unwrap()
            .iter()
            .find(|k| k.key == key)
            .unwrap()
            .value
            .clone()
            .unwrap()
    };
    assert_eq!(value("dumbbell.fingerprint"), result["fingerprint"].as_str().unwrap());
    assert_eq!(
        (value("dumbbell.seed"), value("dumbbell.scenario")),
        ("1".into(), "scenario".into())
    );
    // A row each 10 ms of 10 s, zero included.
    assert!((1000..=1001).contains(&meta.num_rows()), "{}", meta.num_rows());
    let columns: Vec<&str> = meta.schema_descr().columns().iter().map(|c| c.name()).collect();
    assert_eq!(columns[..4], ["time_s", "flow", "cwnd_bytes", "cwnd_packets"]);
    // Delivered bytes after the warm-up are the summary's goodput.
    let rows: Vec<_> = flows.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let delivered = |t: f64| {
        let row = rows.iter().find(|r| (r.get_double(0).unwrap() - t).abs() < 1e-9).unwrap();
        row.get_ulong(columns.iter().position(|c| *c == "delivered_bytes").unwrap()).unwrap() as f64
    };
    let (from, to) = (delivered(1.0), delivered(9.99));
    let goodput = result["flows"][0]["goodput_bps"].as_f64().unwrap() * 9.0 / 8.0;
    assert!((to - from - goodput).abs() < 10e6 / 8.0 * 0.02, "{} {goodput}", to - from);
    // Each drop of the bottleneck after the warm-up is a row, with RED's average.
    let signals = open("signals.parquet");
    let names: Vec<String> = signals
        .metadata()
        .file_metadata()
        .schema_descr()
        .columns()
        .iter()
        .map(|c| c.name().to_string())
        .collect();
    assert!(names.contains(&"avg".to_string()) && names.contains(&"queue_packets".to_string()));
    let late = signals
        .get_row_iter(None)
        .unwrap()
        .filter(|r| r.as_ref().unwrap().get_double(0).unwrap() >= 1.0);
    let drops = result["queues"][0]["drops"]
        .as_object()
        .unwrap()
        .values()
        .map(|v| v.as_u64().unwrap())
        .sum::<u64>();
    assert_eq!(late.count() as u64, drops);
    assert!(drops > 0);
}

/// Every packet of the flows that are named, from socket to socket, and what happened to it.
#[test]
fn packets_are_followed_when_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let sack = ["duration=10 s", "flow.0.cc=sack"];
    let mut wanted = request(RED, &sack);
    (wanted["out"], wanted["record"]) = (json!(dir.path()), json!({ "packets": true }));
    let result = run(&wanted);
    assert_eq!(
        result["fingerprint"],
        run(&request(RED, &sack))["fingerprint"],
        "looking changes \
        nothing"
    );
    let rows = |name: &str| {
        let file = SerializedFileReader::new(File::open(dir.path().join(name)).unwrap()).unwrap();
        let json = |row: &Row| {
            let field = |(name, f): (&String, &Field)| {
                let value = match f {
                    Field::ULong(n) => json!(n),
                    Field::Str(s) => json!(s),
                    Field::Bool(b) => json!(b),
                    _ => Value::Null,
                };
                (name.clone(), value)
            };
            Value::Object(row.get_column_iter().map(field).collect())
        };
        file.get_row_iter(None).unwrap().map(|r| json(&r.unwrap())).collect::<Vec<Value>>()
    };
    let (packets, hops) = (rows("packets.parquet"), rows("hops.parquet"));
    let ended = |key: &str| packets.iter().filter(|p| !p[key].is_null()).count() as u64;
    let whole = &result["conservation"];
    assert_eq!(json!(packets.len()), whole["sent"]);
    assert_eq!(
        (json!(ended("delivered_ps")), json!(ended("dropped_ps"))),
        (whole["delivered"].clone(), whole["dropped"].clone())
    );
    // The second segment of a flow that follows a drop says SACK; a SYN says what it can do.
    let options: Vec<&str> = packets.iter().filter_map(|p| p["options"].as_str()).collect();
    assert!(
        options.iter().any(|o| o.starts_with("mss 1460,sackOK,TS,wscale"))
            && options.iter().any(|o| o.starts_with("sack "))
    );
    // Journeys are in order: sent, at the first link, through it, delivered.
    let first = hops.iter().find(|h| h["packet"] == 1 && h["from"] == "sender").unwrap();
    let sent = packets.iter().find(|p| p["packet"] == 1 && p["from"] == "sender").unwrap();
    let at = |v: &Value| v.as_u64().unwrap();
    assert!(
        at(&sent["sent_ps"]) <= at(&first["arrived_ps"])
            && at(&first["arrived_ps"]) < at(&first["departed_ps"])
    );
    assert!(at(&first["far_end_ps"]) < at(&sent["delivered_ps"]));

    wanted["record"] = json!({ "packets": ["nobody"] });
    let problem = api::run(&wanted, &|_| true).unwrap_err();
    assert!(problem.rendered.contains("there is no flow named `nobody`"), "{}", problem.rendered);
}
