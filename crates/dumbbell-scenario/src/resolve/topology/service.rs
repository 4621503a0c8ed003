//! The service of a link's transmitter, and the nominal rate that follows.
use crate::language::lookup::{Family, resolve};
use crate::language::node::{Node, below};
use crate::language::problem::{Check, Diagnostic};
use dumbbell_algos::service::AnyService;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Site};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_plan::{Shared, Spec};
use serde_json::json;

/// A transmitter.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmitter {
    /// `None`: at the constant `rate`.
    pub service: Option<Shared<Spec>>,
    /// Its nominal rate.
    pub rate: Rate,
}

/// The transmitter of the link at `table`, whose `rate` is written or follows from elsewhere.
pub fn transmitter(
    root: &Node,
    table: &[String],
    rate: Option<Rate>,
    check: &mut Check,
) -> Transmitter {
    let at = below(table, "service");
    let found = match root.at(&at) {
        None => rate.map(|rate| Transmitter { service: None, rate }),
        Some(node) => match resolve(Family::Service, node, &at, None, check) {
            Some(spec) => of(spec, table, rate, root, check),
            // It was said why.
            None => return Transmitter { service: None, rate: rate.unwrap_or(Rate::from_mbps(1)) },
        },
    };
    found.unwrap_or_else(|| {
        let d = Diagnostic::new("`rate` is missing").at(root.nearest_place(table));
        check.error(
            d.fix("write rate = \"100 Mbps\", or a service with a rate of its own")
                .key(&below(table, "rate")),
        );
        Transmitter { service: None, rate: Rate::from_mbps(1) }
    })
}

/// Returns the default rate of a link's other direction: the rate at which its transmitter sends,
/// which may be more than the nominal one.
pub fn base_rate(service: Option<&Spec>, nominal: Rate) -> Rate {
    let own =
        service.and_then(|spec| serde_json::from_value(spec.config.get("rate")?.clone()).ok());
    own.unwrap_or(nominal)
}

/// With its nominal rate; `None`: it goes by the link's, and there is none. One that may have a
/// rate of its own and has none gets the link's: what stands in the plan afterwards is the nominal
/// one.
fn of(
    mut spec: Spec,
    table: &[String],
    rate: Option<Rate>,
    root: &Node,
    check: &mut Check,
) -> Option<Transmitter> {
    let follows =
        spec.kind == "constant" || spec.config.get("rate").is_some_and(serde_json::Value::is_null);
    if follows && spec.kind != "constant" {
        spec.config["rate"] = json!(rate?);
    }
    let link = LinkInfo {
        rate: rate.unwrap_or_default(),
        capacity: Capacity::Unlimited,
        mtu: 1500,
        delay: Span::ZERO,
    };
    let site = Site { link, chance: Stream::named(0, "nominal") };
    let service = AnyService::build(&spec.kind, &spec.config, &site).ok()?;
    let nominal = service.rate();
    if nominal == Rate::default() {
        return None;
    }
    if !follows && rate.is_some_and(|rate| rate != nominal) {
        let table = table.join(".");
        check.note(format!(
            "`{table}.rate` does not apply: {} has its own, {nominal} in the mean",
            spec.kind
        ));
    }
    lasts(&service, &spec, table, root, check);
    Some(Transmitter { service: (spec.kind != "constant").then(|| spec.into()), rate: nominal })
}

/// Refuses an outage that is longer than the run. One that chance draws is judged by its mean;
/// steps may do as they like, as they always could.
fn lasts(service: &AnyService, spec: &Spec, table: &[String], root: &Node, check: &mut Check) {
    let duration = root.get("duration").and_then(|node| node.as_str()?.parse::<Span>().ok());
    let Some(duration) = duration.filter(|d| *d > Span::ZERO && spec.kind != "steps") else {
        return;
    };
    let span = |key: &str| spec.config.get(key).and_then(|v| v.as_str()?.parse::<Span>().ok());
    let (key, longest) = match span("mean_down").filter(|mean| *mean > Span::ZERO) {
        Some(mean) => ("mean_down", mean),
        None => {
            // A periodic outage repeats within two periods.
            let period = span("period").filter(|p| *p > Span::ZERO).unwrap_or(duration);
            let outages = service
                .outages(Time::ZERO + duration.min(Span::from_ps(period.ps().saturating_mul(2))));
            let longest =
                outages.iter().map(|(from, to)| to.since(*from)).max().unwrap_or_default();
            (
                if spec.kind == "handoff" {
                    "handoffs"
                } else if spec.kind == "square" {
                    "period"
                } else {
                    "at"
                },
                longest,
            )
        }
    };
    if longest < duration {
        return;
    }
    let at = below(&below(table, "service"), key);
    let cause = format!("the wire is down for {longest}, and the run lasts {duration}");
    let d = Diagnostic::new(cause).at(root.nearest_place(&at));
    check.error(d.fix("make the outage shorter than the run, or the run longer").key(&at));
}
