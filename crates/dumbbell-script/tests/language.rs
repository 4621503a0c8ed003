//! The language: what cannot be read, what does not hold, and that no text does harm.
use dumbbell_script::{Failure, read};
use proptest::prelude::*;

/// The causes, each with the words that it points at.
fn troubles(text: &str) -> Vec<(String, String)> {
    let found = read(text).expect_err(text);
    found.into_iter().map(|t| (text[t.from..t.to].to_string(), t.cause)).collect()
}

/// The one failure of a script.
fn failure(text: &str) -> Failure {
    let mut all = read(text).unwrap_or_else(|t| panic!("{text}: {t:?}")).run();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn holds(text: &str) {
    let failures = read(text).unwrap_or_else(|t| panic!("{text}: {t:?}")).run();
    assert!(failures.is_empty(), "{text}: {failures:?}");
}

#[test]
fn what_cannot_be_read_is_told_where() {
    for (text, place, cause) in [
        ("0 > s1", "0", "a script begins with the end that it tests"),
        ("sender", "sender", "this script has no lines that test anything"),
        ("sender sack", "sack", "`sack` is no KEY=VALUE"),
        ("sender cc=cubik\n0 > s1", "cc=cubik", "there is no congestion control `cubik`"),
        ("sender profile=bsd\n0 > s1", "profile=bsd", "there is no profile `bsd`"),
        ("sender snack=true\n0 > s1", "snack=true", "there is no parameter `snack` here"),
        (
            "sender mss=3miles\n0 > s1",
            "mss=3miles",
            "`miles` is not a unit of size; known are B, kB, MB, GB, TB, KiB, MiB, GiB",
        ),
        ("sender cc=cubic cc.beta=2\n0 > s1", "cc.beta=2", "2 is out of range"),
        ("sender\nreceiver\n0 > s1", "receiver", "a script tests one end"),
        ("sender\n0.1 > s1\n0.05 > s2", "0.05", "time goes back: the line before is at 100 ms"),
        ("sender\n0x > s1", "0x", "`0x` is not a time"),
        ("sender\n200000 > s1", "200000", "a script ends after at most 100000 s"),
        ("sender\n0", "0", "at this time nothing happens"),
        ("sender\n0 says hello", "says", "`says` is not a verb of a script"),
        ("sender\n0 >", ">", "`>` needs more on its line"),
        ("receiver\n0 write 5", "write", "only a sender writes and closes"),
        ("sender\n0 offer 5", "offer", "only a receiver offers a window"),
        ("sender\n0 write 5 miles", "5 miles", "this is not a size in whole bytes"),
        ("sender\n0 > p1", "p1", "`p1` is not a segment"),
        ("sender\n0 > 1:70000", "1:70000", "no segment has more than 65000 bytes"),
        ("sender\n0 < s1", "s1", "this comes from a receiver"),
        ("sender\n0 < ack", "ack", "`ack` needs what it acknowledges"),
        ("sender\n0 < ack x", "x", "`x` is not a position"),
        ("sender\n0 < ack s2 sack", "sack", "`sack` needs blocks"),
        (
            "sender\n0 < ack s2 x1000000",
            "ack s2 x1000000",
            "these are more than 100000 segments on \
            one line",
        ),
        ("sender\n0 < ack s2 loud", "loud", "`loud` is nothing that a segment carries"),
        ("sender\n0 < ack s2 win wide", "wide", "`wide` does not fit `win`"),
        ("receiver\n0 < icmp frag_needed seq 1", "icmp", "routers tell the sender"),
        ("sender\n0 < icmp", "icmp", "`icmp` needs more on its line"),
        ("sender\n0 < icmp redirect seq 1", "redirect", "no router says `redirect`"),
        ("sender\n0 < icmp frag_needed mtu wide seq 1", "wide", "`wide` does not fit `mtu`"),
        (
            "sender\n0 < icmp frag_needed mtu 1400",
            "icmp",
            "this notice does not say of which \
            packet it is",
        ),
        ("sender\n0 < icmp frag_needed mtu 1400 seq", "seq", "`seq` needs a value"),
        ("sender\n0 < icmp frag_needed ttl 3 seq 1", "ttl", "`ttl` is nothing that a notice says"),
        ("sender\n0 > s1, , s2", ">", ""),
        ("sender\n0 ? cwnd", "cwnd", "a claim has a name, a relation and a value"),
        ("sender\n0 ? cwmd == 4", "cwmd", "there is no `cwmd` to ask for"),
        ("receiver\n0 ? cwnd == 4", "cwnd", "there is no `cwnd` to ask for"),
        ("sender\n0 ? cwnd is 4", "is", "`is` is not a relation"),
        ("sender\n0 ? cwnd == 4 miles", "4 miles", "this is not a value"),
    ] {
        let found = troubles(text);
        if cause.is_empty() {
            assert_eq!(found.len(), 1, "{text}");
            continue;
        }
        let told = found.iter().any(|(at, what)| at == place && what.starts_with(cause));
        assert!(told, "{text}: {found:?}");
    }
}

#[test]
fn all_lines_that_cannot_be_read_are_told_at_once() {
    assert_eq!(troubles("sender\n0 > p1\n0 ? x == 1\n0 > s1\n0 shout").len(), 3);
}

const WRITE: &str = "sender cc=newreno\n0 write 3 pkt\n";

#[test]
fn a_segment_that_is_missing_wrong_late_or_too_many() {
    let f = failure(&format!("{WRITE}0 > s1-s4"));
    assert_eq!(
        (f.expected.as_str(), f.came.as_str()),
        ("> 3001:4001, at 0 s", "no segment; the next deadline is at 1 s")
    );
    let f = failure(&format!("{WRITE}0 > s1, s3"));
    assert_eq!(
        (f.expected.as_str(), f.came.as_str()),
        (
            "> 2001:3001, at 0 s",
            "> 1001:2001, at 0 \
        s"
        )
    );
    let f = failure(&format!("{WRITE}0 > s1-s2, s3 FIN"));
    assert_eq!(
        (f.expected.as_str(), f.came.as_str()),
        (
            "> 2001:3001 FIN, at 0 s",
            "> 2001:3001, \
        at 0 s"
        )
    );
    let f = failure(&format!("{WRITE}0.1 > s1"));
    assert_eq!((f.expected.as_str(), f.came.as_str()), ("> 1:1001, at 100 ms", "> 1:1001, at 0 s"));
    let f = failure(&format!("{WRITE}0 > s1-s2\n0.1 < ack s3"));
    assert_eq!(f.came, "> 2001:3001, at 0 s, that no line expects");
    let f = failure(&format!("{WRITE}0 > s1-s2"));
    assert_eq!(f.came, "> 2001:3001, at 0 s, that no line expects");
    let f = failure(&format!("{WRITE}0 > s1-s2\n0 > nothing"));
    assert_eq!((f.expected.as_str(), f.came.as_str()), ("no segment", "> 2001:3001, at 0 s"));
    holds(&format!("{WRITE}0 > s1\n0 > any"));
}

#[test]
fn a_failure_tells_what_happened_before_it() {
    let f = failure(&format!("{WRITE}0 > s1-s3\n0.1 < ack s2 sack s3\n0.1 ? cwnd == 1 pkt"));
    assert_eq!((f.expected.as_str(), f.came.as_str()), ("cwnd == 1 pkt", "10000 B (10 pkt)"));
    assert_eq!(f.history.last().unwrap(), "0.100000 < ack 1001 sack 2001:3001");
}

#[test]
fn tolerances_and_relations() {
    holds(&format!(
        "{WRITE}0 > s1-s3\n1.1~150ms > s1 again\n1.1 ? rtos == 1, rtos != 2, rto ~ 2.01 s, rto < 3 \
            s, rto >= 2 s"
    ));
    holds(&format!(
        "{WRITE}0 > s1-s3\n0 ? cwnd == 9.5 pkt +- 0.5 pkt, nxt > una, srtt == none, srtt != 1 s, \
            phase != loss"
    ));
    let f = failure(&format!("{WRITE}0 > s1-s3\n1.2~150ms > s1 again"));
    assert_eq!(
        (f.expected.as_str(), f.came.as_str()),
        ("> 1:1001 again, at 1.2 s within 150 ms", "> 1:1001 again, at 1 s")
    );
    let f = failure(&format!("{WRITE}0 > s1-s3\n0 ? cwnd == 9 pkt +- 0.5 pkt"));
    assert_eq!(f.came, "10000 B (10 pkt)");
    let f = failure(&format!("{WRITE}0 > any\n0 ? cc.colour == 3"));
    assert_eq!(f.came, "there is none of that name now; there are cwnd, ssthresh");
    // Claims do not end a script: both are told.
    assert_eq!(
        read(&format!("{WRITE}0 > any\n0 ? cwnd == 1\n0 ? cwnd == 2")).unwrap().run().len(),
        2
    );
}

/// A script runs any number of times, each time the same.
#[test]
fn runs_share_nothing() {
    let script = read(&format!("{WRITE}0 > s1-s3\n1 > s1 again\n1 ? cwnd == 2 pkt")).unwrap();
    assert_eq!(script.run(), script.run());
    assert_eq!(script.run().len(), 1);
}

fn lines() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "0", "0.1", "+0.05", "+3", "1s~1ms", ">", "<", "?", "write", "close", "offer", "forever",
        "nothing", "any", "s1", "s2-s5", "1:1001", "ack", "s3", "3001", "sack", "dsack", "s4",
        "s6-s7", "FIN", "SYN", "SYN-ACK", "ECE", "CWR", "ce", "again", "x3", "win", "0", "20",
        "kB", "pkt", "ts", "0.2", "cwnd", "==", "~", "rto", "cc.k", "+-", ",", "#", "\n", "\n",
        "tsok", "true",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|p| p.join(" "))
}

