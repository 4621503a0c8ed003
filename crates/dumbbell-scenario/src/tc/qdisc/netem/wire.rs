//! A link's delay and impairments as netem options.
use super::LIMIT;
use super::delay::SHAPE;
use crate::tc::discipline::ExportLog;
use crate::tc::units::{show_percent, show_time};
use dumbbell_algos::impairment::bernoulli::BernoulliConfig;
use dumbbell_algos::impairment::corrupt::CorruptConfig;
use dumbbell_algos::impairment::duplicate::DuplicateConfig;
use dumbbell_algos::impairment::gilbert_elliott::GilbertElliottConfig;
use dumbbell_algos::impairment::jitter::{Distribution, JitterConfig};
use dumbbell_algos::impairment::parts::error_unit::Per;
use dumbbell_algos::impairment::reorder::{Chosen, ReorderConfig};
use dumbbell_core::units::Span;
use dumbbell_plan::{Link, Spec};
use serde::de::DeserializeOwned;

/// The options for each part of a line.
#[derive(Default)]
struct WireArgs {
    delay: Option<String>,
    loss: Option<String>,
    duplicate: Option<String>,
    corrupt: Option<String>,
    /// The longest delay that is added to the link's.
    longest: Span,
}

/// Why netem cannot say an impairment, and what it could.
type Reason = (String, &'static str);

/// The options for delay and impairments of a link; `None` if there are none, or after an error.
pub fn wire(link: &Link, log: &mut ExportLog) -> Option<String> {
    let mut all = WireArgs::default();
    for spec in &link.impairments {
        if let Err((cause, fix)) = all.takes(spec, link, log) {
            log.refuse(
                format!(
                    "netem cannot say the impairment `{}` of {}: {cause}",
                    spec.kind, link.name
                ),
                fix,
            );
        }
    }
    let plain = (link.delay > Span::ZERO).then(|| format!(" delay {}", show_time(link.delay)));
    let options = [all.delay.or(plain), all.loss, all.duplicate, all.corrupt];
    let options: String = options.into_iter().flatten().collect();
    if options.is_empty() {
        return None;
    }
    let longest = link.delay + all.longest;
    // Twice the packets of 64 bytes that the longest delay holds.
    let limit = (link.rate.bytes_in(longest) / 64 * 2).clamp(u64::from(LIMIT), u64::from(u32::MAX));
    log.explain(format!(
        "netem limit {limit}: twice what can be under way in {longest}, so that nothing is dropped \
            there"
    ));
    log.explain("in tc the delay and the losses come before the queue, on a link here after it");
    Some(format!("netem limit {limit}{options}"))
}

fn config<C: DeserializeOwned>(spec: &Spec) -> Result<C, Reason> {
    serde_json::from_value(spec.config.clone()).map_err(|e| (e.to_string(), "make the plan again"))
}

/// Puts words in an empty place.
fn put(place: &mut Option<String>, options: String) -> Result<(), Reason> {
    match place {
        None => *place = Some(options),
        Some(_) => return Err(("it has said one of this kind already".into(), "keep one of them")),
    }
    Ok(())
}

const PER_PACKET: &str = "write it per packet";
const KNOWN: &str = "it knows one jitter or reorder, one of bernoulli and gilbert_elliott, \
    duplicate and corrupt";

impl WireArgs {
    fn takes(&mut self, spec: &Spec, link: &Link, log: &mut ExportLog) -> Result<(), Reason> {
        match spec.kind.as_str() {
            "jitter" => self.jitter(&config(spec)?, link, log),
            "reorder" => self.reorder(&config(spec)?, link),
            "bernoulli" => {
                let c: BernoulliConfig = config(spec)?;
                per_packet(c.per)?;
                put(&mut self.loss, format!(" loss {}", show_percent(c.loss)))
            }
            "gilbert_elliott" => {
                let c: GilbertElliottConfig = config(spec)?;
                if c.every + c.mean_good > Span::ZERO {
                    return Err((
                        "its channel changes with each packet, not with time".into(),
                        "leave \
                        out the times",
                    ));
                }
                let all = [c.to_bad, c.to_good, c.loss_bad, c.loss_good].map(show_percent);
                put(&mut self.loss, format!(" loss gemodel {}", all.join(" ")))
            }
            "duplicate" => {
                let c: DuplicateConfig = config(spec)?;
                put(&mut self.duplicate, format!(" duplicate {}", show_percent(c.share)))
            }
            "corrupt" => {
                let c: CorruptConfig = config(spec)?;
                per_packet(c.per)?;
                put(&mut self.corrupt, format!(" corrupt {}", show_percent(c.rate)))
            }
            _ => Err(("it has no word for it".into(), KNOWN)),
        }
    }

    fn jitter(&mut self, c: &JitterConfig, link: &Link, log: &mut ExportLog) -> Result<(), Reason> {
        if c.keep_order {
            return Err(("its packets may overtake each other".into(), "write keep_order = false"));
        }
        let (middle, jitter, name, longest) = match c.distribution {
            Distribution::Uniform => {
                let half = Span::from_ps(c.max.ps() / 2);
                (link.delay + half, half, "", c.max)
            }
            Distribution::Normal if c.mean < c.deviation * 4 && link.delay > Span::ZERO => {
                let cause = "its delay is cut at zero, that of a link at the link's own";
                return Err((cause.into(), "raise the mean to four deviations"));
            }
            Distribution::Normal => {
                (link.delay + c.mean, c.deviation, " distribution normal", c.mean + c.deviation * 4)
            }
            Distribution::Pareto if c.shape == SHAPE => {
                let half = Span::from_ps(c.mean.ps() / 2);
                (link.delay + c.mean, half, " distribution pareto", c.mean * 3)
            }
            Distribution::Pareto => {
                return Err((
                    format!("its tail exponent is {SHAPE}, not {}", c.shape),
                    "write shape \
                    = 3.0",
                ));
            }
            Distribution::Exponential => {
                return Err((
                    "it has no exponential distribution".into(),
                    "write a uniform, normal \
                    or pareto one",
                ));
            }
        };
        if middle == Span::ZERO {
            return Ok(());
        }
        let mut options = format!(" delay {}", show_time(middle));
        if jitter > Span::ZERO {
            options.push_str(&format!(" {}{name}", show_time(jitter)));
            let law = if name.is_empty() {
                format!("up to {}", c.max)
            } else {
                format!(
                    "of {} in \
                the mean",
                    c.mean
                )
            };
            log.explain(format!(
                "delay {} and jitter {law}: netem writes the middle and what may be added or taken",
                link.delay
            ));
        }
        self.longest = self.longest + longest;
        put(&mut self.delay, options)
    }

    fn reorder(&mut self, c: &ReorderConfig, link: &Link) -> Result<(), Reason> {
        if c.chosen == Chosen::Late {
            return Err(("it sends packets ahead, never late".into(), "write chosen = \"ahead\""));
        }
        if link.delay > Span::ZERO {
            let cause = "what goes ahead has no delay at all there, and this link has one of its \
                own";
            return Err((cause.into(), "give the delay to another link of the path"));
        }
        if c.correlation > 0.0 {
            return Err(("its correlation changes the share".into(), "write correlation = 0.0"));
        }
        self.longest = self.longest + c.delay;
        let gap = if c.gap > 1 { format!(" gap {}", c.gap) } else { String::new() };
        put(
            &mut self.delay,
            format!(" delay {} reorder {}{gap}", show_time(c.delay), show_percent(c.share)),
        )
    }
}

fn per_packet(per: Per) -> Result<(), Reason> {
    if per == Per::Packet {
        Ok(())
    } else {
        Err(("it counts packets, not bytes or bits".into(), PER_PACKET))
    }
}
