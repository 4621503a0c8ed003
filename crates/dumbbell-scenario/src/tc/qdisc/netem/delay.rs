//! Netem's delays: their distribution, and the packets that are not delayed.
use super::correlation;
use crate::tc::args::{Arg, Args};
use crate::tc::discipline::{Part, table};
use crate::tc::units::{self, show_percent, show_time};
use dumbbell_core::units::Span;
use serde_json::json;

/// The tail exponent of netem's table `pareto`, whose least value is two thirds of the jitter below
/// the delay.
pub const SHAPE: f64 = 3.0;

/// Args about delays.
#[derive(Default)]
pub struct Delay<'t> {
    delay: Option<Span>,
    jitter: Option<(Arg<'t>, Span)>,
    distribution: Option<Arg<'t>>,
    /// The argument that gives it, and the share.
    reorder: Option<(Arg<'t>, f64)>,
    gap: Option<(Arg<'t>, u32)>,
}

impl<'t> Delay<'t> {
    /// `delay TIME [JITTER [CORRELATION]]`.
    pub fn times(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) {
        self.delay = args.time(arg, "100ms");
        let Some(jitter) = args.next_number() else { return };
        let span = args.read(jitter, "write delay 100ms 10ms", units::time).unwrap_or_default();
        self.jitter = Some((jitter, span));
        correlation(args);
    }

    /// `distribution NAME`.
    pub fn distribution(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) {
        match args.next() {
            Some(name) if matches!(name.text, "uniform" | "normal" | "pareto") => {
                self.distribution = Some(name)
            }
            Some(name) => {
                let cause = format!("jitter here is uniform, normal or pareto, not {}", name.text);
                args.error(name, cause, "write distribution normal");
            }
            None => args.error(arg, "`distribution` needs a name", "write distribution normal"),
        }
    }

    /// `reorder PERCENT [CORRELATION]`.
    pub fn reorder(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) {
        self.reorder = args.percent(arg, "25%").map(|share| (arg, share));
        correlation(args);
    }

    /// `gap DISTANCE`.
    pub fn gap(&mut self, arg: Arg<'t>, args: &mut Args<'t, '_>) {
        self.gap = args.count(arg, "5").map(|n| (arg, n));
        if self.gap.is_some_and(|(_, n)| n == 0) {
            args.error(arg, "a gap of 0 packets is none", "write gap 1, or leave it out");
        }
    }

    /// The meaning of all of it for a link.
    pub fn convert(self, args: &mut Args<'_, '_>, part: &mut Part) {
        let jitter = self.jitter.filter(|(_, jitter)| *jitter > Span::ZERO);
        match (self.delay, self.reorder.map(|r| r.0).or(self.gap.map(|g| g.0))) {
            (Some(delay), Some(arg)) => match jitter {
                None => self.reordered(delay, part),
                Some((jitter, _)) => {
                    let cause = "in netem a packet that goes ahead has no jitter, and here every \
                        packet has";
                    args.error(jitter, cause, format!("leave out the jitter, or `{}`", arg.text));
                }
            },
            (None, Some(arg)) => {
                let cause = format!(
                    "`{}` sends packets ahead of those that are delayed, and there is no \
                        delay",
                    arg.text
                );
                args.error(arg, cause, "write delay 10ms reorder 25%");
            }
            (Some(delay), None) => match jitter {
                Some(jitter) => self.jittered(delay, jitter, args, part),
                None => {
                    part.explain(format!(
                        "delay {}: the propagation delay of the link, one way",
                        show_time(delay)
                    ));
                    part.delay = Some(delay);
                }
            },
            (None, None) => {}
        }
    }

    fn reordered(&self, delay: Span, part: &mut Part) {
        let (share, gap) =
            (self.reorder.map_or(1.0, |(_, share)| share), self.gap.map_or(1, |(_, n)| n));
        part.explain(format!(
            "delay {} reorder {} gap {gap}: of each packet that comes {gap} or more behind the \
                last such one, so many go ahead without delay, and all others are late by it; the \
                link itself has none",
            show_time(delay),
            show_percent(share)
        ));
        part.delay = Some(Span::ZERO);
        let mut reorder = table([("kind", json!("reorder")), ("chosen", json!("ahead"))]);
        reorder.extend(table([
            ("share", json!(share)),
            ("gap", json!(gap)),
            ("delay", json!(delay)),
        ]));
        part.impairment.push(reorder);
    }

    fn jittered(
        &self,
        delay: Span,
        (arg, jitter): (Arg<'t>, Span),
        args: &mut Args<'_, '_>,
        part: &mut Part,
    ) {
        let name = self.distribution.map_or("uniform", |name| name.text);
        let (least, needs) = match name {
            // Its table ends at four deviations; what is below zero is zero in both.
            "normal" => (delay.saturating_sub(jitter * 4), Span::ZERO),
            "pareto" => (delay.saturating_sub(jitter * 2), jitter * 2),
            _ => (delay.saturating_sub(jitter), jitter),
        };
        if delay < needs {
            let twice = if name == "pareto" { "half of " } else { "" };
            let cause = format!(
                "a jitter larger than {twice}the delay would bring packets before \
                they were sent"
            );
            args.error(arg, cause, "lower it");
            return;
        }
        part.delay = Some(least);
        let (shown, spread) =
            (format!("delay {} {}", show_time(delay), show_time(jitter)), delay - least);
        let table = match name {
            "normal" => {
                part.explain(format!(
                    "{shown} normal: the link has {least}, and jitter adds {spread} in the mean \
                        with a deviation of {jitter}; netem cuts it at four deviations"
                ));
                let normal = table([("kind", json!("jitter")), ("distribution", json!("normal"))]);
                normal
                    .into_iter()
                    .chain(table([("mean", json!(spread)), ("deviation", json!(jitter))]))
                    .collect()
            }
            "pareto" => {
                part.explain(format!(
                    "{shown} pareto: the link has {least}, and jitter adds {spread} in the mean, \
                        with netem's tail exponent of {SHAPE}; netem cuts it at four jitters above \
                        the delay"
                ));
                let pareto = table([("kind", json!("jitter")), ("distribution", json!("pareto"))]);
                pareto
                    .into_iter()
                    .chain(table([("mean", json!(spread)), ("shape", json!(SHAPE))]))
                    .collect()
            }
            _ => {
                let spread = jitter * 2;
                part.explain(format!(
                    "{shown}: Linux draws it uniformly from delay - jitter to delay + jitter \
                        (older manuals say normal): the link has {least}, and jitter adds up to \
                        {spread}; packets may overtake each other in both"
                ));
                table([("kind", json!("jitter")), ("max", json!(spread))])
            }
        };
        part.impairment.push(table);
    }
}
