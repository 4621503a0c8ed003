//! A queue's algorithm in Python behind the traits of the simulator.
//!
//! Per decision: the interpreter is attached, four objects that belong to the instance are filled,
//! a bound method is called with a tuple that was made once. After a failure the alarm is raised
//! and no method is called any more.
use super::class::{Class, PluginId, arguments, intern_name};
use super::verdict::Verdict;
use crate::plugin::views::{Cx, Packet, Queue};
use dumbbell_core::aqm::{
    Cx as CoreCx, DynAqm, Gone, Hears, Limit, LinkInfo, Needs, QueueView, Reason, Slot,
    Verdict as CoreVerdict,
};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::Meta;
use dumbbell_core::plugin::{Alarm, Page, PluginFactory};
use dumbbell_core::probe::Probe;
use dumbbell_core::units::{Span, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value;

/// Makes instances of a class.
pub struct AqmClass(pub Class);

impl PluginFactory<dyn DynAqm, LinkInfo> for AqmClass {
    fn page(&self) -> &Page {
        &self.0.page
    }
    fn check(&self, config: &Value) -> Result<(), Fault> {
        self.0.check(config)
    }
    fn make(
        &self,
        config: &Value,
        site: &LinkInfo,
        alarm: &Alarm,
    ) -> Result<Box<dyn DynAqm>, Fault> {
        let who = PluginId::of(&self.0.page);
        Ok(Box::new(Python::attach(|py| {
            let live = Live::new(py, &self.0, config, site);
            let live = live.map_err(|e| who.raise(py, alarm, Time::ZERO, &e)).ok();
            PyAqm { who, alarm: alarm.clone(), now: Time::ZERO, live }
        })))
    }
}

/// An instance; without `live` it has failed.
struct PyAqm {
    who: PluginId,
    alarm: Alarm,
    now: Time,
    live: Option<Live>,
}

/// The methods that the class defines.
struct Hooks {
    arrive: Py<PyAny>,
    overflowed: Option<Py<PyAny>>,
    make_room: Option<Py<PyAny>>,
    admitted: Option<Py<PyAny>>,
    refused: Option<Py<PyAny>>,
    depart: Option<Py<PyAny>>,
    gone: Option<Py<PyAny>>,
    idle: Option<Py<PyAny>>,
    tick: Option<Py<PyAny>>,
    probe: Option<Py<PyAny>>,
}

struct Live {
    hooks: Hooks,
    needs: Needs,
    /// True if it has a parameter `ecn` that is off: then it marks nothing.
    unmarked: bool,
    cx: Py<Cx>,
    queue: Py<Queue>,
    packet: Py<Packet>,
    /// (cx, queue, packet, fits) for each value of `fits`.
    arrival: [Py<PyTuple>; 2],
    /// (cx, queue, packet)
    asked: Py<PyTuple>,
    /// (cx, queue)
    ticked: Py<PyTuple>,
    /// The slot of the last packet that this algorithm pushed out.
    pushed: Option<Slot>,
}

impl Live {
    fn new(py: Python<'_>, class: &Class, config: &Value, site: &LinkInfo) -> PyResult<Live> {
        let instance = class.instance(py, config)?;
        let cx = Bound::new(py, Cx::new(py, *site)?)?;
        instance.call_method1("start", (cx.get().link_of(py),))?;
        let hook = |name: &str| class.hook(&instance, name);
        let needs: String = instance.getattr("needs")?.extract()?;
        let needs = match needs.as_str() {
            "arrival" => Needs::Arrival,
            "held" => Needs::Held,
            other => {
                let text = format!("needs = \"{other}\": it is \"arrival\" or \"held\"");
                return Err(PyValueError::new_err(text));
            }
        };
        let (queue, packet) =
            (Bound::new(py, Queue::new(site.capacity))?, Bound::new(py, Packet::new())?);
        let flag = |fits: bool| fits.into_pyobject(py).map(|b| b.to_owned().into_any());
        let (c, q, p) = (cx.as_any(), queue.as_any(), packet.as_any());
        let arrival = |fits: bool| arguments(py, &[c, q, p, &flag(fits)?]);
        Ok(Live {
            hooks: Hooks {
                arrive: instance.getattr("arrive")?.unbind(),
                overflowed: hook("overflowed")?,
                make_room: hook("make_room")?,
                admitted: hook("admitted")?,
                refused: hook("refused")?,
                depart: hook("depart")?,
                gone: hook("gone")?,
                idle: hook("idle")?,
                tick: hook("tick")?,
                probe: hook("probe")?,
            },
            needs,
            unmarked: config["ecn"] == false,
            arrival: [arrival(false)?, arrival(true)?],
            asked: arguments(py, &[c, q, p])?,
            ticked: arguments(py, &[c, q])?,
            cx: cx.unbind(),
            queue: queue.unbind(),
            packet: packet.unbind(),
            pushed: None,
        })
    }

    /// Checks the answer of a method.
    fn verdict(&mut self, answer: &Bound<'_, PyAny>, hook: &str) -> PyResult<CoreVerdict> {
        let Ok(verdict) = answer.cast::<Verdict>() else {
            let text = format!("{hook} returned {}", shown(answer));
            return Err(PyTypeError::new_err(
                text + ": return PASS, MARK, SIGNAL, drop(...) or \
                evict(...)",
            ));
        };
        let verdict = verdict.get().0;
        if let CoreVerdict::Evict { slot, .. } = verdict {
            let waiting = self.queue.get().waits();
            if self.needs == Needs::Arrival || hook != "arrive" {
                let text = format!(
                    "{hook} returned evict({slot}), which is an answer of `arrive` with \
                        needs = \"held\""
                );
                return Err(PyValueError::new_err(text));
            }
            if slot >= waiting {
                return Err(PyValueError::new_err(format!(
                    "evict({slot}): only {waiting} packets \
                    wait"
                )));
            }
            self.pushed = Some(slot);
        }
        Ok(match verdict {
            CoreVerdict::Signal(reason) if self.unmarked => CoreVerdict::Drop(reason),
            CoreVerdict::Mark(_) if self.unmarked => CoreVerdict::Pass,
            other => other,
        })
    }

    fn arrive(
        &mut self,
        py: Python<'_>,
        cx: &mut CoreCx<'_>,
        q: &dyn QueueView,
        p: &Meta,
        fits: bool,
    ) -> PyResult<CoreVerdict> {
        self.cx.get().fill(cx);
        self.queue.get().fill(q);
        self.packet.get().fill(p);
        let answer = self.hooks.arrive.bind(py).call1(self.arrival[usize::from(fits)].bind(py))?;
        self.cx.get().drawn(cx);
        self.verdict(&answer, "arrive")
    }

    fn overflowed(&self, py: Python<'_>, cx: &mut CoreCx<'_>, limit: Limit) -> PyResult<()> {
        let Some(hook) = &self.hooks.overflowed else { return Ok(()) };
        self.cx.get().fill(cx);
        hook.bind(py).call1((&self.cx, limit.name()))?;
        self.cx.get().drawn(cx);
        Ok(())
    }

    fn make_room(
        &mut self,
        py: Python<'_>,
        cx: &mut CoreCx<'_>,
        q: &dyn QueueView,
        p: &Meta,
    ) -> PyResult<Option<Slot>> {
        let Some(hook) = &self.hooks.make_room else { return Ok(None) };
        self.cx.get().fill(cx);
        self.queue.get().fill(q);
        self.packet.get().fill(p);
        let answer = hook.bind(py).call1(self.asked.bind(py))?;
        self.cx.get().drawn(cx);
        let slot: Option<Slot> = answer.extract().map_err(|_| {
            PyTypeError::new_err(format!(
                "make_room returned {}: return a slot or None",
                shown(&answer)
            ))
        })?;
        if let Some(slot) = slot {
            let waiting = self.queue.get().waits();
            if slot >= waiting {
                return Err(PyValueError::new_err(format!(
                    "make_room: slot {slot}, and only \
                    {waiting} packets wait"
                )));
            }
            self.pushed = Some(slot);
        }
        Ok(slot)
    }

    fn refused(
        &self,
        py: Python<'_>,
        cx: &mut CoreCx<'_>,
        p: &Meta,
        reason: Reason,
    ) -> PyResult<()> {
        let Some(hook) = &self.hooks.refused else { return Ok(()) };
        self.cx.get().fill(cx);
        self.packet.get().fill(p);
        hook.bind(py).call1((&self.cx, &self.packet, reason.name()))?;
        self.cx.get().drawn(cx);
        Ok(())
    }

    fn depart(
        &mut self,
        py: Python<'_>,
        cx: &mut CoreCx<'_>,
        q: &dyn QueueView,
        p: &Meta,
        sojourn: Span,
    ) -> PyResult<CoreVerdict> {
        self.queue.get().pop();
        let Some(hook) = &self.hooks.depart else { return Ok(CoreVerdict::Pass) };
        self.cx.get().fill(cx);
        self.queue.get().fill(q);
        self.packet.get().fill(p);
        let answer =
            hook.bind(py).call1((&self.cx, &self.queue, &self.packet, sojourn.seconds()))?;
        self.cx.get().drawn(cx);
        self.verdict(&answer, "depart")
    }

    fn gone(&mut self, py: Python<'_>, p: &Meta, how: Gone) -> PyResult<()> {
        if how == Gone::Evicted
            && let Some(slot) = self.pushed.take()
        {
            self.queue.get().remove(slot);
        }
        let Some(hook) = &self.hooks.gone else { return Ok(()) };
        self.packet.get().fill(p);
        let how = ["sent", "head_drop", "evicted"][how as usize];
        hook.bind(py).call1((&self.packet, how)).map(|_| ())
    }

    fn tick(
        &mut self,
        py: Python<'_>,
        cx: &mut CoreCx<'_>,
        q: &dyn QueueView,
    ) -> PyResult<Option<Span>> {
        let Some(hook) = &self.hooks.tick else { return Ok(None) };
        self.cx.get().fill(cx);
        self.queue.get().fill(q);
        let answer = hook.bind(py).call1(self.ticked.bind(py))?;
        self.cx.get().drawn(cx);
        let after: Option<f64> = answer.extract().map_err(|_| {
            PyTypeError::new_err(format!(
                "tick returned {}: return seconds or None",
                shown(&answer)
            ))
        })?;
        match after.map(|s| (s, Span::from_secs_f64(s))) {
            None => Ok(None),
            Some((s, span)) if s.is_finite() && span > Span::ZERO => Ok(Some(span)),
            Some((s, _)) => Err(PyValueError::new_err(format!(
                "tick returned {s} s: the next tick \
                must lie ahead"
            ))),
        }
    }
}

/// A value of the wrong type, for a message.
pub fn shown(answer: &Bound<'_, PyAny>) -> String {
    answer.repr().map_or_else(|_| "something without a repr".into(), |r| r.to_string())
}

/// Reads what `probe` shows.
pub fn gauges(shown_by: &Bound<'_, PyAny>, out: &mut dyn Probe) -> PyResult<()> {
    for (name, value) in shown_by.cast::<PyDict>().map_err(|_| {
        PyTypeError::new_err(format!(
            "probe returned {}: return a dict of names and numbers",
            shown(shown_by)
        ))
    })? {
        let (name, value): (String, f64) = (name.extract()?, value.extract()?);
        if !value.is_finite() {
            return Err(PyValueError::new_err(format!("probe: `{name}` is {value}")));
        }
        out.gauge(intern_name(&name), value);
    }
    Ok(())
}

impl PyAqm {
    /// Calls a method; after a failure nothing is called, and `else_` is the answer.
    fn call<T>(&mut self, else_: T, f: impl FnOnce(&mut Live, Python<'_>) -> PyResult<T>) -> T {
        let Some(live) = &mut self.live else { return else_ };
        let done = Python::attach(|py| {
            f(live, py).map_err(|error| self.who.raise(py, &self.alarm, self.now, &error))
        });
        done.unwrap_or_else(|()| {
            self.live = None;
            else_
        })
    }
}

impl DynAqm for PyAqm {
    fn needs(&self) -> Needs {
        self.live.as_ref().map_or(Needs::Arrival, |l| l.needs)
    }
    fn hears(&self) -> Hears {
        Hears::ALL
    }
    fn arrive(
        &mut self,
        cx: &mut CoreCx<'_>,
        q: &dyn QueueView,
        p: &Meta,
        fits: bool,
    ) -> CoreVerdict {
        self.now = cx.now;
        self.call(CoreVerdict::Pass, |live, py| live.arrive(py, cx, q, p, fits))
    }
    fn overflowed(&mut self, cx: &mut CoreCx<'_>, limit: Limit) {
        self.now = cx.now;
        self.call((), |live, py| live.overflowed(py, cx, limit));
    }
    fn make_room(&mut self, cx: &mut CoreCx<'_>, q: &dyn QueueView, p: &Meta) -> Option<Slot> {
        self.call(None, |live, py| live.make_room(py, cx, q, p))
    }
    fn admitted(&mut self, p: &Meta) {
        let Some(live) = &self.live else { return };
        if live.needs == Needs::Held {
            live.queue.get().push(p);
        }
        if live.hooks.admitted.is_none() {
            return;
        }
        self.call((), |live, py| {
            live.packet.get().fill(p);
            live.hooks
                .admitted
                .as_ref()
                .map_or(Ok(()), |hook| hook.bind(py).call1((&live.packet,)).map(|_| ()))
        });
    }
    fn refused(&mut self, cx: &mut CoreCx<'_>, p: &Meta, reason: Reason) {
        self.call((), |live, py| live.refused(py, cx, p, reason));
    }
    fn depart(
        &mut self,
        cx: &mut CoreCx<'_>,
        q: &dyn QueueView,
        p: &Meta,
        sojourn: Span,
    ) -> CoreVerdict {
        self.now = cx.now;
        self.call(CoreVerdict::Pass, |live, py| live.depart(py, cx, q, p, sojourn))
    }
    fn gone(&mut self, p: &Meta, how: Gone) {
        self.call((), |live, py| live.gone(py, p, how));
    }
    fn idle(&mut self, cx: &mut CoreCx<'_>) {
        self.now = cx.now;
        if self.live.as_ref().is_none_or(|l| l.hooks.idle.is_none()) {
            return;
        }
        self.call((), |live, py| {
            live.cx.get().fill(cx);
            live.hooks
                .idle
                .as_ref()
                .map_or(Ok(()), |hook| hook.bind(py).call1((&live.cx,)).map(|_| ()))?;
            live.cx.get().drawn(cx);
            Ok(())
        });
    }
    fn tick(&mut self, cx: &mut CoreCx<'_>, q: &dyn QueueView) -> Option<Span> {
        self.now = cx.now;
        self.call(None, |live, py| live.tick(py, cx, q))
    }
    fn ticks(&self) -> bool {
        self.live.as_ref().is_some_and(|l| l.hooks.tick.is_some())
    }
    fn probe(&self, out: &mut dyn Probe) {
        let Some(Live { hooks: Hooks { probe: Some(hook), .. }, .. }) = &self.live else { return };
        Python::attach(|py| {
            let done = hook.bind(py).call0().and_then(|answer| gauges(&answer, out));
            done.unwrap_or_else(|error| self.who.raise(py, &self.alarm, self.now, &error));
        });
    }
}