/// Lines that can be read, in any order.
fn readable() -> impl Strategy<Value = Vec<&'static str>> {
    let line = prop::sample::select(vec![
        "+0 write 5 pkt",
        "+0 write forever",
        "+0.1 < ack s2",
        "+0 < ack s2 sack s4-s5",
        "+0 < ack s3-s6",
        "+0 < ack s1 x3",
        "+0 < ack s2 win 0",
        "+0 < ack s2 win 9000",
        "+1 > any",
        "+5 > any",
        "+0 < ack s4 ECE",
        "+0 < ack s9 dsack s2 sack s11",
        "+0 close",
        "+0 ? cwnd > 0, in_flight >= 0",
        "+0 < SYN-ACK",
        "+0 < icmp frag_needed mtu 700 seq s3",
        "+0 < icmp frag_needed seq s1",
        "+700 > any",
        "+0 < ack s5 ecr 0.01",
    ]);
    prop::collection::vec(line, 0..40)
}

proptest! {
    #[test]
    fn no_text_does_harm(side in "sender|receiver", body in lines()) {
        if let Ok(script) = read(&format!("{side}\n{body}")) {
            script.run();
        }
    }

    #[test]
    fn no_life_does_harm(
        lines in readable(),
        cc in "newreno|sack|cubic|tahoe",
        handshake: bool,
        timestamps: bool,
        way in "known|icmp|probe",
    ) {
        let setup = format!("sender cc={cc} handshake={handshake} timestamps={timestamps} \
            ecn=rfc3168 pmtu_discovery={way}\n");
        let body: String = lines.iter().map(|l| format!("+0 > any\n{l}\n")).collect();
        read(&format!("{setup}{body}+0 > any")).unwrap().run();
    }
}
