//! An entry of the registry: what it states, and how it reads its value.
use crate::metrics::Present;
use serde_json::Value;

/// The window of a run, from its warm-up to its end, and what all flows got in it.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Its length, seconds.
    pub seconds: f64,
    /// The goodput of all flows.
    pub goodput_bps: f64,
}

/// Which direction of a measurement is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither is better as such.
    Neither,
}

/// How a number is formed from what happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// A name.
    Label,
    /// Given by the scenario or the path, not measured.
    Setting,
    /// A count or a sum over the window.
    Sum,
    /// A sum over the length of the window.
    Rate,
    /// A quotient of two others.
    Ratio,
    /// A mean over samples: packets, acknowledgments, transfers, flows.
    Mean,
    /// A mean weighted by time.
    TimeMean,
    /// A percentile over samples.
    Percentile,
    /// A percentile over time.
    TimePercentile,
    /// The largest value.
    Largest,
    /// The smallest value.
    Smallest,
    /// The value at the end of the run.
    Last,
}

impl Statistic {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Label => "label",
            Statistic::Setting => "setting",
            Statistic::Sum => "sum",
            Statistic::Rate => "rate",
            Statistic::Ratio => "ratio",
            Statistic::Mean => "mean",
            Statistic::TimeMean => "mean over time",
            Statistic::Percentile => "percentile",
            Statistic::TimePercentile => "percentile over time",
            Statistic::Largest => "largest",
            Statistic::Smallest => "smallest",
            Statistic::Last => "at the end",
        }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A text or null.
    MaybeText,
    /// An integer from 0.
    Count,
    /// An integer from 0, or null.
    MaybeCount,
    /// A number.
    Real,
    /// A number or null.
    MaybeReal,
    /// An object of integers.
    Counts,
    /// A list of numbers, or null.
    Reals,
}

impl Kind {
    /// True for a single number.
    pub fn is_number(self) -> bool {
        matches!(self, Kind::Count | Kind::MaybeCount | Kind::Real | Kind::MaybeReal)
    }
}

/// Reads a value from a report.
enum Get<S: ?Sized> {
    Text(fn(&S) -> &str),
    MaybeText(fn(&S) -> Option<&str>),
    Count(fn(&S) -> u64),
    MaybeCount(fn(&S) -> Option<u64>),
    Real(fn(&S) -> f64),
    MaybeReal(fn(&S) -> Option<f64>),
    Windowed(fn(&S, &Window) -> f64),
    Counts(fn(&S) -> Vec<(&'static str, u64)>),
    Reals(fn(&S) -> Option<Vec<f64>>),
}

/// A measurement of a report `S`.
pub struct Metric<S: ?Sized> {
    entry: Entry,
    get: Get<S>,
}

/// What is stated of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its key in the JSON, with its unit.
    pub name: &'static str,
    /// The unit of the number: `bps`, `pkt`, `B`, `s`, `cycles`; `1` for a share, which tables show
    /// in percent; empty for a count or a plain ratio.
    pub unit: &'static str,
    /// Its name in comparisons.
    pub title: &'static str,
    /// Its name in a column of its row's table.
    pub head: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// How it is formed.
    pub statistic: Statistic,
    /// The relative width of the bins that it comes from; 0 if it is exact.
    pub resolution: f64,
    /// Its type.
    pub kind: Kind,
}

/// Bins of a histogram, relative to the value.
const BINS: f64 = 1.0 / 32.0;

/// The constructors of entries: each takes the name, the unit, the getter and the meaning.
macro_rules! constructors {
    ($($make:ident, $kind:ident, $get:ident, $getter:ty, $statistic:ident, $doc:literal;)*) => { $(
        #[doc = $doc]
        pub(crate) const fn $make(
            name: &'static str,
            unit: &'static str,
            get: $getter,
            doc: &'static str,
        ) -> Metric<S> {
            let (kind, statistic) = (Kind::$kind, Statistic::$statistic);
            Metric::new(name, unit, Get::$get(get), doc, kind, statistic)
        }
    )* };
}

impl<S: ?Sized> Metric<S> {
    const fn new(
        name: &'static str,
        unit: &'static str,
        get: Get<S>,
        doc: &'static str,
        kind: Kind,
        statistic: Statistic,
    ) -> Metric<S> {
        let (title, head, better) = (name, name, Better::Neither);
        let entry =
            Entry { name, unit, title, head, doc, better, statistic, resolution: 0.0, kind };
        Metric { entry, get }
    }

