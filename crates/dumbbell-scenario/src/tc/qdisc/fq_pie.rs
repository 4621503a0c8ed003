//! Converts `tc ... fq_pie` options to and from Dumbbell's `fq_pie`. Manual: tc-fq_pie(8).
use super::fq_codel::{FlowQueueArgs, flow_queue_options};
use super::leaf::{packets, reject_child};
use super::pie;
use crate::tc::Kind;
use crate::tc::args::Args;
use crate::tc::discipline::{ExportContext, ExportLog, ImportContext, Part, table};
use dumbbell_algos::aqm::pie::PieConfig;
use dumbbell_algos::qdisc::fq_pie::FqPieConfig;
use serde_json::json;

/// Flow queueing with PIE.
pub const FQ_PIE: Kind = Kind { name: "fq_pie", import, exports: &["fq_pie"], export };

/// tc-fq_pie(8): per cent.
const ECN_PROB: u32 = 10;
const OWN: &[&str] = &["flows", "quantum", "memory_limit", "ecn_prob"];

fn import(args: &mut Args<'_, '_>, context: &ImportContext) -> Part {
    let mut part = Part::default();
    reject_child(args, context);
    let (mut flow_queue_args, mut parsed, mut ecn_prob) =
        (FlowQueueArgs::default(), pie::Parsed::default(), None);
    while let Some(arg) = args.next() {
        match arg.text {
            "ecn_prob" => ecn_prob = args.whole(arg, "10"),
            "dq_rate_estimator" => {
                let cause = "the queues of fq_pie here measure delay by time stamps";
                args.error(arg, cause, "take `dq_rate_estimator` out");
            }
            _ if flow_queue_args.take(arg, args) || parsed.take(arg, args) => {}
            _ => args.unknown(arg, &[OWN, pie::KNOWN].concat(), &[]),
        }
    }
    let mut queue = table([("kind", json!("fq_pie"))]);
    queue.extend(flow_queue_args.to_table(args, &mut part));
    queue.extend(parsed.to_table(&mut part));
    queue.remove("delay");
    let percent = ecn_prob.unwrap_or(ECN_PROB);
    part.explain(format!(
        "ecn_prob {percent}: from {percent} % on ECN-capable packets too are dropped \
        (mark_ecnth)"
    ));
    queue.insert("mark_ecnth".into(), json!(f64::from(percent) / 100.0));
    part.explain(
        "Linux drops the arriving packet when the buffer is full; here it takes from the longest \
            queue (drop_batch)",
    );
    part.queue = Some(queue);
    part
}

fn export(site: &ExportContext<'_>, log: &mut ExportLog) -> Option<String> {
    let c: FqPieConfig = serde_json::from_value(site.aqm.config.clone()).ok()?;
    let FqPieConfig { target, tupdate, alpha, beta, ecn, mark_ecnth, bytemode, .. } = c;
    let own = PieConfig::default();
    let pie = PieConfig { target, tupdate, alpha, beta, ecn, bytemode, ..own.clone() };
    let (limit, flow_queues) =
        (packets(site, log), flow_queue_options(c.flows, c.quantum, c.memory_limit, log)?);
    let mut line = format!("fq_pie limit {limit}{flow_queues}{}", pie::options(&pie, log)?);
    if ecn && mark_ecnth != own.mark_ecnth {
        let percent = (mark_ecnth * 100.0).round();
        if percent / 100.0 != mark_ecnth {
            log.explain(format!(
                "ecn_prob {percent}: tc has whole per cent, instead of {}",
                mark_ecnth * 100.0
            ));
        }
        line.push_str(&format!(" ecn_prob {percent}"));
    }
    log.explain(
        "Linux drops the arriving packet when the buffer is full; here it takes from the longest \
            queue (drop_batch)",
    );
    Some(line)
}
