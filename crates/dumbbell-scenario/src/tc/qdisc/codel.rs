//! Converts `tc ... codel` options to and from Dumbbell's `codel`. fq_codel uses the shared part.
//! Manual: tc-codel(8).
use super::leaf::{fixed, limit, micros, packets, reject_child};
use crate::tc::Kind;
use crate::tc::args::{Arg, Args};
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, Table, table};
use dumbbell_algos::aqm::codel::CodelConfig;
use dumbbell_algos::aqm::codel::law::InverseRoot;
use dumbbell_core::units::Span;
use serde_json::json;

/// Controlled Delay.
pub const CODEL: Kind = Kind { name: "codel", import, exports: &["codel"], export };

const KNOWN: &[&str] = &["limit", "target", "interval", "ecn", "noecn", "ce_threshold"];
/// Default `limit` in packets (tc-codel(8)).
const LIMIT: u32 = 1000;

/// The options that codel and fq_codel share. `None`: the option is not given.
#[derive(Default)]
pub struct Parsed {
    target: Option<Span>,
    interval: Option<Span>,
    ecn: Option<bool>,
    ce_threshold: Option<Span>,
}

impl Parsed {
    /// If `arg` is one of these options, reads its value from `args` and returns true. Otherwise
    /// reads nothing and returns false.
    pub fn take<'t>(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) -> bool {
        match arg.text {
            "target" => self.target = args.micros(arg, "5ms"),
            "interval" => self.interval = args.micros(arg, "100ms"),
            "ecn" => self.ecn = Some(true),
            "noecn" => self.ecn = Some(false),
            "ce_threshold" => self.ce_threshold = args.micros(arg, "1ms"),
            _ => return false,
        }
        true
    }

    /// The scenario keys for these options, with an explanation in `part`. `ecn`: the default if
    /// neither `ecn` nor `noecn` is given.
    pub fn to_table(&self, ecn: bool, args: &mut Args<'_, '_>, part: &mut Part) -> Table {
        let default = CodelConfig::default();
        let (target, interval) =
            (self.target.unwrap_or(default.target), self.interval.unwrap_or(default.interval));
        let own = |parsed: Option<Span>| if parsed.is_none() { " (not written)" } else { "" };
        part.explain(format!(
            "target {target}{} and interval {interval}{}: RFC 8289's TARGET and INTERVAL; Linux \
                counts both in units of 1024 ns",
            own(self.target),
            own(self.interval)
        ));
        let on = self.ecn.unwrap_or(ecn);
        part.explain(match (on, self.ecn) {
            (true, Some(_)) => "ecn: ECN-capable packets are marked",
            (true, None) => "neither ecn nor noecn is written: ECN-capable packets are marked",
            (false, Some(_)) => "noecn: ECN-capable packets are dropped as others are",
            (false, None) => {
                "neither ecn nor noecn is written: ECN-capable packets are dropped as \
                others are"
            }
        });
        let mut out =
            table([("target", json!(target)), ("interval", json!(interval)), ("ecn", json!(on))]);
        if let Some(threshold) = self.ce_threshold {
            if !on {
                let kind = args.kind;
                args.error(
                    kind,
                    "ce_threshold marks packets, and ecn is off: here it asks for \
                    ecn",
                    "write \
                    ecn too",
                );
            }
            part.explain(format!("ce_threshold {threshold}: what waited longer is marked"));
            out.insert("ce_threshold".into(), json!(threshold));
        }
        out
    }
}

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let (mut parsed, mut most) = (Parsed::default(), None);
    while let Some(arg) = args.next() {
        match arg.text {
            "limit" => most = args.whole(arg, "1000"),
            _ if parsed.take(arg, args) => {}
            _ => args.unknown(arg, KNOWN, &[]),
        }
    }
    let mut queue =
        table([("kind", json!("codel")), ("limit", limit(most, LIMIT, args, &mut part))]);
    queue.extend(parsed.to_table(false, args, &mut part));
    part.explain(
        "Linux takes the inverse square root of the control law by steps of Newton's (inverse_root \
            = \"newton16\")",
    );
    queue.insert("inverse_root".into(), json!(InverseRoot::Newton16));
    part.queue = Some(queue);
    part
}

/// The tc options that codel and fq_codel share. `ecn`: the default of tc, which needs no option.
/// `None` after an error in `log`.
pub fn options(c: &CodelConfig, ecn: bool, log: &mut ExportLog) -> Option<String> {
    let mut options = format!(
        " target {} interval {}",
        micros("target", c.target, log)?,
        micros("interval", c.interval, log)?
    );
    if c.ecn != ecn {
        options.push_str(if c.ecn { " ecn" } else { " noecn" });
    }
    if c.ce_threshold > Span::ZERO {
        options
            .push_str(&format!(" ce_threshold {}", micros("ce_threshold", c.ce_threshold, log)?));
    }
    Some(options)
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: CodelConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    fixed(
        &[
            (
                c.inverse_root != InverseRoot::Newton16,
                "inverse_root",
                "the inverse square root is taken by steps of Newton's, with 16 bits",
            ),
            (c.mtu != CodelConfig::default().mtu, "mtu", "it is the device's MTU"),
        ],
        log,
    );
    let limit = packets(site, log);
    Some(format!("codel limit {limit}{}", options(&c, false, log)?))
}
