//! The hardware's bus and the clock at which a packet's header stands on it: paper mode draws by
//! that clock.
//!
//! In a NetFPGA pipeline a packet is one word of header and then its frame, eight bytes a clock.
//! Packets follow each other on that bus, so that of two which come closer than that the later one
//! waits: clocks of headers are at least as far apart as the first of the two is long.
use dumbbell_core::units::{Clock, Time};

/// A frame without its check sequence, which a port adds and takes away: bytes of the Ethernet
/// header, and the least in all.
const HEADER: u32 = 14;
const LEAST: u32 = 60;
const PS_PER_S: u64 = 1_000_000_000_000;

/// The bus, at some clock rate.
#[derive(Clone, Debug)]
pub struct Bus {
    clock: Clock,
    /// Picoseconds of a clock if that is a whole number, else 0.
    period: u64,
    /// The first clock in which the bus is free.
    free: u64,
}

impl Bus {
    /// A free bus. Clock 0 begins at time 0.
    pub fn new(clock: Clock) -> Self {
        let hz = clock.hz().max(1);
        Bus {
            clock: Clock::from_hz(hz),
            period: if PS_PER_S.is_multiple_of(hz) { PS_PER_S / hz } else { 0 },
            free: 0,
        }
    }

    /// The clock of an instant.
    #[inline]
    pub fn clock_at(&self, now: Time) -> u64 {
        match self.period {
            0 => (u128::from(now.ps()) * u128::from(self.clock.hz()) / u128::from(PS_PER_S)) as u64,
            period => now.ps() / period,
        }
    }

    /// The words of an IP packet: a header and its frame.
    #[inline]
    pub fn words(ip_len: u32) -> u64 {
        1 + u64::from((ip_len + HEADER).max(LEAST).div_ceil(8))
    }

    /// An IP packet arrives: the clock of its header.
    #[inline]
    pub fn header(&mut self, now: Time, ip_len: u32) -> u64 {
        let clock = self.clock_at(now).max(self.free);
        self.free = clock + Self::words(ip_len);
        clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_frame() {
        // 64 bytes on the wire are 60 without the check sequence, and a shorter frame is padded to
        // them.
        assert_eq!([20, 46, 47, 50, 51].map(Bus::words), [9, 9, 9, 9, 10]);
        assert_eq!(Bus::words(1500), 1 + 190);
    }

    #[test]
    fn packets_wait_for_the_bus() {
        let mut bus = Bus::new(Clock::from_mhz(125));
        let at = |bus: &mut Bus, ns: u64| bus.header(Time::from_ps(1000 * ns), 46);
        assert_eq!([at(&mut bus, 0), at(&mut bus, 0), at(&mut bus, 7)], [0, 9, 18]);
        assert_eq!([at(&mut bus, 215), at(&mut bus, 216), at(&mut bus, 800)], [27, 36, 100]);
        assert_eq!(at(&mut bus, 887), 110, "87 ns after clock 100: the tenth clock");
    }

    #[test]
    fn any_clock_rate_is_exact() {
        let at = |mhz, ps| Bus::new(Clock::from_mhz(mhz)).clock_at(Time::from_ps(ps));
        // 156 MHz: a clock is 6410.256.. ps.
        assert_eq!([at(156, 6410), at(156, 6411), at(156, 12_821)], [0, 1, 2]);
        assert_eq!(
            [at(156, 1_000_000_000_000_000), at(125, 1_000_000_000_000_000)],
            [156_000_000_000, 125_000_000_000]
        );
    }
}
