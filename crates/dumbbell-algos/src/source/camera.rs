//! Live video: a coder hands over a frame at even intervals, and follows the rate that its
//! transport sets. Over a transport that sets none it keeps the rate that it starts with.
//!
//! Sizes vary about the mean by a Laplace distribution, as the statistical model of RFC 8593 has
//! it; of that model's other parts there are neither the jitter of the intervals nor the burst
//! after a change of rate.
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::probe::Probe;
use dumbbell_core::rng::Stream;
use dumbbell_core::source::{Burst, Coder, Source};
use dumbbell_core::units::{Rate, Span, Time};
use dumbbell_macros::config;

/// Parameters of [`Camera`].
#[config]
pub struct CameraConfig {
    /// Frames per second.
    #[schemars(range(min = 1.0, max = 1000.0), extend("x-source" = "RFC 8593 section 6: 30"))]
    #[config(default = 30.0)]
    pub fps: f64,
    /// Lowest rate of the coder.
    #[schemars(extend("x-source" = "RFC 8593 section 6: 150 kbps"))]
    #[config(default = Rate::from_bps(150_000))]
    pub least: Rate,
    /// Highest rate of the coder.
    #[schemars(extend("x-source" = "RFC 8593 section 6: 1.5 Mbps"))]
    #[config(default = Rate::from_bps(1_500_000))]
    pub most: Rate,
    /// Rate until the transport sets one; default the lowest.
    #[schemars(extend("x-source" = "our choice"))]
    pub start: Option<Rate>,
    /// Scale of the Laplace distribution of frame sizes, relative to their mean; 0: all are equal.
    #[schemars(
        range(min = 0.0, max = 1.0),
        extend("x-source" = "RFC 8593 section 5.2; our choice"),
    )]
    #[config(default = 0.0)]
    pub variation: f64,
    /// Time from the capture of a frame within which all of it has to arrive.
    #[schemars(extend("x-source" = "ITU-T G.114: 150 ms one way"))]
    #[config(default = Span::from_ms(150))]
    pub budget: Span,
}

impl Config for CameraConfig {
    fn check(&self) -> Result<(), Fault> {
        if !(1.0..=1000.0).contains(&self.fps) {
            return Err(
                Fault::at("fps", format!("{} is not between 1 and 1000", self.fps)).fix("write 30")
            );
        }
        if !(0.0..=1.0).contains(&self.variation) {
            let cause = format!("{} is not between 0 and 1", self.variation);
            return Err(Fault::at("variation", cause).fix("write 0.1"));
        }
        if (self.least.bps() as f64) < 8.0 * self.fps {
            return Err(
                Fault::at("least", "a frame has less than a byte").fix("write \"150 kbps\"")
            );
        }
        if self.most < self.least {
            return Err(Fault::at("most", "it is below `least`").fix("raise it"));
        }
        if self.start.is_some_and(|start| !(self.least..=self.most).contains(&start)) {
            return Err(
                Fault::at("start", "it is not between `least` and `most`").fix("take it out")
            );
        }
        if !(Span::from_ms(1)..=Span::from_secs(10)).contains(&self.budget) {
            let cause = format!("{} is not between 1 ms and 10 s", self.budget);
            return Err(Fault::at("budget", cause).fix("write \"150 ms\""));
        }
        Ok(())
    }
}

/// A camera and its coder.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Boxed, so that the enum of all sources stays small for flows with other sources.
    coder: Box<State>,
}

#[derive(Clone, Debug)]
struct State {
    about: Coder,
    fps: f64,
    variation: f64,
    rate: Rate,
    begun: Option<Time>,
    frames: u64,
    /// Bytes of frames that rounding has left out.
    rest: f64,
}

impl Algorithm for Camera {
    type Config = CameraConfig;
    type Site = ();
    const ABOUT: About = About {
        name: "camera",
        title: "Live video",
        idea: "A coder hands over frames at even intervals, and follows the rate that the \
            transport sets.",
        equations: "interval = 1 / fps\nbytes of a frame = rate / (8 fps) * (1 + X),  X Laplace of \
            scale variation, at least -1",
        sources: &[
            "RFC 8593, Video Traffic Models for RTP Congestion Control Evaluations, section 5",
        ],
        provenance: Provenance::Reconstruction,
        ..About::PLAIN
    };
    fn new(config: &CameraConfig, (): &()) -> Self {
        let start = config.start.unwrap_or(config.least);
        let CameraConfig { fps, least, most, variation, budget, .. } = *config;
        Camera {
            coder: Box::new(State {
                about: Coder { least, most, start, budget },
                fps,
                variation,
                rate: start,
                begun: None,
                frames: 0,
                rest: 0.0,
            }),
        }
    }
}

