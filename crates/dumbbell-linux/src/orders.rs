//! The agent's orders, as lines of words: which hosts a guest has, and which ends of flows. The
//! agent's `orders` module reads them.
use dumbbell_core::units::{Span, Time};
use dumbbell_emu::host::hosts::HostSpec;
use dumbbell_emu::host::sysctl;
use dumbbell_emu::traffic::app::{Act, App};
use dumbbell_emu::traffic::job::{Connection, Job, SocketKind};
use std::fmt::Write;
use std::net::IpAddr;

/// Kernel parameters that guests share, beside those of each host: memory for sockets is the
/// machine's question, not the scenario's.
const ROOMY: &[(&str, &str)] = &[("net.ipv4.tcp_mem", "1048576 2097152 4194304")];
/// The MTU of the control device.
pub const CONTROL_MTU: u32 = 1500;
/// Acts of one application, at most: more than any run within memory makes.
const MOST_ACTS: usize = 4_000_000;

/// The instants of a run.
#[derive(Clone, Copy, Debug)]
pub struct Instants {
    /// The run's zero on the guests' clock, nanoseconds.
    pub zero_ns: u64,
    /// End of the warm-up.
    pub warm: Span,
    /// End of the run.
    pub end: Span,
    /// Period of the series; `None`: none.
    pub row: Option<Span>,
    /// Period of the samples of senders.
    pub sample: Span,
}

/// The first nanosecond at which `t` has come; the largest number: never.
pub fn ns(t: Time) -> u64 {
    if t == Time::NEVER { u64::MAX } else { t.ps().div_ceil(1000) }
}

fn of_span(span: Span) -> u64 {
    span.ps().div_ceil(1000)
}

/// Orders in the making.
pub struct Orders(String);

impl Orders {
    /// Orders for a run.
    pub fn new(of: Instants) -> Orders {
        let row = of.row.map_or(0, of_span);
        let (warm, end, sample) = (of_span(of.warm), of_span(of.end), of_span(of.sample));
        let zero = of.zero_ns;
        Orders(format!(
            "zero {zero}\nwarm {warm}\nend {end}\nrow {row}\nsample {sample}\n\
            control eth0 {CONTROL_MTU}\n"
        ))
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("a string takes everything");
    }

    /// Adds a host, at the guest's device number `nic` (the control device is number 0).
    pub fn host(&mut self, nic: usize, spec: &HostSpec) {
        self.line(format_args!("host eth{nic} {} {}", spec.mtu, spec.v4));
        for (key, value) in sysctl::BASE.iter().chain(ROOMY) {
            self.line(format_args!("base {key} {value}"));
        }
        for (key, value) in &spec.sysctls {
            self.line(format_args!("set {key} {value}"));
        }
        for (to, route) in &spec.routes {
            let IpAddr::V4(to) = to else { continue };
            let [initcwnd, rto_min] = [route.initcwnd, route.rto_min_ms].map(|n| n.unwrap_or(0));
            let quickack = u8::from(route.quickack);
            self.line(format_args!("route {to} {initcwnd} {rto_min} {quickack}"));
        }
    }

    /// Adds a link between two devices of the guest, and the queue before it.
    pub fn link(&mut self, lines: &str) {
        self.0.push_str(lines);
    }

    /// Adds the sending end of a flow at the guest's `host`-th host. `round_trip`: the least time
    /// after which anything can be acknowledged.
    pub fn sender(&mut self, host: usize, job: &Job, app: App, round_trip: Span, end: Time) {
        let mut line = self.end("send", host, job, 0);
        let (open, stop) = (ns(app.next()), ns(app.stop()));
        let awaits = u8::from(job.awaits);
        let _ = write!(line, " open={open} stop={stop} awaits={awaits}");
        if let SocketKind::Tcp(connection) = &job.socket_kind {
            let (unsent, paced) = (connection.unsent, u8::from(connection.paced));
            let _ = write!(line, " unsent={unsent} paced={paced}");
        }
        self.line(format_args!("{line}"));
        self.acts(app, round_trip, end);
    }

    /// Adds the receiving end of a flow; `ends`: its application may end before the run does.
    pub fn receiver(&mut self, host: usize, job: &Job, ends: bool) {
        let line = self.end("recv", host, job, 1);
        self.line(format_args!("{line} ends={}", u8::from(ends)));
    }

    fn end(&self, kind: &str, host: usize, job: &Job, end: usize) -> String {
        let (flow, tos, rows) = (job.flow, job.tos, u8::from(job.rows));
        let own = [job.from, job.to][end];
        let peer = [job.to, job.from][end];
        let head =
            |protocol: &str| format!("{kind} {flow} {host} {protocol} {own} {peer} {tos} {rows}");
        match &job.socket_kind {
            SocketKind::Tcp(connection) => head("tcp") + &options(connection, end),
            SocketKind::Udp(datagrams) => {
                let manner =
                    if datagrams.df { libc::IP_PMTUDISC_PROBE } else { libc::IP_PMTUDISC_OMIT };
                format!("{} pmtu={manner}", head("udp"))
            }
        }
    }

    /// Writes down what an application does. It acts at its instants, or so long after everything
    /// was acknowledged; what it does next does not depend on when that was.
    fn acts(&mut self, mut app: App, round_trip: Span, end: Time) {
        let mut last = app.next();
        for _ in 0..MOST_ACTS {
            let awaited = app.waits();
            if awaited {
                // The earliest instant at which it can go on.
                last += round_trip;
                app.acknowledged(last);
            }
            let at = app.next();
            if at > end || (awaited && last > end) {
                break;
            }
            match (app.act(), awaited) {
                (Act::Open, _) => {}
                (Act::Write(bytes), true) => {
                    self.line(format_args!("after {} {bytes}", of_span(at.since(last))));
                }
                (Act::Write(bytes), false) => self.line(format_args!("at {} {bytes}", ns(at))),
                (Act::Close, true) => {
                    self.line(format_args!("after 0 0\nclose 0"));
                    break;
                }
                (Act::Close, false) => {
                    self.line(format_args!("close {}", ns(at)));
                    break;
                }
            }
            last = at;
        }
    }

    /// Adds the user's programs, which live in these of the guest's hosts.
    pub fn programs(&mut self, client: usize, server: Option<usize>) {
        self.line(format_args!("client {client}"));
        if let Some(server) = server {
            self.line(format_args!("server {server}"));
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

fn options(connection: &Connection, end: usize) -> String {
    let own = [connection.sender, connection.receiver][end];
    let manner = if connection.fragments { libc::IP_PMTUDISC_DONT } else { libc::IP_PMTUDISC_WANT };
    let nodelay = u8::from(!connection.nagle);
    let mut text = format!(" control={} nodelay={nodelay} pmtu={manner}", connection.control);
    let optional = [("mss", own.mss), ("window", own.window), ("rto_max", connection.max_rto_ms)];
    for (key, value) in optional {
        if let Some(value) = value {
            let _ = write!(text, " {key}={value}");
        }
    }
    text
}
