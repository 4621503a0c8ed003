//! Requests and responses over one connection: a client sends a request, the server sends a
//! response, the client thinks, and so on.
//!
//! The flow's sender is the server. Requests are not simulated: the acknowledgment's return path
//! stands for the request's. The server writes the first response when the flow starts, and each
//! later one a think time after the last byte of the previous response is acknowledged. The latency
//! of a response is the time from this write to the acknowledgment of its last byte, which is one
//! exchange as the client sees it. Delayed acknowledgments (RFC 1122) add their delay if a response
//! ends with an odd number of segments.
use super::parts::times::Times;
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::rng::distribution::{Distribution, Shape};
use dumbbell_core::source::{Burst, Source};
use dumbbell_core::units::{Bytes, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`RequestResponse`].
#[config]
pub struct RequestResponseConfig {
    /// Size of a response: a size, or a distribution such as
    /// `{ kind = "bounded_pareto", shape = 1.2, min = "1 kB", max = "10 MB" }`.
    #[schemars(extend("x-source" = "our choice: a small page"))]
    #[config(default = Distribution::fixed(Bytes(12_000)))]
    pub response: Distribution<Bytes>,
    /// Time from a response's end to the next request: a time, or a distribution.
    #[schemars(extend("x-source" = "our choice: a quick reader"))]
    #[config(default = Distribution(Shape::Exponential { mean: Span::from_ms(500) }))]
    pub think: Distribution<Span>,
    /// Number of responses; default: until the flow stops.
    #[schemars(range(min = 1), extend("x-source" = "our choice: no end"))]
    pub exchanges: Option<u64>,
}

impl Config for RequestResponseConfig {
    fn check(&self) -> Result<(), Fault> {
        self.response.check("response")?;
        self.think.check("think")?;
        // A distribution passes if its minimum or its mean is at least one byte.
        match self.response.quantile(0.0) < 1.0 && self.response.mean() < 1.0 {
            true => Err(Fault::at("response", "a response has at least one byte").fix(
                "write \"12 \
                kB\"",
            )),
            false => Ok(()),
        }
    }
}

/// One client that waits for each response before its next request.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    /// Boxed, so that the enum of all sources stays small for flows with other sources.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    config: RequestResponseConfig,
    /// Responses that are not yet written; `None`: no end.
    remaining: Option<u64>,
    /// The time at which the outstanding response is written, after its think time. `None` before
    /// the first response and after the last.
    response_written_at: Option<Time>,
    /// Latencies of the responses that are acknowledged.
    latencies: Vec<Span>,
}

impl Algorithm for RequestResponse {
    type Config = RequestResponseConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "request_response",
        title: "Request and response",
        idea: "Responses of random size over one connection, each a think time after the one \
            before has arrived.",
        equations: "hand-over n + 1 = acknowledgment of the last byte of n + think\n\
                    latency of n = acknowledgment of its last byte - its hand-over",
        sources: &[
            "P. Barford, M. Crovella: Generating Representative Web Workloads (SURGE), SIGMETRICS \
                1998",
            "RFC 2616 section 8.1, persistent connections without pipelining",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &RequestResponseConfig, (): &()) -> Self {
        let (config, remaining) = (config.clone(), config.exchanges);
        RequestResponse {
            inner: Box::new(Inner {
                config,
                remaining,
                response_written_at: None,
                latencies: Vec::new(),
            }),
        }
    }
}

impl Source for RequestResponse {
    fn next(&mut self, now: Time, rng: &mut Stream) -> Option<Burst> {
        let inner = &mut *self.inner;
        let first = inner.response_written_at.is_none() && inner.latencies.is_empty();
        inner.latencies.extend(inner.response_written_at.take().map(|at| now.since(at)));
        if let Some(remaining) = &mut inner.remaining {
            *remaining = remaining.checked_sub(1)?;
        }
        // Draw both every time, so that the sizes do not depend on whether a think time is used.
        let (bytes, think) = (inner.config.response.draw(rng), inner.config.think.draw(rng));
        // The first response has no think time.
        let after = if first { Span::ZERO } else { think };
        inner.response_written_at = Some(now + after);
        Some(Burst::awaited(after, bytes.0))
    }
    fn awaits(&self) -> bool {
        true
    }
    /// `responses`: the number of acknowledged responses; `latency_*`: mean and quantiles (nearest
    /// rank) of their latencies in seconds, NaN before the first.
    fn probe(&self, _: Time, out: &mut dyn Probe) {
        let latencies = Times::new(self.inner.latencies.clone());
        out.gauge("responses", latencies.count() as f64);
        out.gauge("latency_mean_s", latencies.mean());
        out.gauge("latency_p50_s", latencies.quantile(0.5));
        out.gauge("latency_p95_s", latencies.quantile(0.95));
        out.gauge("latency_p99_s", latencies.quantile(0.99));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::probe::Gauges;
    use dumbbell_core::source::Since;

    /// A conversation over a network that takes 10 ms for the first response, 20 ms for the second
    /// and so on.
    #[test]
    fn responses_follow_acknowledgements_and_are_timed() {
        let config = RequestResponseConfig {
            response: Distribution::fixed(Bytes(5000)),
            think: Distribution::fixed(Span::from_ms(100)),
            exchanges: Some(4),
        };
        let (mut source, mut rng, mut now) = (
            RequestResponse::new(&config, &()),
            Stream::named(1, "rr"),
            Time::ZERO + Span::from_secs(3),
        );
        for k in 1..=4 {
            let burst = source.next(now, &mut rng).unwrap();
            let think = if k == 1 { Span::ZERO } else { Span::from_ms(100) };
            assert_eq!(burst, Burst { after: think, bytes: 5000, next: Since::Acknowledged });
            now = now + burst.after + Span::from_ms(10 * k);
        }
        assert_eq!(source.next(now, &mut rng), None);
        let mut gauges = Gauges::default();
        source.probe(now, &mut gauges);
        let expected = [
            ("responses", 4.0),
            ("latency_mean_s", 0.025),
            ("latency_p50_s", 0.02),
            ("latency_p95_s", 0.04),
            ("latency_p99_s", 0.04),
        ];
        for (name, value) in expected {
            assert!((gauges.get(name).unwrap() - value).abs() < 1e-12, "{name}: {gauges:?}");
        }
    }

    /// The distribution of the think times does not change the sizes that are drawn.
    #[test]
    fn sizes_do_not_depend_on_the_think_time() {
        let sizes = |think| {
            let response = Distribution(Shape::Exponential { mean: Bytes(9000) });
            let config = RequestResponseConfig { response, think, exchanges: Some(50) };
            let (mut source, mut rng) =
                (RequestResponse::new(&config, &()), Stream::named(2, "rr"));
            std::iter::from_fn(|| source.next(Time::ZERO, &mut rng))
                .map(|b| b.bytes)
                .collect::<Vec<_>>()
        };
        let same = sizes(Distribution::fixed(Span::from_ms(1)));
        assert_eq!(
            same,
            sizes(Distribution(Shape::Pareto { mean: Span::from_secs(1), shape: 1.5 }))
        );
        assert_eq!(same.len(), 50);
    }
}
