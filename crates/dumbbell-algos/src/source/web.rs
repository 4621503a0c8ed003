//! Pages of the World Wide Web: a reader fetches a page of several objects over one persistent
//! connection, reads it, and fetches the next one.
//!
//! The flow's sender is the server, and the client is at its receiver: it acts when the last byte
//! of an object is there in order. [`super::parts::client`] says when the server hears of it. The
//! first object of a page names the others. Then the client asks for them one by one, or for all of
//! them at once (`pipelined`: HTTP/1.1 with pipelining, or HTTP/2 with objects in order). There is
//! one connection, and no time for parsing.
use super::parts::client::{Asked, Client};
use super::parts::times::Times;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::rng::distribution::{Distribution, Shape};
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Web`].
#[config]
pub struct WebConfig {
    /// Number of objects of a page, the first one included; default: one, and a Pareto number of
    /// embedded objects (shape 1.1, from 2, cut at 55, less 2; mean 5.64).
    #[schemars(
        range(min = 1, max = 100_000),
        extend("x-source" = "3GPP2 C.R1002, HTTP traffic model"),
    )]
    pub objects: Option<u64>,
    /// Size of an object: a size, or a distribution; default: log-normal with mean 7758 B and sigma
    /// 2.36, between 50 B and 2 MB.
    #[schemars(extend("x-source" = "3GPP2 C.R1002, embedded objects"))]
    pub size: Option<Distribution<Bytes>>,
    /// Size of the first object of a page; default that of the others if `size` is written, or else
    /// log-normal with mean 10710 B and sigma 1.37, between 100 B and 2 MB.
    #[schemars(extend("x-source" = "3GPP2 C.R1002, main object"))]
    pub first: Option<Distribution<Bytes>>,
    /// Time from the end of a page to the request of the next one: a time, or a distribution.
    #[schemars(extend("x-source" = "3GPP2 C.R1002, reading time"))]
    #[config(default = Distribution(Shape::Exponential { mean: Span::from_secs(30) }))]
    pub think: Distribution<Span>,
    /// Whether all objects after the first are asked for at once.
    #[schemars(extend("x-source" = "our choice: one after the other"))]
    #[config(default = false)]
    pub pipelined: bool,
    /// Number of pages; default: until the flow stops.
    #[schemars(range(min = 1), extend("x-source" = "our choice: no end"))]
    pub pages: Option<u64>,
}

impl Config for WebConfig {
    fn check(&self) -> Result<(), Fault> {
        for (at, size) in [("size", &self.size), ("first", &self.first)] {
            let Some(size) = size else { continue };
            size.check(at)?;
            // A distribution passes if its minimum or its mean is at least one byte.
            if size.quantile(0.0) < 1.0 && size.mean() < 1.0 {
                return Err(Fault::at(at, "an object has at least one byte").fix("write \"8 kB\""));
            }
        }
        self.think.check("think")
    }
}

/// A size of the traffic model of 3GPP2: one outside the bounds is drawn again.
#[derive(Clone, Debug)]
struct Bounded {
    law: Distribution<Bytes>,
    least: Bytes,
    most: Bytes,
}

impl Bounded {
    fn log_normal(mean: u64, sigma: f64, least: u64) -> Self {
        let law = Distribution(Shape::LogNormal { mean: Bytes(mean), sigma });
        Bounded { law, least: Bytes(least), most: Bytes(2_000_000) }
    }
    /// Any size of `law`.
    fn free(law: &Distribution<Bytes>) -> Self {
        Bounded { law: law.clone(), least: Bytes(0), most: Bytes(u64::MAX) }
    }
    fn draw(&self, rng: &mut Stream) -> u64 {
        loop {
            let size = self.law.draw(rng);
            if self.least <= size && size <= self.most {
                return size.0;
            }
        }
    }
}

/// The number of embedded objects in the traffic model of 3GPP2: P(X > x) = (2 / x)^1.1 for x from
/// 2, cut at 55; then less 2, rounded down.
fn embedded(rng: &mut Stream) -> u64 {
    let x = 2.0 * libm::pow(1.0 - rng.unit(), -1.0 / 1.1);
    x.min(55.0) as u64 - 2
}

/// A reader and the server of the pages.
#[derive(Clone, Debug)]
pub struct Web {
    /// Boxed, so that the enum of all sources stays small for flows with other sources.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    config: WebConfig,
    first: Bounded,
    size: Bounded,
    client: Client,
    /// Pages that are still to be asked for; `None`: no end.
    left: Option<u64>,
    /// Objects of the present page that are still to be asked for.
    objects: u64,
    /// When the present page was asked for.
    asked: Asked,
    /// Complete pages: when each was asked for, and when it was complete.
    loads: Vec<(Asked, Time)>,
}

impl Algorithm for Web {
    type Config = WebConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "web",
        title: "Web pages",
        idea: "Pages of several objects over one persistent connection, each page a think time \
            after the one before is complete.",
        equations: "request of object k + 1 of a page = arrival of the last byte of object k\n\
                    pipelined: arrival of the last byte of object 1\n\
                    request of the next page = arrival of the last byte of the page + think\n\
                    load time of a page = arrival of its last byte - its request",
        sources: &[
            "3GPP2 C.R1002: cdma2000 Evaluation Methodology (HTTP traffic model)",
            "P. Barford, M. Crovella: Generating Representative Web Workloads (SURGE), SIGMETRICS \
                1998",
            "RFC 9112 section 9.3, persistent connections and pipelining",
        ],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &WebConfig, (): &()) -> Self {
        let size = config.size.as_ref().map(Bounded::free);
        let first = config.first.as_ref().map(Bounded::free).or_else(|| size.clone());
        Web {
            inner: Box::new(Inner {
                config: config.clone(),
                first: first.unwrap_or_else(|| Bounded::log_normal(10_710, 1.37, 100)),
                size: size.unwrap_or_else(|| Bounded::log_normal(7_758, 2.36, 50)),
                client: Client::default(),
                left: config.pages,
                objects: 0,
                asked: Asked::First,
                loads: Vec::new(),
            }),
        }
    }
}

impl Inner {
    /// The last byte of all that was asked for is there.
    fn objects_arrive(&mut self, at: Time) {
        self.client.delivered(at);
        if self.objects == 0 {
            self.loads.push((self.asked, at));
        }
    }

    /// Begins a page: when it is asked for, and the size of its first object; `None` after the last
    /// page. Numbers and times are drawn for each page in the same order, so that the sizes do not
    /// depend on the think time.
    fn page(&mut self, now: Time, rng: &mut Stream) -> Option<Burst> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1)?;
        }
        let think = self.config.think.draw(rng);
        let drawn = embedded(rng);
        self.objects = self.config.objects.map_or(drawn, |all| all - 1);
        let (asked, after) = self.client.asks(now, think);
        self.asked = asked;
        Some(Burst::awaited(after, self.first.draw(rng)))
    }

    /// The next objects of the page.
    fn rest(&mut self, now: Time, rng: &mut Stream) -> Burst {
        let count = if self.config.pipelined { self.objects } else { 1 };
        self.objects -= count;
        let bytes = (0..count).map(|_| self.size.draw(rng)).fold(0, u64::saturating_add);
        let (_, after) = self.client.asks(now, Span::ZERO);
        // The largest number means no end.
        Burst::awaited(after, bytes.min(u64::MAX - 1))
    }
}

impl Source for Web {
    fn next(&mut self, now: Time, rng: &mut Stream) -> Option<Burst> {
        let me = &mut *self.inner;
        if me.client.waits() {
            // Nobody said when they arrived.
            me.objects_arrive(now);
        }
        me.client.acknowledged(now);
        if me.objects > 0 { Some(me.rest(now, rng)) } else { me.page(now, rng) }
    }
    fn awaits(&self) -> bool {
        true
    }
    fn hears_delivery(&self) -> bool {
        true
    }
    fn delivered(&mut self, at: Time) {
        if self.inner.client.waits() {
            self.inner.objects_arrive(at);
        }
    }
    /// `pages`: the number of complete pages; `load_*`: mean and quantiles (nearest rank) of their
    /// load times in seconds, NaN before the first.
    fn probe(&self, _: Time, out: &mut dyn Probe) {
        let client = &self.inner.client;
        let loads = self.inner.loads.iter().map(|(asked, at)| client.since(*asked, *at));
        let loads = Times::new(loads.collect());
        out.gauge("pages", loads.count() as f64);
        out.gauge("load_mean_s", loads.mean());
        out.gauge("load_p50_s", loads.quantile(0.5));
        out.gauge("load_p95_s", loads.quantile(0.95));
    }
}

#[cfg(test)]
mod tests;
