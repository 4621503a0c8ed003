//! The controller's orders, as lines of words; the controller's `orders` module writes them.
//!
//! Instants are nanoseconds from the run's zero, which is `zero` of the guest's clock.
use crate::netlink::Metrics;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::str::FromStr;

/// All orders.
#[derive(Default)]
pub struct Orders<'a> {
    /// The run's zero, of the guest's clock.
    pub zero: u64,
    pub end: u64,
    pub warm: u64,
    /// Period of the series; 0: none.
    pub row: u64,
    /// Period of the samples of senders.
    pub sample: u64,
    /// The device for records.
    pub control: &'a str,
    /// MTU of that device.
    pub controls_host: u32,
    pub hosts: Vec<Host<'a>>,
    pub ends: Vec<End<'a>>,
    /// The hosts of the user's programs, whose traffic takes the place of ends of flows.
    pub client: Option<usize>,
    pub server: Option<usize>,
    /// A link with a queue of the kernel's; there are no hosts, then.
    pub link: Option<LinkOrders<'a>>,
}

/// A link from one device to another.
pub struct LinkOrders<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub mtu: u32,
    /// When its queue is made, of the guest's clock.
    pub made: u64,
    /// Its queue: the root, then each below the one before it, or a class of that.
    pub disciplines: Vec<Discipline<'a>>,
}

/// A queue of the kernel's, or a class of the one before it.
pub struct Discipline<'a> {
    pub class: bool,
    pub kind: &'a str,
    /// The attributes of its options.
    pub options: Vec<u8>,
}

/// A host.
pub struct Host<'a> {
    pub device: &'a str,
    pub mtu: u32,
    pub address: Ipv4Addr,
    /// Sysctls; true: the run cannot be without it.
    pub sysctls: Vec<(&'a str, &'a str, bool)>,
    pub routes: Vec<(Ipv4Addr, Metrics)>,
}

/// One end of a flow.
pub struct End<'a> {
    pub flow: u32,
    pub sends: bool,
    /// The place of its host among the hosts.
    pub host: usize,
    pub tcp: bool,
    pub from: SocketAddrV4,
    pub to: SocketAddrV4,
    pub tos: u32,
    /// True if it has rows in the series.
    pub rows: bool,
    pub control: Option<&'a str>,
    pub mss: Option<u32>,
    pub window: Option<u32>,
    pub rto_max_ms: Option<u32>,
    pub unsent: Option<u32>,
    pub nodelay: bool,
    pub pmtu_discovery: u32,
    pub paced: bool,
    /// True if it waits for acknowledgments.
    pub awaits: bool,
    /// True if it may end before the run does, so that its last byte's instant counts.
    pub ends: bool,
    /// When it opens, and when it closes at the latest.
    pub open: u64,
    pub stop: u64,
    pub acts: Vec<Act>,
}

/// What an application does.
#[derive(Clone, Copy)]
pub enum Act {
    /// Hands over bytes at an instant; `u64::MAX`: without end.
    At(u64, u64),
    /// Waits until everything is acknowledged, and so long, and hands over bytes.
    After(u64, u64),
    /// Closes at an instant, or at once if it has passed.
    Close(u64),
}

fn number<T: FromStr>(word: Option<&str>, line: &str) -> Result<T, String> {
    word.and_then(|w| w.parse().ok()).ok_or_else(|| format!("no number where one belongs: {line}"))
}

/// Bytes, two digits each.
fn hexadecimal(digits: &str, line: &str) -> Result<Vec<u8>, String> {
    let byte = |at: usize| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    bytes.ok_or_else(|| format!("no bytes where they belong: {line}"))
}

