//! `stop = "ci95 < 2%"`: as many replications as it takes until a mean is known well enough.
//!
//! The rule is evaluated after each run in the order of the seeds, from the least number of runs
//! on: the point has as many runs as it takes until half the width of Student's 95 % interval, over
//! the mean, is below the bound. So the number does not depend on how many run side by side.
use crate::language::node::{Node, path};
use crate::language::problem::{Check, Diagnostic};
use dumbbell_core::aqm::Reason;
use dumbbell_net::metrics;
use dumbbell_plan::Plan;
use serde_json::Value;

/// The fewest runs after which an interval is examined.
pub const LEAST: u64 = 3;
/// The most runs of a point, unless the rule says otherwise.
pub const MOST: u64 = 100;

/// The rule by which a point has enough runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// As written.
    pub text: String,
    metric: Metric,
    /// The bound of half the interval, as a fraction of the mean.
    pub target: f64,
    /// The most runs.
    pub most: usize,
}

/// The number whose interval is examined.
#[derive(Clone, Debug, PartialEq)]
enum Metric {
    /// The goodput of all flows together.
    Goodput,
    /// A number of a flow, a queue or a session: `flows`, `queues` or `sessions`, the name, the
    /// keys.
    Of { list: &'static str, name: String, keys: Vec<String> },
}

/// A sweep's `stop` is the scenario's, unless that has one: it may have been set from outside.
pub fn lift(root: &mut Node) {
    let Some(sweep) = root.get("sweep") else { return };
    let place = sweep.place;
    let own = root.entry_mut("sweep", place).and_then(|sweep| sweep.remove("stop"));
    if let Some(stop) = own.filter(|_| root.get("stop").is_none())
        && let Some(entry) = root.entry_mut("stop", place)
    {
        *entry = stop;
    }
}

impl Rule {
    /// The rule of a scenario, if it has one. The names in it are judged by [`Rule::fits`].
    pub fn read(root: &Node, check: &mut Check) -> Option<Rule> {
        let node = root.get("stop")?;
        let (text, most) = match (node.as_str(), node.get("rule").map(Node::as_str)) {
            (Some(text), _) => (text, None),
            (None, Some(Some(text))) => (text, node.get("most")),
            _ => {
                let d = Diagnostic::new("`stop` is a rule, or a table with `rule` and `most`")
                    .at(node.place);
                check.error(d.fix("write stop = \"ci95 < 2%\"").key(&path(&["stop"])));
                return None;
            }
        };
        if let Some(e) = node.entries().iter().find(|e| !["rule", "most"].contains(&e.key.as_str()))
        {
            let d = Diagnostic::new(format!("there is no key `{}` here", e.key)).at(e.place);
            check.error(d.fix("known are rule, most").key(&path(&["stop", &e.key])));
            return None;
        }
        let most = match most.map(|node| (node, node.to_json().as_u64())) {
            None => MOST,
            Some((_, Some(n))) if (LEAST..=100_000).contains(&n) => n,
            Some((node, _)) => {
                let d =
                    Diagnostic::new(format!("`most` is a number of runs from {LEAST} to 100000"))
                        .at(node.place);
                check.error(d.fix("write most = 100").key(&path(&["stop", "most"])));
                return None;
            }
        };
        let rule = parse(text, most as usize);
        if rule.is_none() {
            let d = Diagnostic::new(format!("`{text}` is not a rule"))
                .at(node.place)
                .key(&path(&["stop"]));
            check.error(d.fix(
                "write \"ci95 < 2%\", or of one number \"ci95(flows.s1.goodput_bps) \
                < 2%\"",
            ));
        }
        rule
    }