impl State {
    /// The next frame's size, bytes.
    fn size(&mut self, rng: &mut Stream) -> u64 {
        let mean = self.rate.bps() as f64 / (8.0 * self.fps);
        let factor = if self.variation > 0.0 {
            let u = rng.unit() - 0.5;
            let off = -libm::log(1.0 - 2.0 * libm::fabs(u)) * self.variation;
            (1.0 + if u < 0.0 { -off } else { off }).max(0.0)
        } else {
            1.0
        };
        self.rest += mean * factor;
        let bytes = libm::floor(self.rest).max(1.0);
        self.rest -= bytes;
        bytes as u64
    }
}

impl Source for Camera {
    fn next(&mut self, now: Time, rng: &mut Stream) -> Option<Burst> {
        let me = &mut *self.coder;
        let begun = *me.begun.get_or_insert(now);
        // Each frame on the grid, whatever an interval is rounded to.
        let due = begun + Span::from_secs_f64(me.frames as f64 / me.fps);
        me.frames += 1;
        let bytes = me.size(rng);
        Some(Burst::new(due.since(now), bytes))
    }
    fn coder(&self) -> Option<Coder> {
        Some(self.coder.about)
    }
    fn follow(&mut self, rate: Rate) {
        self.coder.rate = rate;
    }
    fn probe(&self, _: Time, out: &mut dyn Probe) {
        out.gauge("rate_bps", self.coder.rate.bps() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(config: &CameraConfig, n: usize) -> (Vec<u64>, Time) {
        let (mut source, mut rng) = (Camera::new(config, &()), Stream::named(1, "camera"));
        let mut now = Time::ZERO;
        let sizes = (0..n)
            .map(|_| {
                let burst = source.next(now, &mut rng).unwrap();
                now += burst.after;
                burst.bytes
            })
            .collect();
        (sizes, now)
    }

    /// 150 kbps at 30 frames per second are 625 bytes a frame, and frame 3000 is at 99.966667 s.
    #[test]
    fn frames_lie_on_a_grid_and_have_their_share_of_the_rate() {
        let (sizes, last) = frames(&CameraConfig::default(), 3000);
        assert!(sizes.iter().all(|bytes| *bytes == 625));
        assert!((last.seconds() - 2999.0 / 30.0).abs() < 1e-9);
        let odd = CameraConfig { fps: 7.0, least: Rate::from_bps(100_000), ..Default::default() };
        let (sizes, _) = frames(&odd, 700);
        assert_eq!(sizes.iter().sum::<u64>(), 1_250_000);
    }

    /// A Laplace distribution of scale b has the variance 2 b^2: 0.02 here, to 4.4 standard errors
    /// (its kurtosis is 6).
    #[test]
    fn sizes_vary_by_a_laplace_distribution() {
        let most = Rate::from_bps(80_000_000);
        let config = CameraConfig {
            variation: 0.1,
            most,
            start: Some(most),
            fps: 10.0,
            ..Default::default()
        };
        let n = 40_000;
        let x: Vec<f64> = frames(&config, n).0.iter().map(|b| *b as f64 / 1e6 - 1.0).collect();
        let mean = x.iter().sum::<f64>() / n as f64;
        let variance = x.iter().map(|d| d * d).sum::<f64>() / n as f64;
        assert!(mean.abs() < 4.4 * (0.02 / n as f64).sqrt(), "{mean}");
        assert!((variance - 0.02).abs() < 4.4 * 0.02 * (5.0 / n as f64).sqrt(), "{variance}");
    }

    #[test]
    fn a_frame_follows_the_rate_that_is_set() {
        let (mut source, mut rng) =
            (Camera::new(&CameraConfig::default(), &()), Stream::named(1, "c"));
        assert_eq!(source.next(Time::ZERO, &mut rng).unwrap().bytes, 625);
        source.follow(Rate::from_bps(1_200_000));
        assert_eq!(source.next(Time::ZERO, &mut rng).unwrap().bytes, 5000);
    }

    #[test]
    fn faults_name_the_parameter() {
        let at = |c: CameraConfig| c.check().unwrap_err().at;
        let base = CameraConfig::default;
        let rate = Rate::from_bps;
        assert_eq!(at(CameraConfig { fps: 0.5, ..base() }), "fps");
        assert_eq!(at(CameraConfig { least: rate(100), ..base() }), "least");
        assert_eq!(at(CameraConfig { most: rate(100_000), ..base() }), "most");
        assert_eq!(at(CameraConfig { start: Some(rate(1)), ..base() }), "start");
        assert_eq!(at(CameraConfig { budget: Span::ZERO, ..base() }), "budget");
        assert_eq!(at(CameraConfig { variation: 2.0, ..base() }), "variation");
    }
}