impl<'a> Orders<'a> {
    /// Reads orders.
    pub fn parse(text: &'a str) -> Result<Orders<'a>, String> {
        let mut orders = Orders::default();
        for line in text.lines() {
            orders.line(line)?;
        }
        Ok(orders)
    }

    fn line(&mut self, line: &'a str) -> Result<(), String> {
        let mut words = line.split(' ');
        let misplaced = || format!("misplaced: {line}");
        match words.next().unwrap_or_default() {
            "zero" => self.zero = number(words.next(), line)?,
            "end" => self.end = number(words.next(), line)?,
            "warm" => self.warm = number(words.next(), line)?,
            "row" => self.row = number(words.next(), line)?,
            "sample" => self.sample = number(words.next(), line)?,
            "control" => {
                self.control = words.next().unwrap_or_default();
                self.controls_host = number(words.next(), line)?;
            }
            "host" => {
                let device = words.next().unwrap_or_default();
                let (mtu, address) = (number(words.next(), line)?, number(words.next(), line)?);
                self.hosts.push(Host { device, mtu, address, sysctls: vec![], routes: vec![] });
            }
            kind @ ("base" | "set") => {
                let host = self.hosts.last_mut().ok_or_else(misplaced)?;
                let rest = &line[kind.len() + 1..];
                let (key, value) = rest.split_once(' ').unwrap_or((rest, ""));
                host.sysctls.push((key, value, kind == "set"));
            }
            "route" => {
                let host = self.hosts.last_mut().ok_or_else(misplaced)?;
                let to = number(words.next(), line)?;
                let [initcwnd, rto_min_ms, quickack] = [
                    number(words.next(), line)?,
                    number(words.next(), line)?,
                    number(words.next(), line)?,
                ];
                host.routes.push((to, Metrics { initcwnd, rto_min_ms, quickack }));
            }
            "client" => self.client = Some(number(words.next(), line)?),
            "server" => self.server = Some(number(words.next(), line)?),
            kind @ ("send" | "recv") => self.ends.push(End::parse(kind == "send", words, line)?),
            "link" => {
                let (from, to) = (words.next(), words.next());
                self.link = Some(LinkOrders {
                    from: from.unwrap_or_default(),
                    to: to.unwrap_or_default(),
                    mtu: number(words.next(), line)?,
                    made: number(words.next(), line)?,
                    disciplines: vec![],
                });
            }
            what @ ("qdisc" | "class") => {
                let link = self.link.as_mut().ok_or_else(misplaced)?;
                let kind = words.next().unwrap_or_default();
                let options = hexadecimal(words.next().unwrap_or_default(), line)?;
                link.disciplines.push(Discipline { class: what == "class", kind, options });
            }
            "at" => self.act(Act::At, words, line)?,
            "after" => self.act(Act::After, words, line)?,
            "close" => {
                let at = number(words.next(), line)?;
                self.ends.last_mut().ok_or_else(misplaced)?.acts.push(Act::Close(at));
            }
            _ => return Err(misplaced()),
        }
        Ok(())
    }

    fn act(
        &mut self,
        act: fn(u64, u64) -> Act,
        mut words: std::str::Split<'a, char>,
        line: &str,
    ) -> Result<(), String> {
        let (when, bytes) = (number(words.next(), line)?, number(words.next(), line)?);
        let end = self.ends.last_mut().ok_or_else(|| format!("misplaced: {line}"))?;
        end.acts.push(act(when, bytes));
        Ok(())
    }
}

impl<'a> End<'a> {
    fn parse(
        sends: bool,
        mut words: std::str::Split<'a, char>,
        line: &str,
    ) -> Result<End<'a>, String> {
        let mut end = End {
            flow: number(words.next(), line)?,
            sends,
            host: number(words.next(), line)?,
            tcp: words.next() == Some("tcp"),
            from: number(words.next(), line)?,
            to: number(words.next(), line)?,
            tos: number(words.next(), line)?,
            rows: words.next() == Some("1"),
            control: None,
            mss: None,
            window: None,
            rto_max_ms: None,
            unsent: None,
            nodelay: false,
            pmtu_discovery: 0,
            paced: false,
            awaits: false,
            ends: false,
            open: 0,
            stop: u64::MAX,
            acts: vec![],
        };
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("no value: {word}"))?;
            let value = Some(value);
            match key {
                "control" => end.control = value,
                "mss" => end.mss = Some(number(value, line)?),
                "window" => end.window = Some(number(value, line)?),
                "rto_max" => end.rto_max_ms = Some(number(value, line)?),
                "unsent" => end.unsent = Some(number(value, line)?),
                "nodelay" => end.nodelay = value == Some("1"),
                "pmtu" => end.pmtu_discovery = number(value, line)?,
                "paced" => end.paced = value == Some("1"),
                "awaits" => end.awaits = value == Some("1"),
                "ends" => end.ends = value == Some("1"),
                "open" => end.open = number(value, line)?,
                "stop" => end.stop = number(value, line)?,
                _ => return Err(format!("unknown option: {word}")),
            }
        }
        Ok(end)
    }
}
