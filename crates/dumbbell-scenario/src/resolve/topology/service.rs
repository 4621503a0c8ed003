//! The service of a link's transmitter, and the nominal rate that follows.
use crate::language::lookup::Family;
use crate::language::problem::Diagnostic;
use crate::resolve::context::At;
use dumbbell_algos::service::AnyService;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::rng::Stream;
use dumbbell_core::service::{Service, Site};
use dumbbell_core::units::{Capacity, Rate, Span, Time};
use dumbbell_plan::{Shared, Spec};
use serde_json::{Value, json};

/// A transmitter.
#[derive(Clone, Debug, PartialEq)]
pub struct Transmitter {
    /// `None`: at the constant `rate`.
    pub service: Option<Shared<Spec>>,
    /// Its nominal rate.
    pub rate: Rate,
    /// The rate at which it sends, which may be more than the nominal one: the default rate of the
    /// link's other direction.
    pub base: Rate,
}

impl Transmitter {
    /// One that sends at the constant `rate`.
    fn constant(rate: Rate) -> Self {
        Transmitter { service: None, rate, base: rate }
    }
}

/// The transmitter of the link at `link`, whose `rate` is written or follows from elsewhere, in a
/// run of `duration`.
pub fn transmitter(link: &At<'_>, rate: Option<Rate>, duration: Span) -> Transmitter {
    let at = link.below("service");
    let found = match at.node() {
        None => rate.map(Transmitter::constant),
        Some(node) => match at.algorithm(Family::Service, node, None) {
            Some(spec) => of(spec, link, rate, duration),
            // It was said why.
            None => return Transmitter::constant(rate.unwrap_or(Rate::from_mbps(1))),
        },
    };
    found.unwrap_or_else(|| {
        let d = Diagnostic::new("`rate` is missing").at(link.place());
        let fix = "write rate = \"100 Mbps\", or a service with a rate of its own";
        link.below("rate").error(d.fix(fix));
        Transmitter::constant(Rate::from_mbps(1))
    })
}

/// With its nominal rate; `None`: it goes by the link's, and there is none. One that may have a
/// rate of its own and has none gets the link's: what stands in the plan afterward is the nominal
/// one.
fn of(mut spec: Spec, link: &At<'_>, rate: Option<Rate>, duration: Span) -> Option<Transmitter> {
    let constant = spec.kind == "constant";
    let follows = constant || spec.config.get("rate").is_some_and(Value::is_null);
    if follows && !constant {
        spec.config["rate"] = json!(rate?);
    }
    let info = LinkInfo {
        rate: rate.unwrap_or_default(),
        capacity: Capacity::Unlimited,
        mtu: 1500,
        delay: Span::ZERO,
    };
    let site = Site { link: info, chance: Stream::named(0, "nominal") };
    let service = AnyService::build(&spec.kind, &spec.config, &site).ok()?;
    let nominal = service.rate();
    if nominal == Rate::default() {
        return None;
    }
    if !follows && rate.is_some_and(|rate| rate != nominal) {
        let table = link.path.join(".");
        link.cx.note(format!(
            "`{table}.rate` does not apply: {} has its own, {nominal} in the mean",
            spec.kind
        ));
    }
    lasts(&service, &spec, link, duration);
    if constant {
        return Some(Transmitter::constant(nominal));
    }
    let own = spec.config.get("rate").and_then(|own| serde_json::from_value(own.clone()).ok());
    Some(Transmitter { service: Some(spec.into()), rate: nominal, base: own.unwrap_or(nominal) })
}

/// Refuses an outage that is longer than the run. One that chance draws is judged by its mean;
/// steps may do as they like, as they always could.
fn lasts(service: &AnyService, spec: &Spec, link: &At<'_>, duration: Span) {
    if duration == Span::ZERO || spec.kind == "steps" {
        return;
    }
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
            let key = match spec.kind.as_str() {
                "handoff" => "handoffs",
                "square" => "period",
                _ => "at",
            };
            (key, longest)
        }
    };
    if longest >= duration {
        let cause = format!("the wire is down for {longest}, and the run lasts {duration}");
        let fix = "make the outage shorter than the run, or the run longer";
        link.below("service").below(key).refuse(cause, fix);
    }
}