    /// True if a run of `plan` has the number that the rule is about.
    pub fn fits(&self, plan: &Plan, root: &Node, check: &mut Check) {
        let Metric::Of { list, name, keys } = &self.metric else { return };
        let names: Vec<&str> = match *list {
            "flows" => {
                let own = plan.flows.iter().filter(|f| f.session.is_none());
                own.map(|f| f.name.as_str()).collect()
            }
            "sessions" => plan.sessions.iter().map(|s| s.name.as_str()).collect(),
            _ => plan.links.iter().filter(|l| l.report).map(|l| l.name.as_str()).collect(),
        };
        let rows = metrics::rows();
        let numbers = |always: bool| -> Vec<&str> {
            rows.iter().filter(|row| row.key == *list).flat_map(|row| row.numbers(always)).collect()
        };
        let known = numbers(true);
        let mut refuse = |cause: String, fix: String| {
            let at = root.nearest_place(&path(&["stop", "rule"]));
            check.error(Diagnostic::new(cause).at(at).fix(fix).key(&path(&["stop"])));
        };
        if !names.contains(&name.as_str()) {
            refuse(format!("{list} have no `{name}`"), format!("there are {}", names.join(", ")));
        } else if let [key] = &keys[..]
            && !known.contains(&key.as_str())
            && !numbers(false).contains(&key.as_str())
        {
            refuse(
                format!("there is no number `{key}` of {list}"),
                format!("known are {}", known.join(", ")),
            );
        }
    }

    /// The number of a run that the rule is about.
    pub fn value(&self, run: &Value) -> Option<f64> {
        self.metric.of(run)
    }
}

impl Metric {
    fn of(&self, run: &Value) -> Option<f64> {
        match self {
            Metric::Goodput => run["totals"]["goodput_bps"].as_f64(),
            Metric::Of { list, name, keys } => {
                let row = run[*list].as_array()?.iter().find(|row| row["name"] == **name)?;
                keys.iter().fold(row, |v, key| &v[key.as_str()]).as_f64()
            }
        }
    }
}

/// The rule of a text such as `ci95 < 2%` or `ci95(flows.s1.goodput_bps) < 2%`.
pub fn parse(text: &str, most: usize) -> Option<Rule> {
    let rest = text.trim().strip_prefix("ci95")?.trim_start();
    let (metric, rest) = match rest.strip_prefix('(') {
        Some(rest) => {
            let (inside, rest) = rest.split_once(')')?;
            (metric(inside.trim())?, rest.trim_start())
        }
        None => (Metric::Goodput, rest),
    };
    let percent: f64 = rest.strip_prefix('<')?.trim().strip_suffix('%')?.trim().parse().ok()?;
    let sound = percent > 0.0 && percent <= 100.0;
    sound.then(|| Rule { text: text.trim().into(), metric, target: percent / 100.0, most })
}

/// `flows.NAME.KEY`, `sessions.NAME.KEY`, `queues.NAME.KEY` or `queues.NAME.drops.REASON`; a name
/// may have dots in it.
fn metric(text: &str) -> Option<Metric> {
    let (list, rest) = text.split_once('.')?;
    let list = ["flows", "queues", "sessions"].into_iter().find(|l| *l == list)?;
    let (rest, key) = rest.rsplit_once('.')?;
    let reason = Reason::ALL.iter().any(|r| r.name() == key);
    let (name, keys) = match rest.strip_suffix(".drops").filter(|_| reason && list == "queues") {
        Some(name) => (name, vec!["drops".to_string(), key.to_string()]),
        None => (rest, vec![key.to_string()]),
    };
    (!name.is_empty()).then(|| Metric::Of { list, name: name.into(), keys })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<Rule> {
        parse(text, MOST as usize)
    }

    #[test]
    fn rules_are_read() {
        assert_eq!(rule("ci95 < 2%").unwrap().metric, Metric::Goodput);
        assert_eq!(rule(" ci95<0.5 % ").unwrap().target, 0.005);
        let of = |list, name: &str, keys: &[&str]| Metric::Of {
            list,
            name: name.into(),
            keys: keys.iter().map(|k| k.to_string()).collect(),
        };
        assert_eq!(
            rule("ci95(flows.b.1.goodput_bps) < 2%").unwrap().metric,
            of("flows", "b.1", &["goodput_bps"])
        );
        assert_eq!(
            rule("ci95(queues.bottleneck.drops.early) < 2%").unwrap().metric,
            of("queues", "bottleneck", &["drops", "early"])
        );
        for wrong in [
            "",
            "ci95",
            "ci95 < 2",
            "ci95 > 2%",
            "ci95 < 0%",
            "ci99 < 2%",
            "ci95(goodput) < 2%",
            "ci95(flows.a.x \
                < 2%",
        ] {
            assert_eq!(rule(wrong), None, "{wrong}");
        }
    }
}
