//! A script's lines, one after the other, against the end that it tests.
use crate::endpoint::{Endpoint, SentSegment};
use crate::segment::SegmentPattern;
use crate::values::Value;
use crate::{Action, Assertion, Failure, Line, Operand, Relation, Script};
use dumbbell_core::units::{Span, Time};

/// Events that a failure reports.
const REMEMBERED: usize = 12;

impl Script {
    /// Runs the script. A claim that does not hold does not end it; a segment that is missing,
    /// wrong or too many does, because what follows would mean something else.
    pub fn run(&self) -> Vec<Failure> {
        let whole = self.lines.first().map_or((0, 0), |l| (l.from, l.to));
        let Some(endpoint) = Endpoint::new(self) else {
            let fault = "a congestion control that can be built".to_string();
            return vec![failure(whole, Time::ZERO, fault, format!("`{}` cannot", self.cc.0), &[])];
        };
        let mut run = Run { endpoint, failures: vec![] };
        for line in &self.lines {
            if !run.line(line) {
                return run.failures;
            }
        }
        if let Some(last) = self.lines.last() {
            run.leftover(
                (last.from, last.to),
                Time::NEVER,
                "the script's end, with every segment expected by some line",
            );
        }
        run.failures
    }
}

struct Run {
    endpoint: Endpoint,
    failures: Vec<Failure>,
}

impl Run {
    /// One line; false: the script ends here.
    fn line(&mut self, line: &Line) -> bool {
        let place = (line.from, line.to);
        if let Action::Expect(wanted) = &line.act {
            return wanted.iter().all(|seg| self.expect(seg, line));
        }
        if !self.endpoint.advance(line.at) {
            return self.fail(
                place,
                line.at,
                "an end that comes to rest",
                "its deadlines never \
                move on"
                    .into(),
            );
        }
        match &line.act {
            Action::Expect(_) => {}
            Action::Nothing => return self.nothing(place, line.at),
            Action::Any => self.endpoint.left.clear(),
            Action::Assertions(claims) => claims.iter().for_each(|c| self.claim(c, line.at)),
            Action::Write(bytes) => {
                return self.leftover(place, line.at, "a `>` line")
                    && self.then(|b| b.write(*bytes));
            }
            Action::Close => {
                return self.leftover(place, line.at, "a `>` line") && self.then(Endpoint::close);
            }
            Action::Offer(bytes) => {
                return self.leftover(place, line.at, "a `>` line")
                    && self.then(|b| b.offer(*bytes));
            }
            Action::Say(word) => {
                return self.leftover(place, line.at, "a `>` line") && self.then(|b| b.say(*word));
            }
            Action::Notify(notice) => {
                return self.leftover(place, line.at, "a `>` line")
                    && self.then(|b| b.notify(*notice));
            }
            Action::Inject(segments) => {
                return self.leftover(place, line.at, "a `>` line")
                    && self.then(|b| segments.iter().for_each(|s| b.inject(s)));
            }
        }
        true
    }

    fn then(&mut self, act: impl FnOnce(&mut Endpoint)) -> bool {
        act(&mut self.endpoint);
        true
    }

    /// The next segment to leave must be `wanted`, and leave when `line` says.
    fn expect(&mut self, wanted: &SegmentPattern, line: &Line) -> bool {
        let (early, late) =
            (line.at.since(Time::ZERO).saturating_sub(line.tolerance), line.at + line.tolerance);
        let expected = || format!("> {wanted}, {}", when(line.at, line.tolerance));
        if !self.endpoint.advance_to_next(late) || !self.endpoint.advance(line.at) {
            return self.fail(
                wanted.place,
                line.at,
                "an end that comes to rest",
                "its deadlines \
                never move on"
                    .into(),
            );
        }
        let Some(SentSegment { at, seg }) = self.endpoint.left.pop_front() else {
            let next = self.endpoint.next().map_or("nothing is due".into(), |t| {
                format!(
                    "the next \
                deadline is at {t}"
                )
            });
            return self.fail(wanted.place, line.at, &expected(), format!("no segment; {next}"));
        };
        let in_time = early <= at.since(Time::ZERO) && at <= late;
        if in_time && wanted.fits(&seg) {
            return true;
        }
        let came = format!("> {}, {}", seg.as_far_as(wanted), when(at, Span::ZERO));
        self.fail(wanted.place, line.at, &expected(), came)
    }

