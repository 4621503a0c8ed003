//! A congestion control in Python behind the trait of the simulator.
//!
//! A class keeps its state in attributes: `cwnd`, `ssthresh`, `pacing` and `timer` are read after
//! each call and held here, so that the sender's many questions do not reach the interpreter.
use super::aqm::{gauges, shown};
use super::class::{Class, PluginId, arguments};
use super::connection::{Ack, Congestion, Orders, Path, Sent};
use dumbbell_core::catalogue::Fault;
use dumbbell_core::plugin::{Alarm, Page, PluginFactory};
use dumbbell_core::probe::Probe;
use dumbbell_core::transport::{
    Ack as CoreAck, Capabilities, Commands as CoreCommands, Congestion as CoreCongestion,
    CongestionControl, HostSignal, Path as CorePath, Sent as CoreSent, Tag, TcpOverrides,
};
use dumbbell_core::units::{Rate, Span, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value;

/// The plugin factory of a class.
pub struct CcClass(pub Class);

/// An instance of a congestion control.
type Made = Box<dyn CongestionControl + Send>;

impl PluginFactory<dyn CongestionControl + Send, CorePath> for CcClass {
    fn page(&self) -> &Page {
        &self.0.page
    }
    fn check(&self, config: &Value) -> Result<(), Fault> {
        self.0.check(config)
    }
    fn make(&self, config: &Value, site: &CorePath, alarm: &Alarm) -> Result<Made, Fault> {
        let who = PluginId::of(&self.0.page);
        Ok(Box::new(Python::attach(|py| {
            let mut state = State { cwnd: site.initial_window, ..State::default() };
            let live = Live::new(py, &self.0, config, site).and_then(|live| {
                state = live.state(py, Time::ZERO)?;
                Ok(live)
            });
            let live = live.map_err(|e| who.raise(py, alarm, Time::ZERO, &e)).ok();
            PyCc { who, alarm: alarm.clone(), now: Time::ZERO, state, live }
        })))
    }
}

/// The state that the sender reads, as of the last call.
#[derive(Clone, Copy, Default)]
struct State {
    cwnd: u64,
    ssthresh: Option<u64>,
    pacing: Option<Rate>,
    timer: Option<Time>,
}

/// An instance; without `live` it has failed.
struct PyCc {
    who: PluginId,
    alarm: Alarm,
    now: Time,
    state: State,
    live: Option<Live>,
}

struct Live {
    instance: Py<PyAny>,
    overrides: TcpOverrides,
    needs_rates: bool,
    on_ack: Py<PyAny>,
    on_congestion: Py<PyAny>,
    on_recovered: Option<Py<PyAny>>,
    on_sent: Option<Py<PyAny>>,
    on_idle: Option<Py<PyAny>>,
    on_timer: Option<Py<PyAny>>,
    on_local: Option<Py<PyAny>>,
    probe: Option<Py<PyAny>>,
    ack: Py<Ack>,
    orders: Py<Orders>,
    /// (ack, orders)
    acked: Py<PyTuple>,
}

impl Live {
    fn new(py: Python<'_>, class: &Class, config: &Value, site: &CorePath) -> PyResult<Live> {
        let instance = class.instance(py, config)?;
        instance.call_method1("_begin", (Path::new(*site),))?;
        let hook = |name: &str| class.hook(&instance, name);
        let overrides = TcpOverrides {
            recovery: word(&instance, "recovery", &["tahoe", "reno", "newreno", "sack"])?,
            ecn: word(&instance, "echo", &["rfc3168", "per_packet", "dctcp", "accecn", "l4s"])?,
            timestamps: instance.getattr("needs_timestamps")?.extract()?,
            ..TcpOverrides::NOTHING
        };
        let (ack, orders) = (Bound::new(py, Ack::default())?, Bound::new(py, Orders::default())?);
        Ok(Live {
            overrides,
            needs_rates: instance.getattr("needs_rates")?.extract()?,
            on_ack: instance.getattr("on_ack")?.unbind(),
            on_congestion: instance.getattr("on_congestion")?.unbind(),
            // These have bodies in the base class, which a user's class need not repeat.
            on_recovered: Some(instance.getattr("on_recovered")?.unbind()),
            on_idle: Some(instance.getattr("on_idle")?.unbind()),
            on_sent: hook("on_sent")?,
            on_timer: hook("on_timer")?,
            on_local: hook("on_local")?,
            probe: hook("probe")?,
            acked: arguments(py, &[ack.as_any(), orders.as_any()])?,
            ack: ack.unbind(),
            orders: orders.unbind(),
            instance: instance.unbind(),
        })
    }

    /// Reads what the class keeps in attributes.
    fn state(&self, py: Python<'_>, now: Time) -> PyResult<State> {
        let instance = self.instance.bind(py);
        let cwnd = instance.getattr(intern!(py, "cwnd"))?;
        let ssthresh = instance.getattr(intern!(py, "ssthresh"))?;
        let pacing = instance.getattr(intern!(py, "pacing"))?;
        let timer = instance.getattr(intern!(py, "timer"))?;
        let state = State {
            cwnd: amount(&cwnd, "cwnd", 1.0)?
                .ok_or_else(|| PyTypeError::new_err("cwnd is None: it is a number of bytes"))?
                as u64,
            ssthresh: amount(&ssthresh, "ssthresh", 0.0)?.map(|x| x as u64),
            pacing: amount(&pacing, "pacing", 1.0)?.map(|x| Rate::from_bps(x as u64)),
            timer: amount(&timer, "timer", 0.0)?
                .map(|s| (Time::ZERO + Span::from_secs_f64(s)).max(now)),
        };
        if state.timer.is_some() && self.on_timer.is_none() {
            let text =
                format!("timer is set at {} s, and the class has no on_timer", now.seconds());
            return Err(PyTypeError::new_err(text));
        }
        Ok(state)
    }
}

/// A number that is at least `least`, or None.
fn amount(value: &Bound<'_, PyAny>, name: &str, least: f64) -> PyResult<Option<f64>> {
    if value.is_none() {
        return Ok(None);
    }
    let Ok(x) = value.extract::<f64>() else {
        return Err(PyTypeError::new_err(format!("{name} is {}: it is a number", shown(value))));
    };
    // Infinity stands for no bound.
    if x.is_nan() || x < least {
        return Err(PyValueError::new_err(format!("{name} is {x}: it is at least {least}")));
    }
    Ok(Some(x))
}

impl PyCc {
    /// Calls a method, takes its commands and its new state; after a failure nothing is called.
    fn call<T: Default>(
        &mut self,
        orders: Option<&mut CoreCommands>,
        f: impl FnOnce(&Live, Python<'_>) -> PyResult<T>,
    ) -> T {
        let Some(live) = &self.live else { return T::default() };
        let done = Python::attach(|py| {
            let answer = f(live, py).and_then(|answer| Ok((answer, live.state(py, self.now)?)));
            if let Some(orders) = orders {
                live.orders.get().hand_over(orders);
            }
            answer.map_err(|error| self.who.raise(py, &self.alarm, self.now, &error))
        });
        match done {
            Ok((answer, state)) => {
                self.state = state;
                answer
            }
            Err(()) => {
                (self.live, self.state.timer) = (None, None);
                T::default()
            }
        }
    }

    fn fail(&mut self, cause: String) {
        self.who.alarm(&self.alarm, self.now, format!("{cause} ({})", self.who.file), None);
        (self.live, self.state.timer) = (None, None);
    }
}

/// The attribute `name` of a class: one of `words`, or None.
fn word(
    instance: &Bound<'_, PyAny>,
    name: &str,
    words: &[&'static str],
) -> PyResult<Option<&'static str>> {
    let said = instance.getattr(name)?;
    if said.is_none() {
        return Ok(None);
    }
    let known = said.extract::<String>().ok().and_then(|said| words.iter().find(|w| **w == said));
    known.copied().map(Some).ok_or_else(|| {
        PyValueError::new_err(format!(
            "{name} = {}: write one of {}, or None",
            shown(&said),
            words.join(", ")
        ))
    })
}

impl CongestionControl for PyCc {
    fn tcp_overrides(&self) -> TcpOverrides {
        self.live.as_ref().map_or(TcpOverrides::NOTHING, |live| live.overrides)
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            rates: self.live.as_ref().is_some_and(|live| live.needs_rates),
            ..Capabilities::ALL
        }
    }
    fn on_ack(&mut self, ack: &CoreAck, orders: &mut CoreCommands) {
        self.now = ack.now;
        self.call(Some(orders), |live, py| {
            live.ack.get().fill(ack);
            live.on_ack.bind(py).call1(live.acked.bind(py)).map(|_| ())
        });
    }
    fn on_congestion(&mut self, event: &CoreCongestion<'_>, orders: &mut CoreCommands) {
        self.now = event.now;
        self.call(Some(orders), |live, py| {
            live.on_congestion.bind(py).call1((Congestion::new(event), &live.orders)).map(|_| ())
        });
    }
    fn on_recovered(&mut self, now: Time, bound: u64) {
        self.now = now;
        let bound = Some(bound).filter(|b| *b < u64::MAX);
        self.call(None, |live, py| {
            live.on_recovered
                .as_ref()
                .map_or(Ok(()), |hook| hook.bind(py).call1((now.seconds(), bound)).map(|_| ()))
        });
    }
    fn on_sent(&mut self, sent: &CoreSent) -> Tag {
        self.now = sent.now;
        if self.live.as_ref().is_none_or(|l| l.on_sent.is_none()) {
            return Tag(0);
        }
        let tag: Option<u32> = self.call(None, |live, py| {
            let Some(hook) = &live.on_sent else { return Ok(None) };
            let answer = hook.bind(py).call1((Sent::new(sent),))?;
            answer.extract().map_err(|_| {
                let text = format!(
                    "on_sent returned {}: return a tag (a whole number) or None",
                    shown(&answer)
                );
                PyTypeError::new_err(text)
            })
        });
        Tag(tag.unwrap_or(0))
    }
    fn on_idle(&mut self, restart_window: u64) {
        self.call(None, |live, py| {
            live.on_idle
                .as_ref()
                .map_or(Ok(()), |hook| hook.bind(py).call1((restart_window,)).map(|_| ()))
        });
    }
    fn on_timer(&mut self, now: Time, orders: &mut CoreCommands) {
        self.now = now;
        self.call(Some(orders), |live, py| {
            let Some(hook) = &live.on_timer else { return Ok(()) };
            hook.bind(py).call1((now.seconds(), &live.orders)).map(|_| ())
        });
        if self.state.timer.is_some_and(|t| t <= now) {
            let cause = format!(
                "on_timer at {} s left `timer` where it was: set it later, or to \
                None",
                now.seconds()
            );
            self.fail(cause);
        }
    }
    fn next_timer(&self) -> Time {
        self.state.timer.unwrap_or(Time::NEVER)
    }
    fn on_host_signal(&mut self, signal: HostSignal, orders: &mut CoreCommands) {
        if self.live.as_ref().is_none_or(|l| l.on_local.is_none()) {
            return;
        }
        let word = match signal {
            HostSignal::MarkedOut => "marked_out",
            HostSignal::PathDown => "path_down",
            HostSignal::PathUp => "path_up",
            _ => "other",
        };
        self.call(Some(orders), |live, py| {
            let Some(hook) = &live.on_local else { return Ok(()) };
            hook.bind(py).call1((word, &live.orders)).map(|_| ())
        });
    }
    fn cwnd(&self) -> u64 {
        self.state.cwnd
    }
    fn ssthresh(&self) -> Option<u64> {
        self.state.ssthresh
    }
    fn pacing(&self) -> Option<Rate> {
        self.state.pacing
    }
    fn probe(&self, out: &mut dyn Probe) {
        out.gauge("cwnd", self.state.cwnd as f64);
        if let Some(ssthresh) = self.state.ssthresh {
            out.gauge("ssthresh", ssthresh as f64);
        }
        let Some(Live { probe: Some(hook), .. }) = &self.live else { return };
        Python::attach(|py| {
            let done = hook.bind(py).call0().and_then(|answer| gauges(&answer, out));
            done.unwrap_or_else(|error| self.who.raise(py, &self.alarm, self.now, &error));
        });
    }
}
