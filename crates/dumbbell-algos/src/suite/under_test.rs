//! The algorithm under test: one of the catalogue, or a plugin.
use crate::aqm::AnyAqm;
use crate::cc::AnyCc;
use dumbbell_core::aqm::{DynAqm, LinkInfo};
use dumbbell_core::catalogue::{Entry, Fault};
use dumbbell_core::plugin::{Alarm, AqmFactory, CcFactory, Page};
use dumbbell_core::transport::{CongestionControl, Path};
use serde_json::Value;
use std::cell::RefCell;

/// The result of a check; the error says what is wrong.
pub type Finding = Result<(), String>;

/// One check of a suite.
pub struct Check<S> {
    /// Its name, as that of the test.
    pub name: &'static str,
    /// The subject of the check, in a sentence.
    pub what: &'static str,
    /// Runs the check.
    pub run: fn(&S) -> Finding,
}

/// Returns what is wrong unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err(format!($($text)+));
        }
    };
}
pub(crate) use ensure;

/// An algorithm's page, with its parameters.
pub struct Described {
    /// The page.
    pub page: Page,
    resolve: Box<Resolve>,
}

/// Checks a configuration and writes it out.
type Resolve = dyn Fn(&Value) -> Result<Value, Fault>;

impl Described {
    /// An algorithm of the catalogue.
    pub fn of(entry: &Entry) -> Self {
        let about = &entry.about;
        let page = Page {
            name: about.name.into(),
            title: about.title.into(),
            idea: about.idea.into(),
            equations: about.equations.into(),
            sources: about.sources.iter().map(|s| (*s).to_string()).collect(),
            language: "Rust".into(),
            file: format!("{}.rs", about.name),
            source_hash: String::new(),
            schema: (entry.schema)().clone(),
        };
        Described { page, resolve: Box::new(entry.resolve) }
    }

    fn plugin(page: &Page, check: impl Fn(&Value) -> Result<(), Fault> + 'static) -> Self {
        let mine = page.clone();
        let resolve =
            move |v: &Value| mine.resolve(v).and_then(|config| check(&config).map(|()| config));
        Described { page: page.clone(), resolve: Box::new(resolve) }
    }

    /// A configuration, checked and written out with all defaults.
    ///
    /// # Errors
    /// The parameter at fault, the cause and the fix.
    pub fn resolve(&self, written: &Value) -> Result<Value, Fault> {
        (self.resolve)(written)
    }
}

/// An algorithm that can be made again and again.
pub struct UnderTest<T: ?Sized, Site> {
    /// Its page.
    pub described: Described,
    make: Box<MakeFn<T, Site>>,
    alarm: RefCell<Alarm>,
}

/// Makes an instance from a resolved configuration.
type MakeFn<T, Site> = dyn Fn(&Value, &Site, &Alarm) -> Result<Box<T>, Fault>;
/// A queue's algorithm.
pub type AqmUnderTest = UnderTest<dyn DynAqm, LinkInfo>;
/// A congestion control.
pub type CcUnderTest = UnderTest<dyn CongestionControl + Send, Path>;

impl<T: ?Sized, Site> UnderTest<T, Site> {
    fn new(
        described: Described,
        make: impl Fn(&Value, &Site, &Alarm) -> Result<Box<T>, Fault> + 'static,
    ) -> Self {
        UnderTest { described, make: Box::new(make), alarm: RefCell::default() }
    }

    /// A fresh instance.
    ///
    /// # Errors
    /// A configuration that it refuses.
    pub fn make(&self, config: &Value, site: &Site) -> Result<Box<T>, String> {
        let made = (self.make)(config, site, &self.alarm.borrow());
        made.map_err(|fault| format!("{}: {}", fault.at, fault.cause))
    }

    /// Does `work` with fresh instances; an algorithm that says it cannot go on is a finding.
    pub fn attempt(&self, work: impl FnOnce() -> Finding) -> Finding {
        self.alarm.replace(Alarm::default());
        let found = work();
        match self.alarm.borrow().failure() {
            None => found,
            Some(failure) => {
                let trace = failure
                    .trace
                    .as_deref()
                    .map(|t| format!("\n{}", t.trim_end()))
                    .unwrap_or_default();
                Err(format!("it failed at {} s: {}{trace}", failure.at.seconds(), failure.cause))
            }
        }
    }
}

impl AqmUnderTest {
    /// An algorithm of the catalogue.
    pub fn of(entry: &Entry) -> Self {
        let name = entry.about.name;
        let make = move |config: &Value, site: &LinkInfo, _: &Alarm| {
            let made = AnyAqm::build(name, config, site)?;
            Ok(Box::new(made) as Box<dyn DynAqm>)
        };
        UnderTest::new(Described::of(entry), make)
    }
    /// A plugin.
    pub fn plugin(factory: &AqmFactory) -> Self {
        let (judge, factory) = (factory.clone(), factory.clone());
        let described = Described::plugin(factory.page(), move |config| judge.check(config));
        let make =
            move |config: &Value, site: &LinkInfo, alarm: &Alarm| factory.make(config, site, alarm);
        UnderTest::new(described, make)
    }
}

impl CcUnderTest {
    /// An algorithm of the catalogue.
    pub fn of(entry: &Entry) -> Self {
        let name = entry.about.name;
        let make = move |config: &Value, site: &Path, _: &Alarm| {
            let made = AnyCc::build(name, config, site)?;
            Ok(Box::new(made) as Box<dyn CongestionControl + Send>)
        };
        UnderTest::new(Described::of(entry), make)
    }
    /// A plugin.
    pub fn plugin(factory: &CcFactory) -> Self {
        let (judge, factory) = (factory.clone(), factory.clone());
        let described = Described::plugin(factory.page(), move |config| judge.check(config));
        let make =
            move |config: &Value, site: &Path, alarm: &Alarm| factory.make(config, site, alarm);
        UnderTest::new(described, make)
    }
}

/// Applies a check, and panics with what it finds.
#[cfg(test)]
pub(crate) fn examine<S>(subject: &S, check: fn(&S) -> Finding) {
    check(subject).unwrap_or_else(|found| panic!("{found}"));
}

/// The smallest part of a list of events on which `test` still finds something, and what it finds:
/// pieces are left out, ever smaller ones, as long as that can be done.
pub fn smallest<E: Clone>(
    events: &[E],
    found: String,
    mut test: impl FnMut(&[E]) -> Finding,
) -> (Vec<E>, String) {
    let (mut events, mut found, mut piece) = (events.to_vec(), found, events.len() / 2);
    while piece > 0 {
        let (mut from, before) = (0, events.len());
        while from < events.len() && events.len() > 1 {
            let mut less = events.clone();
            less.drain(from..(from + piece).min(less.len()));
            match test(&less) {
                Err(again) if !less.is_empty() => (events, found) = (less, again),
                _ => from += piece,
            }
        }
        // Single events are tried again as long as one more can go.
        piece = if piece == 1 && events.len() < before { 1 } else { piece / 2 };
    }
    (events, found)
}
