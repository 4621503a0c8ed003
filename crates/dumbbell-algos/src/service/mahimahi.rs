//! A link trace of Mahimahi (Netravali et al., USENIX ATC 2015): a schedule of instants at which
//! bytes may leave.
use crate::service::parts::schedule::{OPPORTUNITY, Schedule};
use dumbbell_core::catalogue::{About, Algorithm, Config, Fault, Provenance};
use dumbbell_core::service::{LATEST, Service, Site, Transmitted};
use dumbbell_core::units::{Rate, Time};
use dumbbell_macros::config;

/// Picoseconds in a millisecond.
const PS_PER_MS: u64 = 1_000_000_000;

/// Parameters of [`Mahimahi`].
#[config]
pub struct MahimahiConfig {
    /// A file in Mahimahi's format, relative to the scenario that names it; used instead of
    /// `trace`.
    #[schemars(extend("x-source" = "mm-link(1): uplink, downlink"))]
    pub file: String,
    /// The opportunities: words `GAPxCOUNT*TIMES`, each GAP ms after the one before; the whole
    /// repeats.
    #[schemars(extend("x-source" = "mm-link(1): one each millisecond is 12 Mbit/s"))]
    #[config(default = each_millisecond())]
    pub trace: Schedule,
}

fn each_millisecond() -> Schedule {
    Schedule::new([1]).expect("one opportunity after the start is a schedule")
}

impl Config for MahimahiConfig {
    fn check(&self) -> Result<(), Fault> {
        if self.file.is_empty() {
            return Ok(());
        }
        // Whoever can read files has put the contents into `trace` by now.
        Err(Fault::at(
            "file",
            format!("`{}` was not read: files are read where scenarios are", self.file),
        )
        .fix("write its opportunities in `trace`"))
    }
}

/// A transmitter that waits for its opportunities.
///
/// Mahimahi's words, and what follows from them here:
/// - Each line of a trace is an opportunity to deliver 1500 bytes at that millisecond; accounts are
///   by the byte. So an opportunity carries several small packets; of a packet larger than what is
///   left of it, it carries a part, and the packet leaves when an opportunity has carried its last
///   byte.
/// - What an opportunity could carry while nothing waits is lost. To wait is to have come before
///   it: a packet that arrives at the very instant of an opportunity takes the next.
/// - At its end the trace begins again, its last millisecond being the next round's 0.
/// - Bytes are those on the wire, so a link's framing counts.
#[derive(Clone, Debug)]
pub struct Mahimahi {
    /// (millisecond, bytes then) within a round, from 1 to `period`: what is at 0 is at the end of
    /// the round before, and nothing can have come before the first.
    instants: Vec<(u64, u64)>,
    period: u64,
    rate: Rate,
    round: u64,
    /// The instant that is open, and what is left of it.
    open: usize,
    left: u64,
    window: (Time, Time),
    used: u64,
}

impl Algorithm for Mahimahi {
    type Config = MahimahiConfig;
    type Site = Site;
    const ABOUT: About = About {
        name: "mahimahi",
        title: "Mahimahi link trace",
        idea: "Bytes leave at the milliseconds that a recorded trace lists, 1500 for each of its \
            lines.",
        equations: "each line: 1500 B may leave at that millisecond; the trace repeats from its \
            last one\nsmall packets share an opportunity, a large one takes several: it leaves \
            with its last byte\nan opportunity that finds nothing waiting (come before it) is \
            lost\nnominal rate = lines * 1500 B / last millisecond",
        sources: &[
            "Netravali et al.: Mahimahi: Accurate Record-and-Replay for HTTP, USENIX ATC 2015, \
                section 4 (LinkShell)",
            "mm-link(1)",
        ],
        provenance: Provenance::Recollection,
        ..About::PLAIN
    };
    fn new(config: &MahimahiConfig, _: &Site) -> Self {
        let bytes = |n: u32| u64::from(n) * OPPORTUNITY;
        let mut instants: Vec<(u64, u64)> =
            config.trace.instants().iter().map(|(ms, n)| (u64::from(*ms), bytes(*n))).collect();
        if instants[0].0 == 0 {
            let (_, at_zero) = instants.remove(0);
            if let Some(last) = instants.last_mut() {
                last.1 += at_zero;
            }
        }
        let left = instants[0].1;
        let (period, rate) = (config.trace.period_ms(), config.trace.rate());
        Mahimahi {
            instants,
            period,
            rate,
            round: 0,
            open: 0,
            left,
            window: (Time::ZERO, Time::ZERO),
            used: 0,
        }
    }
}

impl Mahimahi {
    fn at(&self) -> Time {
        let ms = self.round.saturating_mul(self.period).saturating_add(self.instants[self.open].0);
        Time::from_ps(ms.saturating_mul(PS_PER_MS)).min(LATEST)
    }

    fn next(&mut self) {
        self.open += 1;
        if self.open == self.instants.len() {
            (self.open, self.round) = (0, self.round + 1);
        }
        self.left = self.instants[self.open].1;
    }

    /// Opens the first instant that is not before `earliest`.
    fn seek(&mut self, earliest: Time) {
        let ms = earliest.ps().div_ceil(PS_PER_MS).max(1);
        self.round = (ms - 1) / self.period;
        let within = ms - self.round * self.period;
        self.open = self.instants.partition_point(|(at, _)| *at < within);
        self.left = self.instants[self.open].1;
    }

    /// Bytes that may leave until `t`.
    fn offered(&self, t: Time) -> u64 {
        let ms = t.ps() / PS_PER_MS;
        let of = |part: &[(u64, u64)]| part.iter().map(|(_, bytes)| *bytes).sum::<u64>();
        let part = self.instants.partition_point(|(at, _)| *at <= ms % self.period);
        ms / self.period * of(&self.instants) + of(&self.instants[..part])
    }

