//! Flows of SCReAM.
use super::{UDP_HEADER, configured, without_others, written};
use crate::language::scenario::Flow;
use crate::resolve::context::At;
use dumbbell_algos::source::AnySource;
use dumbbell_core::source::Source;
use dumbbell_core::units::Bytes;
use dumbbell_plan::{Ip, Spec, Transport};
use dumbbell_scream::ScreamConfig;

/// Refuses a source whose rate nobody can set.
pub fn needs_coder(spec: &Spec, source: &AnySource, at: &At<'_>) {
    if source.coder().is_none() {
        let cause = format!("SCReAM sets the rate of a coder, and {} has none", spec.kind);
        at.below("source").refuse(cause, "write source = \"camera\", or take `source` out");
    }
}

/// The transport of a flow of live media.
pub fn transport(flow: &Flow, ip: Ip, at: &At<'_>) -> Option<Transport> {
    let before = at.cx.errors();
    without_others(flow, "SCReAM", at);
    for (key, given) in [("words", !flow.words.is_empty()), ("radio", flow.radio.is_some())] {
        if given {
            let cause = format!("`{key}` is for the ends of a connection, and this flow is SCReAM");
            at.below(key).refuse(cause, "take it out");
        }
    }
    if flow.df.is_some() {
        at.below("df").refuse("packets of SCReAM fit their path", "take it out");
    }
    if flow.ecn.is_some() {
        let cause = "`ecn` here is the field of datagrams, and this flow is SCReAM";
        at.below("ecn").refuse(cause, "write scream = { ecn = \"ect0\" }");
    }
    let below = at.below("scream");
    let written = written(&below, "scream");
    let example = "scream = { qdelay_target_lo = \"100 ms\" }";
    let mut scream = configured::<ScreamConfig>("SCReAM", example, &written, &below)?;
    if written.get("header").is_none() {
        scream.header = Bytes(u64::from(ip.header() + UDP_HEADER));
    }
    (at.cx.errors() == before).then(|| Transport::Scream { scream: scream.into() })
}