    constructors! {
        text, Text, Text, fn(&S) -> &str, Label, "A name.";
        maybe_text, MaybeText, MaybeText, fn(&S) -> Option<&str>, Label, "A name, or null.";
        count, Count, Count, fn(&S) -> u64, Sum, "A count or a sum.";
        maybe_count, MaybeCount, MaybeCount, fn(&S) -> Option<u64>, Sum, "A count, or null.";
        real, Real, Real, fn(&S) -> f64, Ratio, "A number.";
        maybe_real, MaybeReal, MaybeReal, fn(&S) -> Option<f64>, Ratio, "A number, or null.";
        windowed, Real, Windowed, fn(&S, &Window) -> f64, Rate, "A number of the window.";
        counts, Counts, Counts, fn(&S) -> Vec<(&'static str, u64)>, Sum, "Counts by name.";
        reals, Reals, Reals, fn(&S) -> Option<Vec<f64>>, Percentile, "A list, or null.";
    }

    /// How its number is formed, if its constructor does not say it.
    pub(crate) const fn by(mut self, statistic: Statistic) -> Self {
        self.entry.statistic = statistic;
        self
    }

    /// Its name in comparisons and in columns.
    pub(crate) const fn title(mut self, title: &'static str) -> Self {
        self.entry.title = title;
        self.entry.head = title;
        self
    }

    /// Its name in a column, where that is another than in comparisons.
    pub(crate) const fn head(mut self, head: &'static str) -> Self {
        self.entry.head = head;
        self
    }

    /// More is better.
    pub(crate) const fn higher(mut self) -> Self {
        self.entry.better = Better::Higher;
        self
    }

    /// Less is better.
    pub(crate) const fn lower(mut self) -> Self {
        self.entry.better = Better::Lower;
        self
    }

    /// It comes from the bins of a histogram.
    pub(crate) const fn binned(mut self) -> Self {
        self.entry.resolution = BINS;
        self
    }

    /// The value of `subject` as JSON. A number that is not finite is null.
    fn value(&self, subject: &S, window: &Window) -> Value {
        match self.get {
            Get::Text(get) => get(subject).into(),
            Get::MaybeText(get) => get(subject).into(),
            Get::Count(get) => get(subject).into(),
            Get::MaybeCount(get) => get(subject).into(),
            Get::Real(get) => get(subject).into(),
            Get::MaybeReal(get) => get(subject).into(),
            Get::Windowed(get) => get(subject, window).into(),
            Get::Counts(get) => {
                Value::Object(get(subject).into_iter().map(|(k, n)| (k.into(), n.into())).collect())
            }
            Get::Reals(get) => get(subject).into(),
        }
    }
}

/// Measurements of a report `S` that are there together or not at all.
pub struct Group<S: ?Sized + 'static> {
    /// Empty if always, else the condition.
    pub(crate) when: &'static str,
    /// Its measurements, in the order of the JSON.
    pub(crate) metrics: &'static [Metric<S>],
}

impl<S: ?Sized> Group<S> {
    /// The names and values of `subject`.
    pub fn values(&self, subject: &S, window: &Window) -> impl Iterator<Item = (String, Value)> {
        self.metrics.iter().map(|m| (m.entry.name.to_string(), m.value(subject, window)))
    }

    /// The group without its getters.
    pub(crate) fn present(&self) -> Present {
        Present { when: self.when, entries: self.metrics.iter().map(|m| m.entry).collect() }
    }
}