    fn take(&mut self, bytes: u64) {
        self.left -= bytes;
        let (from, to) = self.window;
        if (from..to).contains(&Time::from_ps(self.at().ps() - 1)) {
            self.used += bytes;
        }
    }
}

impl Service for Mahimahi {
    fn finish(&mut self, arrived: Time, start: Time, wire_bytes: u32) -> Transmitted {
        let earliest = start.max(Time::from_ps(arrived.ps() + 1));
        if self.at() < earliest {
            self.seek(earliest);
        }
        let mut bytes = u64::from(wire_bytes);
        while bytes > self.left {
            bytes -= self.left;
            self.take(self.left);
            self.next();
        }
        self.take(bytes);
        Transmitted::sent(self.at())
    }
    fn rate(&self) -> Rate {
        self.rate
    }
    fn watch(&mut self, from: Time, to: Time) {
        self.window = (from, to);
    }
    fn utilization(&self) -> Option<f64> {
        let offered = self.offered(self.window.1) - self.offered(self.window.0);
        Some(if offered == 0 { 0.0 } else { self.used as f64 / offered as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_core::testing::site;
    use dumbbell_core::units::Span;

    fn ms(at: u64) -> Time {
        Time::ZERO + Span::from_ms(at)
    }

    fn service(trace: &[u64]) -> Mahimahi {
        let trace = Schedule::new(trace.iter().copied()).unwrap();
        Mahimahi::new(&MahimahiConfig { trace, ..MahimahiConfig::default() }, &site(1))
    }

    /// Packets that all come at `arrived`: when they leave, milliseconds.
    fn burst(s: &mut Mahimahi, arrived: Time, sizes: &[u32]) -> Vec<u64> {
        let mut free = arrived;
        let mut one = |bytes: &u32| {
            free = s.finish(arrived, free.max(arrived), *bytes).done;
            free.ps() / PS_PER_MS
        };
        sizes.iter().map(&mut one).collect()
    }

    #[test]
    fn an_opportunity_carries_1500_bytes_of_small_packets() {
        assert_eq!(burst(&mut service(&[5, 9, 20]), ms(1), &[500, 500, 500, 40]), [5, 5, 5, 9]);
    }

    #[test]
    fn a_packet_takes_what_is_left_and_the_rest_from_the_next() {
        // 1000 of 5 ms; 500 left and 1000 of 9 ms; 500 left and 4000 of two at 20 ms and one in the
        // next round.
        assert_eq!(burst(&mut service(&[5, 9, 20, 20]), ms(1), &[1000, 1500, 4500]), [5, 9, 25]);
    }

    #[test]
    fn equal_lines_are_several_opportunities() {
        assert_eq!(
            burst(&mut service(&[5, 5, 5, 8]), ms(0), &[1500, 1500, 1500, 1500]),
            [5, 5, 5, 8]
        );
    }

    #[test]
    fn what_finds_nothing_waiting_is_lost() {
        let mut s = service(&[5, 9, 20]);
        assert_eq!(burst(&mut s, ms(1), &[500]), [5]);
        // 1000 bytes of 5 ms are lost, and the whole of 9 ms.
        assert_eq!(burst(&mut s, ms(12), &[1500]), [20]);
    }

    #[test]
    fn who_comes_at_an_opportunity_misses_it() {
        let mut s = service(&[5, 9]);
        assert_eq!(burst(&mut s, ms(4), &[100]), [5]);
        assert_eq!(burst(&mut s, ms(5), &[100]), [9], "though 1400 bytes of it are left");
        assert_eq!(
            burst(&mut service(&[0, 3]), ms(0), &[100]),
            [3],
            "nothing comes before the \
            start"
        );
    }

    #[test]
    fn the_trace_wraps_at_its_last_millisecond() {
        // Rounds begin at 0, 10, 20: line 0 of a round is at the last of the one before.
        assert_eq!(
            burst(&mut service(&[0, 4, 10]), ms(0), &[1500; 7]),
            [4, 10, 10, 14, 20, 20, 24]
        );
        let mut s = service(&[4, 10]);
        assert_eq!(burst(&mut s, ms(1_000_003), &[1500, 1500]), [1_000_004, 1_000_010]);
        assert_eq!(burst(&mut s, ms(1_000_010), &[1500]), [1_000_014]);
    }

    #[test]
    fn utilization_is_bytes_sent_over_bytes_offered() {
        let mut s = service(&[2, 4, 6, 8, 10]);
        s.watch(ms(4), ms(20));
        // Of what may leave after 4 ms and until 20 ms, 8 times 1500 B: at 4 nothing counts, at 6
        // all, at 8 a third.
        assert_eq!(burst(&mut s, ms(3), &[1500, 1500, 500]), [4, 6, 8]);
        assert_eq!(s.utilization(), Some(2000.0 / 12_000.0));
        // A packet across the end: 1500 at 20 ms count, 500 at 22 ms do not.
        assert_eq!(burst(&mut s, ms(19), &[2000]), [22]);
        assert_eq!(s.utilization(), Some(3500.0 / 12_000.0));
    }

    #[test]
    fn a_file_that_nobody_read_is_refused() {
        let config = MahimahiConfig { file: "up.trace".into(), ..MahimahiConfig::default() };
        assert_eq!(config.check().unwrap_err().at, "file");
    }

    #[test]
    fn the_end_of_the_clock_is_reached_in_order() {
        let mut s = service(&[1_000_000_000]);
        let mut last = Time::ZERO;
        for _ in 0..30 {
            let done = s.finish(Time::ZERO, last, 1500).done;
            assert!(done >= last && done <= LATEST);
            last = done;
        }
        assert_eq!(last, LATEST);
    }
}
