//! `adaptive` of tc-red(8): our `adaptive_red` with its thresholds and its weight written out.
use super::leaf::fixed;
use crate::tc::discipline::{ExportContext, ExportLog, Part, Table};
use dumbbell_algos::aqm::adaptive_red::{AdaptTrigger, AdaptiveRedConfig, AutoWeight};
use dumbbell_algos::aqm::red::RedConfig;
use dumbbell_core::aqm::LinkInfo;
use dumbbell_core::units::Span;
use serde_json::json;

/// Makes of the table of a `red` that of an `adaptive_red`.
pub fn import(queue: &mut Table, part: &mut Part) {
    part.explain(
        "adaptive: max_p moves every 500 ms so that the average stays half-way between min and \
            max, from 1 % to 50 % (Floyd, Gummadi, Shenker 2001, Fig. 4)",
    );
    queue.insert("kind".into(), json!("adaptive_red"));
    queue.insert("auto_w_q".into(), json!(AutoWeight::Off));
}

/// The `red` that `adaptive_red` begins with, and what Linux fixes.
pub fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<RedConfig> {
    let c: AdaptiveRedConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    let link =
        LinkInfo { rate: site.rate, capacity: site.capacity, mtu: site.mtu, delay: site.delay };
    let (min_th, max_th, w_q, bottom) = c.on(&link);
    if c.min_th.0 <= 0.0 {
        log.explain(format!(
            "min_th and max_th follow from the link: {min_th:.4} and {max_th:.4} \
            packets"
        ));
    }
    if c.auto_w_q != AutoWeight::Off {
        log.explain(format!("w_q follows from the link: {w_q:.6}"));
    }
    let own = AdaptiveRedConfig::default();
    fixed(
        &[
            (c.interval != Span::from_ms(500), "interval", "a step comes every 500 ms"),
            (
                c.adapt_trigger != AdaptTrigger::Timer,
                "adapt_trigger",
                "steps come whether packets \
                arrive or not",
            ),
            (
                (c.alpha, c.beta) != (own.alpha, own.beta),
                "alpha and beta",
                "a step is 0.01 or max_p / 4 up, a tenth down",
            ),
            (
                (c.top, bottom) != (own.top, own.bottom),
                "top and bottom",
                "max_p stays between 1 % \
                and 50 %",
            ),
        ],
        log,
    );
    let mut red = c.red().with(min_th, max_th, c.max_p);
    red.w_q = w_q;
    Some(red)
}
