//! The capabilities of this machine for a testbed: tried where trying leaves nothing behind.
mod kernel;
mod machine;
mod probes;

use serde::Serialize;
use serde_json::{Value, json};

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Name of the check.
    pub check: &'static str,
    /// True if it passed.
    pub ok: bool,
    /// The finding.
    pub found: String,
    /// The feature that needs it.
    pub needed_for: &'static str,
    /// Advice; empty if it passed.
    pub fix: String,
}

impl Check {
    fn new(
        check: &'static str,
        needed_for: &'static str,
        outcome: Result<String, (String, String)>,
    ) -> Check {
        match outcome {
            Ok(found) => Check { check, ok: true, found, needed_for, fix: String::new() },
            Err((found, fix)) => Check { check, ok: false, found, needed_for, fix },
        }
    }
}

/// Looks at everything: `checks` (each a [`Check`]), `machine` (figures, units in their names), and
/// `can`, what follows: `kernel` (runs between real hosts, in this very process), `rootless` (the
/// same in a user namespace, without privileges), `tun` and `veth` (by which datapath), `programs`
/// (a shell inside a host), `realtime` (a router that others cannot keep waiting), `cubic` and
/// `bbr` (as congestion controls), `iperf3` and `tcpdump`.
pub fn doctor() -> Value {
    let machine = machine::read_machine();
    let mut checks = probes::all();
    checks.extend(machine::judge(&machine));
    checks.extend(machine::describe(&machine));
    let ok = |name: &str| checks.iter().any(|check| check.check == name && check.ok);
    let control = |name: &str| machine.congestion_controls_available.iter().any(|had| had == name);
    let datapath = ok("tun") || ok("veth");
    json!({
        "can": {
            "kernel": ok("network_namespaces") && ok("settings") && datapath,
            "rootless": ok("user_namespaces"),
            "tun": ok("tun"),
            "veth": ok("veth"),
            "programs": ok("programs"),
            "realtime": ok("realtime_priority"),
            "cubic": control("cubic"),
            "bbr": control("bbr"),
            "iperf3": ok("iperf3"),
            "tcpdump": ok("tcpdump"),
        },
        "checks": checks,
        "machine": machine,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_what_to_do_and_what_it_is_for() {
        let said = doctor();
        let checks = said["checks"].as_array().expect("a list");
        assert!(checks.len() >= 15, "{said:#}");
        for check in checks {
            let [found, needed_for, fix] =
                ["found", "needed_for", "fix"].map(|key| check[key].as_str().expect("text"));
            assert!(!found.is_empty() && !needed_for.is_empty(), "{check}");
            assert_eq!(fix.is_empty(), check["ok"] == true, "{check}");
            assert!(!fix.contains("dumbbell doctor"), "who reads it has asked the doctor: {check}");
        }
        let names: std::collections::BTreeSet<_> =
            checks.iter().map(|check| check["check"].to_string()).collect();
        assert_eq!(names.len(), checks.len(), "no name twice");
        assert!(said["can"].as_object().expect("an object").values().all(Value::is_boolean));
        assert!(said["machine"]["cores"].as_u64().expect("a number") >= 1);
    }

    #[test]
    fn who_can_make_namespaces_is_told_so() {
        if crate::host::testing::namespaces() {
            let can = &doctor()["can"];
            assert_eq!(
                (&can["kernel"], &can["tun"]),
                (&Value::Bool(true), &Value::Bool(true)),
                "{can}"
            );
        }
    }
}
