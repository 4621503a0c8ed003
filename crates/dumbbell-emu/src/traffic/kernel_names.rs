//! The kernel's names of congestion controls.
use crate::traffic::host_settings::Unsupported;
use dumbbell_algos::cc;
use dumbbell_plan::Spec;
use serde_json::Value;

/// A congestion control of ours that the kernel has, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Ours.
    pub ours: &'static str,
    /// The kernel's, which is its module's (`tcp_NAME`), too.
    pub kernel: &'static str,
    /// A known difference of the kernel's implementation.
    pub note: &'static str,
}

const fn same(ours: &'static str, note: &'static str) -> Name {
    Name { ours, kernel: ours, note }
}

/// Congestion controls that the kernel has.
pub const NAMES: &[Name] = &[
    Name {
        ours: "sack",
        kernel: "reno",
        note: "with `net.ipv4.tcp_sack = 1`; losses by RACK, \
        repaired by PRR",
    },
    Name { ours: "newreno", kernel: "reno", note: "with `net.ipv4.tcp_sack = 0`" },
    same("cubic", "its slow start ends by HyStart, not by HyStart++"),
    same("bbr", "version 1; paced by the socket itself"),
    same("bic", ""),
    same("dctcp", "falls back to Reno where the other end does not do ECN"),
    same("highspeed", ""),
    same("htcp", ""),
    same("hybla", ""),
    same("illinois", ""),
    same("lp", ""),
    same("scalable", "below 100 segments it grows as Reno does"),
    same("vegas", ""),
    same("veno", ""),
    Name {
        ours: "westwood_plus",
        kernel: "westwood",
        note: "the estimator of Westwood+, not of \
        the paper of 2001",
    },
    same("yeah", ""),
];

/// Alternatives for names that would mislead.
const ALTERNATIVES: &[(&str, &str, &str)] = &[
    (
        "reno",
        "the kernel's `reno` repairs more than one loss in a recovery: it is our `sack`, or \
            without SACK our `newreno`",
        "write cc = \"sack\", or \"newreno\"",
    ),
    (
        "westwood",
        "the kernel's `westwood` has the estimator of Westwood+",
        "write cc = \
        \"westwood_plus\"",
    ),
    ("bbr3", "version 3 of BBR is in no released kernel", "write cc = \"bbr\""),
    ("tahoe", "the kernel has had fast recovery since 1993", "write cc = \"newreno\""),
];

/// The kernel's name of a congestion control.
///
/// # Errors
/// The kernel has none like it; or it is to have other parameters than its own, which are the
/// module's and of all connections of the machine.
pub fn kernel_name(flow: &str, control: &Spec) -> Result<&'static Name, Unsupported> {
    let Some(name) = NAMES.iter().find(|n| n.ours == control.kind) else {
        let known = ALTERNATIVES.iter().find(|(ours, ..)| *ours == control.kind);
        let all: Vec<&str> = NAMES.iter().map(|n| n.ours).collect();
        let (cause, fix) = known.map_or_else(
            || {
                (
                    format!("the kernel has no `{}`", control.kind),
                    format!("take one of {}, or simulate", all.join(", ")),
                )
            },
            |(ours, cause, fix)| {
                (format!("the kernel has not what `{ours}` is: {cause}"), (*fix).into())
            },
        );
        return Err(Unsupported::new(flow, "cc", cause, fix));
    };
    let defaults =
        cc::CATALOGUE.iter().find(|e| e.about.name == control.kind).map(|e| (e.defaults)());
    match defaults.as_ref().and_then(|usual| differing(usual, &control.config)) {
        None => Ok(name),
        Some((key, usual)) => Err(Unsupported::new(
            flow,
            &format!("cc.{key}"),
            format!(
                "parameters of the kernel's `{}` are its module's, of all connections of the \
                machine",
                name.kernel
            ),
            format!("leave out `{key}`, which is {usual} then, or simulate"),
        )),
    }
}

/// The first parameter that is not the usual one, and what is usual.
fn differing(usual: &Value, config: &Value) -> Option<(String, Value)> {
    let usual = usual.as_object()?;
    let config = config.as_object()?;
    usual
        .iter()
        .find(|(key, v)| config.get(*key).is_some_and(|c| c != *v))
        .map(|(k, v)| (k.clone(), v.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(kind: &str, config: Value) -> Spec {
        Spec { kind: kind.into(), config, source_hash: None }
    }

    #[test]
    fn every_name_of_ours_is_one_of_the_catalogue() {
        for ours in NAMES.iter().map(|n| n.ours).chain(ALTERNATIVES.iter().map(|i| i.0)) {
            assert!(cc::CATALOGUE.iter().any(|e| e.about.name == ours), "{ours}");
        }
    }

    #[test]
    fn the_page_has_the_table() {
        let page = include_str!("../../../../docs/kernel-names.md");
        let rows = page.lines().skip_while(|l| !l.starts_with("| ours ")).skip(2);
        let told: Vec<&str> = rows.take_while(|l| l.starts_with('|')).collect();
        let row = |n: &Name| {
            format!(
                "| `{}` | `{}` | {} |",
                n.ours,
                n.kernel,
                if n.note.is_empty() { "\u{2013}" } else { n.note }
            )
        };
        assert_eq!(told, NAMES.iter().map(row).collect::<Vec<_>>());
    }

    #[test]
    fn a_word_that_means_two_things_is_translated_or_refused() {
        let kernel = |ours: &str| kernel_name("a", &spec(ours, json!({}))).map(|n| n.kernel);
        assert_eq!(kernel("newreno").unwrap(), "reno");
        assert_eq!(kernel("sack").unwrap(), "reno");
        assert_eq!(kernel("westwood_plus").unwrap(), "westwood");
        assert!(kernel("westwood").unwrap_err().fix.contains("westwood_plus"));
        assert!(kernel("reno").unwrap_err().fix.contains("sack"));
        assert!(kernel("peach").unwrap_err().cause.contains("no `peach`"));
    }

    #[test]
    fn parameters_other_than_the_usual_ones_are_refused_by_name() {
        let usual =
            cc::CATALOGUE.iter().find(|e| e.about.name == "cubic").map(|e| (e.defaults)()).unwrap();
        assert_eq!(kernel_name("a", &spec("cubic", usual.clone())).unwrap().kernel, "cubic");
        let mut other = usual;
        other["beta"] = json!(0.8);
        let refusal = kernel_name("a", &spec("cubic", other)).unwrap_err();
        assert_eq!(refusal.field, "cc.beta");
        assert!(refusal.fix.contains("0.7"), "{}", refusal.fix);
    }
}
