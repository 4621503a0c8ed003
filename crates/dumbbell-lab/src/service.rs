//! How a link's transmitter takes the wire, and the nominal rate that follows.
use crate::choice::{Family, resolve};
use crate::node::{Node, below};
use crate::problem::{Check, Diagnostic};
use dumbbell_algos::service::AnyService;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::service::Service;
use dumbbell_core::units::{Capacity, Rate, Span};
use dumbbell_plan::{Shared, Spec};

/// A transmitter.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmitter {
    /// `None`: at the constant `rate`.
    pub service: Option<Shared<Spec>>,
    /// Its nominal rate.
    pub rate: Rate,
}

/// The transmitter of the link at `table`, whose `rate` is written or follows from elsewhere.
pub fn transmitter(root: &Node, table: &[String], rate: Option<Rate>, check: &mut Check) -> Transmitter {
    let at = below(table, "service");
    let found = match root.at(&at) {
        None => rate.map(|rate| Transmitter { service: None, rate }),
        Some(node) => match resolve(Family::Service, node, &at, None, check) {
            Some(spec) => of(spec, table, rate, check),
            None => return Transmitter { service: None, rate: rate.unwrap_or(Rate::from_mbps(1)) }, // It was said why.
        },
    };
    found.unwrap_or_else(|| {
        let d = Diagnostic::new("`rate` is missing").at(root.nearest_place(table));
        check.error(d.fix("write rate = \"100 Mbps\", or a service with a rate of its own").key(&below(table, "rate")));
        Transmitter { service: None, rate: Rate::from_mbps(1) }
    })
}

/// With its nominal rate; `None`: it goes by the link's, and there is none.
fn of(spec: Spec, table: &[String], rate: Option<Rate>, check: &mut Check) -> Option<Transmitter> {
    let site = LinkInfo { rate: rate.unwrap_or_default(), capacity: Capacity::Unlimited, mtu: 1500, delay: Span::ZERO };
    let nominal = AnyService::build(&spec.kind, &spec.config, &site).ok()?.rate();
    if nominal == Rate::default() {
        return None;
    }
    if rate.is_some_and(|rate| rate != nominal) {
        let table = table.join(".");
        check.note(format!("`{table}.rate` does not apply: {} has its own, {nominal} in the mean", spec.kind));
    }
    Some(Transmitter { service: (spec.kind != "constant").then(|| spec.into()), rate: nominal })
}
