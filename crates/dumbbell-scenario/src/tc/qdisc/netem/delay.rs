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
    /// The word that says it, and the share.
    reorder: Option<(Arg<'t>, f64)>,
    gap: Option<(Arg<'t>, u32)>,
}

impl<'t> Delay<'t> {
    /// `delay TIME [JITTER [CORRELATION]]`.
    pub fn times(&mut self, word: Arg<'t>, words: &mut Args<'t, '_>) {
        self.delay = words.time(word, "100ms");
        let Some(jitter) = words.next_number() else { return };
        let span = words.read(jitter, "write delay 100ms 10ms", units::time).unwrap_or_default();
        self.jitter = Some((jitter, span));
        correlation(words);
    }

    /// `distribution NAME`.
    pub fn distribution(&mut self, word: Arg<'t>, words: &mut Args<'t, '_>) {
        match words.next() {
            Some(name) if matches!(name.text, "uniform" | "normal" | "pareto") => {
                self.distribution = Some(name)
            }
            Some(name) => {
                let cause = format!("jitter here is uniform, normal or pareto, not {}", name.text);
                words.error(name, cause, "write distribution normal");
            }
            None => words.error(word, "`distribution` needs a name", "write distribution normal"),
        }
    }

    /// `reorder PERCENT [CORRELATION]`.
    pub fn reorder(&mut self, word: Arg<'t>, words: &mut Args<'t, '_>) {
        self.reorder = words.percent(word, "25%").map(|share| (word, share));
        correlation(words);
    }

    /// `gap DISTANCE`.
    pub fn gap(&mut self, word: Arg<'t>, words: &mut Args<'t, '_>) {
        self.gap = words.count(word, "5").map(|n| (word, n));
        if self.gap.is_some_and(|(_, n)| n == 0) {
            words.error(word, "a gap of 0 packets is none", "write gap 1, or leave it out");
        }
    }

    /// The meaning of all of it for a link.
    pub fn means(self, words: &mut Args<'_, '_>, part: &mut Part) {
        let jitter = self.jitter.filter(|(_, jitter)| *jitter > Span::ZERO);
        match (self.delay, self.reorder.map(|r| r.0).or(self.gap.map(|g| g.0))) {
            (Some(delay), Some(word)) => match jitter {
                None => self.reordered(delay, part),
                Some((jitter, _)) => {
                    let cause = "in netem a packet that goes ahead has no jitter, and here every \
                        packet has";
                    words.error(jitter, cause, format!("leave out the jitter, or `{}`", word.text));
                }
            },
            (None, Some(word)) => {
                let cause = format!(
                    "`{}` sends packets ahead of those that are delayed, and there is no \
                        delay",
                    word.text
                );
                words.error(word, cause, "write delay 10ms reorder 25%");
            }
            (Some(delay), None) => match jitter {
                Some(jitter) => self.jittered(delay, jitter, words, part),
                None => {
                    part.say(format!(
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
        part.say(format!(
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
        (word, jitter): (Arg<'t>, Span),
        words: &mut Args<'_, '_>,
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
            words.error(word, cause, "lower it");
            return;
        }
        part.delay = Some(least);
        let (shown, spread) =
            (format!("delay {} {}", show_time(delay), show_time(jitter)), delay - least);
        let table = match name {
            "normal" => {
                part.say(format!(
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
                part.say(format!(
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
                part.say(format!(
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
