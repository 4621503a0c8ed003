//! tc-fq_pie(8): our `fq_pie`.
use super::fq_codel::{FlowQueueArgs, lot};
use super::leaf::{alone, packets};
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

fn import(words: &mut Args<'_, '_>, above: &ImportContext) -> Part {
    let mut part = Part::default();
    alone(words, above);
    let (mut lot, mut parsed, mut ecn_prob) =
        (FlowQueueArgs::default(), pie::Parsed::default(), None);
    while let Some(word) = words.next() {
        match word.text {
            "ecn_prob" => ecn_prob = words.whole(word, "10"),
            "dq_rate_estimator" => {
                let cause = "the queues of fq_pie here measure delay by time stamps";
                words.error(word, cause, "take `dq_rate_estimator` out");
            }
            _ if lot.take(word, words) || parsed.take(word, words) => {}
            _ => words.unknown(word, &[OWN, pie::KNOWN].concat(), &[]),
        }
    }
    let mut queue = table([("kind", json!("fq_pie"))]);
    queue.extend(lot.mean(words, &mut part));
    queue.extend(parsed.mean(&mut part));
    queue.remove("delay");
    let percent = ecn_prob.unwrap_or(ECN_PROB);
    part.say(format!(
        "ecn_prob {percent}: from {percent} % on ECN-capable packets too are dropped \
        (mark_ecnth)"
    ));
    queue.insert("mark_ecnth".into(), json!(f64::from(percent) / 100.0));
    part.say(
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
    let (limit, lot) = (packets(site, log), lot(c.flows, c.quantum, c.memory_limit, log)?);
    let mut words = format!("fq_pie limit {limit}{lot}{}", pie::options(&pie, log)?);
    if ecn && mark_ecnth != own.mark_ecnth {
        let percent = (mark_ecnth * 100.0).round();
        if percent / 100.0 != mark_ecnth {
            log.say(format!(
                "ecn_prob {percent}: tc has whole per cent, instead of {}",
                mark_ecnth * 100.0
            ));
        }
        words.push_str(&format!(" ecn_prob {percent}"));
    }
    log.say(
        "Linux drops the arriving packet when the buffer is full; here it takes from the longest \
            queue (drop_batch)",
    );
    Some(words)
}