    fn nothing(&mut self, place: (usize, usize), at: Time) -> bool {
        match self.endpoint.left.front() {
            None => true,
            Some(l) => {
                let came = format!("> {}, {}", plain(&l.seg), when(l.at, Span::ZERO));
                self.fail(place, at, "no segment", came)
            }
        }
    }

    /// Fails if a segment that left before `at` was expected by no line.
    fn leftover(&mut self, place: (usize, usize), at: Time, by: &str) -> bool {
        match self.endpoint.left.front() {
            Some(l) if l.at < at => {
                let came = format!(
                    "> {}, {}, that no line expects",
                    plain(&l.seg),
                    when(l.at, Span::ZERO)
                );
                self.fail(
                    place,
                    at.min(self.endpoint.now),
                    &format!(
                        "{by} for what left, or `> \
                    any`"
                    ),
                    came,
                )
            }
            _ => true,
        }
    }

    fn claim(&mut self, claim: &Assertion, at: Time) {
        let (mss, place) = (self.endpoint.mss(), (claim.from, claim.to));
        let Some(left) = self.endpoint.value(&claim.left) else {
            let gauges = self.endpoint.gauges().join(", ");
            self.fail(
                place,
                at,
                "a gauge of the congestion control",
                format!("there is none of that name now; there are {gauges}"),
            );
            return;
        };
        let right = match &claim.right {
            Operand::Number(n) => Ok(*n),
            Operand::Token(w) => Err(w.clone()),
            Operand::Other(name) => match self.endpoint.value(name) {
                Some(Value::Token(w)) => Err(w.to_string()),
                Some(v) => v.number().ok_or_else(String::new),
                None => Err("a gauge that there is not".into()),
            },
        };
        if !holds(&left, claim, &right) {
            let other = if let Operand::Other(name) = &claim.right {
                self.endpoint
                    .value(name)
                    .map(|v| format!(", the other is {}", v.text(mss)))
                    .unwrap_or_default()
            } else {
                String::new()
            };
            self.fail(place, at, &claim.text, format!("{}{other}", left.text(mss)));
        }
    }

    fn fail(&mut self, place: (usize, usize), at: Time, expected: &str, came: String) -> bool {
        self.failures.push(failure(place, at, expected.into(), came, &self.endpoint.history));
        false
    }
}

fn failure(
    place: (usize, usize),
    at: Time,
    expected: String,
    came: String,
    history: &[String],
) -> Failure {
    let tail = history[history.len().saturating_sub(REMEMBERED)..].to_vec();
    Failure { from: place.0, to: place.1, at: at.since(Time::ZERO), expected, came, history: tail }
}

fn plain(seg: &SegmentPattern) -> SegmentPattern {
    seg.as_far_as(&SegmentPattern::new(seg.what, (0, 0)))
}

fn when(at: Time, tolerance: Span) -> String {
    let at = at.since(Time::ZERO);
    if tolerance == Span::ZERO { format!("at {at}") } else { format!("at {at} within {tolerance}") }
}

fn holds(left: &Value, claim: &Assertion, right: &Result<f64, String>) -> bool {
    let (a, b) = match (left, right) {
        (Value::Token(w), Err(word)) => return (*w == word) == (claim.relation == Relation::Equal),
        (_, Err(_)) | (Value::Token(_), Ok(_)) => return claim.relation == Relation::Unequal,
        (v, Ok(b)) => match v.number() {
            Some(a) => (a, *b),
            None => return false,
        },
    };
    let within = |share: f64| (a - b).abs() <= claim.tolerance.max(share * b.abs());
    match claim.relation {
        // A float's last digits are nobody's claim.
        Relation::Equal => within(1e-9),
        Relation::Unequal => !within(1e-9),
        Relation::Less => a < b,
        Relation::AtMost => a <= b,
        Relation::More => a > b,
        Relation::AtLeast => a >= b,
        Relation::About => within(0.01),
    }
}
