//! Settings of hosts that must be made before sockets are opened, collected from the hosts' flows.
use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

/// A feature of the plan that the kernel does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The flow that asks for it.
    pub flow: String,
    /// The field, as it is written in a scenario's flow.
    pub field: String,
    /// The reason.
    pub cause: String,
    /// The alternative to write.
    pub fix: String,
}

impl Unsupported {
    /// The feature `field` of `flow`.
    pub fn new(
        flow: &str,
        field: &str,
        cause: impl Into<String>,
        fix: impl Into<String>,
    ) -> Unsupported {
        Unsupported { flow: flow.into(), field: field.into(), cause: cause.into(), fix: fix.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "flow `{}`, `{}`: {}; to fix it: {}",
            self.flow, self.field, self.cause, self.fix
        )
    }
}

/// Metrics of a route (ip-route(8)): what TCP takes for connections to an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteMetrics {
    /// Initial congestion window, segments (`RTAX_INITCWND`).
    pub initcwnd: Option<u32>,
    /// Least retransmission timeout, milliseconds (`RTAX_RTO_MIN`).
    pub rto_min_ms: Option<u32>,
    /// True if every segment is acknowledged at once (`RTAX_QUICKACK`).
    pub quickack: Option<bool>,
}

/// The settings of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// Kernel parameters of its namespace, by their names in sysctl(8).
    pub sysctls: BTreeMap<String, String>,
    /// Metrics of the routes to the other hosts that its flows have to do with.
    pub routes: BTreeMap<IpAddr, RouteMetrics>,
}

/// The way in which the requests of two flows of one host are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Both must ask for the same.
    Same,
    /// The largest: a limit that binds neither, because each socket has a limit of its own below
    /// it.
    Largest,
}

/// A setting that a flow needs at one of its hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The field of the flow that it comes from.
    pub field: &'static str,
    /// The setting.
    pub setting: Setting,
}

/// See [`Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// A kernel parameter.
    Sysctl(&'static str, Vec<u64>, Merge),
    /// A metric of the route to the flow's other host.
    Metric(Metric, u32),
    /// ECN that it offers when it opens connections.
    Offer(EcnMode),
    /// ECN that it accepts when it is offered.
    Accept(EcnMode),
}

/// Explicit congestion notification, from less to more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EcnMode {
    /// None.
    #[default]
    Off,
    /// RFC 3168.
    Classic,
    /// RFC 9768.
    Accurate,
}

/// The value of `net.ipv4.tcp_ecn` (ip-sysctl; from 3 on in kernels that know accurate ECN) of a
/// host that offers one and takes up the other.
fn tcp_ecn_value(offer: EcnMode, accept: EcnMode) -> u64 {
    use EcnMode::{Accurate, Classic, Off};
    match (offer, accept) {
        (Off, Off) => 0,
        (Classic, Off | Classic) => 1,
        (Off, Classic) => 2,
        (Accurate, _) => 3,
        (Classic, Accurate) => 4,
        (Off, Accurate) => 5,
    }
}

/// See [`RouteMetrics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Metric {
    Initcwnd,
    RtoMin,
    Quickack,
}

/// The requests of all flows of one host, with the flow that asked first.
#[derive(Default)]
pub(super) struct HostRequests {
    sysctls: BTreeMap<&'static str, (Vec<u64>, String)>,
    metrics: BTreeMap<(IpAddr, Metric), (u32, String)>,
    offer: Option<(EcnMode, String)>,
    accept: Option<EcnMode>,
}

impl HostRequests {
    /// `flow` asks for it, toward `peer`.
    ///
    /// # Errors
    /// Another flow of this host asked for something else, and the kernel has one of it only.
    pub fn ask(
        &mut self,
        host: &str,
        flow: &str,
        peer: IpAddr,
        ask: &Request,
    ) -> Result<(), Unsupported> {
        let clash = |first: &str, one: String, other: String, of: &str| {
            let cause = format!(
                "the kernel has one {of} for all of host `{host}`: flow `{first}` needs {one}, \
                    this one {other}"
            );
            Unsupported::new(
                flow,
                ask.field,
                cause,
                "give both flows the same, or put them on \
                different hosts",
            )
        };
        match &ask.setting {
            Setting::Sysctl(key, value, merge) => {
                let (held, first) =
                    self.sysctls.entry(key).or_insert_with(|| (value.clone(), flow.into()));
                match merge {
                    Merge::Largest => {
                        held.iter_mut().zip(value).for_each(|(h, v)| *h = (*h).max(*v))
                    }
                    Merge::Same if held == value => {}
                    Merge::Same => return Err(clash(first, text(held), text(value), key)),
                }
            }
            Setting::Metric(metric, value) => {
                let (held, first) =
                    self.metrics.entry((peer, *metric)).or_insert_with(|| (*value, flow.into()));
                if held != value {
                    let of = format!("route to {peer}");
                    return Err(clash(first, held.to_string(), value.to_string(), &of));
                }
            }
            Setting::Accept(marking) => self.accept = self.accept.max(Some(*marking)),
            Setting::Offer(marking) => {
                let (held, first) = self.offer.get_or_insert_with(|| (*marking, flow.into()));
                if held != marking {
                    let word = |m: &EcnMode| tcp_ecn_value(*m, *m).to_string();
                    return Err(clash(first, word(held), word(marking), "net.ipv4.tcp_ecn"));
                }
            }
        }
        Ok(())
    }

    /// The settings that follow from all requests.
    pub fn settings(self) -> HostSettings {
        let mut sysctls: BTreeMap<String, String> =
            self.sysctls.into_iter().map(|(key, (value, _))| (key.into(), text(&value))).collect();
        if self.offer.is_some() || self.accept.is_some() {
            let ecn =
                tcp_ecn_value(self.offer.unwrap_or_default().0, self.accept.unwrap_or_default());
            sysctls.insert("net.ipv4.tcp_ecn".into(), ecn.to_string());
        }
        let mut routes: BTreeMap<IpAddr, RouteMetrics> = BTreeMap::new();
        for ((peer, metric), (value, _)) in self.metrics {
            let route = routes.entry(peer).or_default();
            match metric {
                Metric::Initcwnd => route.initcwnd = Some(value),
                Metric::RtoMin => route.rto_min_ms = Some(value),
                Metric::Quickack => route.quickack = Some(value != 0),
            }
        }
        HostSettings { sysctls, routes }
    }
}

/// Formats several numbers as sysctl(8) does.
fn text(values: &[u64]) -> String {
    values.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}
