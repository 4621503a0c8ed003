//! Facts of the plan that its report repeats: names, kinds, starts. The rest is not kept, because a
//! plan is as large as what is made of it.
use dumbbell_core::units::Span;
use dumbbell_plan::{Plan, Shared, Spec};

/// The part of a plan that its report repeats.
pub struct ReportNames {
    /// Duration of the run.
    pub duration: Span,
    /// Duration of the warm-up.
    pub warmup: Span,
    names: Names,
    flows: Vec<ReportedFlow>,
    links: Vec<ReportedLink>,
}

/// A flow.
struct ReportedFlow {
    start: Span,
    cc: Option<Shared<Spec>>,
}

/// A link that is no mere wire.
pub struct ReportedLink {
    /// Its number in the plan.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// The AQM or discipline of its queue.
    pub aqm: Shared<Spec>,
    /// True if results report its queue.
    pub report: bool,
}

impl ReportNames {
    /// The names of `plan`, whose links have a port if `ports` returns true.
    pub fn of(plan: &Plan, ports: impl Fn(usize) -> bool) -> Self {
        let flow = |f: &dumbbell_plan::Flow| ReportedFlow {
            start: f.start,
            cc: f.transport.cc().cloned(),
        };
        let link = |(number, l): (usize, &dumbbell_plan::Link)| ReportedLink {
            number,
            name: l.name.clone(),
            aqm: l.aqm.clone(),
            report: l.report,
        };
        ReportNames {
            duration: plan.duration,
            warmup: plan.warmup,
            names: Names::of(plan.flows.iter().map(|f| f.name.as_str())),
            flows: plan.flows.iter().map(flow).collect(),
            links: plan.links.iter().enumerate().filter(|(i, _)| ports(*i)).map(link).collect(),
        }
    }
    /// The name of flow `i`.
    pub fn name(&self, i: usize) -> &str {
        self.names.get(i)
    }
    /// The congestion control of flow `i`; `None` for datagrams.
    pub fn cc(&self, i: usize) -> Option<&str> {
        self.flows[i].cc.as_ref().map(|cc| cc.kind.as_str())
    }
    /// The start of flow `i`.
    pub fn start(&self, i: usize) -> Span {
        self.flows[i].start
    }
    /// The links that have a port, in the plan's order.
    pub fn links(&self) -> &[ReportedLink] {
        &self.links
    }
}

/// Many short names in one text: a string for each would take four times as much.
struct Names {
    text: Box<str>,
    /// The end of each name.
    ends: Box<[usize]>,
}

impl Names {
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        let note = |name| {
            text.push_str(name);
            text.len()
        };
        let ends = names.map(note).collect();
        Names { text: text.into_boxed_str(), ends }
    }
    fn get(&self, i: usize) -> &str {
        let from = i.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[i]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_were_given() {
        let given = ["a", "", "für 2", "flow1.100000"];
        let names = Names::of(given.into_iter());
        assert_eq!([0, 1, 2, 3].map(|i| names.get(i)), given);
    }
}
