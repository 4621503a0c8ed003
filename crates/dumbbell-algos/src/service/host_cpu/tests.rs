//! Closed forms of a host's processor.
use super::presets;
use super::*;
use dumbbell_core::testing::site;
use dumbbell_core::units::Bytes;

/// A processor and when it is free.
struct Host {
    cpu: HostCpu,
    free: Time,
}

impl Host {
    fn new(config: &HostCpuConfig, until: Span) -> Self {
        let mut cpu = HostCpu::new(config, &site(1));
        cpu.watch(Time::ZERO, Time::ZERO + until);
        Host { cpu, free: Time::ZERO }
    }
    fn gets(&mut self, at: Time, len: u32) -> Time {
        let start = self.free.max(at);
        self.free = self.cpu.finish(at, start, len).done;
        self.free
    }
    /// Equal packets at a steady rate, the first at 0.
    fn steady(config: &HostCpuConfig, every: Span, count: u64, len: u32) -> CpuCost {
        let mut host = Host::new(config, every * (count + 1000));
        for i in 0..count {
            host.gets(Time::ZERO + every * i, len);
        }
        host.cpu.cpu_cost().unwrap()
    }
    fn cpu_cost(&self) -> CpuCost {
        self.cpu.cpu_cost().unwrap()
    }
}

/// The cost that the counts imply.
fn accounted(c: &HostCpuConfig, s: &CpuCost) -> f64 {
    (s.packets - s.merged) as f64 * c.per_packet
        + s.merged as f64 * c.per_merged
        + s.bytes as f64 * c.per_byte()
        + s.pages as f64 * c.per_page
        + s.interrupts as f64 * c.per_interrupt
}

fn all_costs() -> HostCpuConfig {
    HostCpuConfig {
        clock: Clock::from_mhz(3000),
        per_packet: 1000.0,
        per_merged: 100.0,
        aggregate: Bytes(16_000),
        copy: 1.25,
        checksum: 0.5,
        checksum_offload: false,
        per_page: 300.0,
        per_interrupt: 2500.0,
        ..HostCpuConfig::default()
    }
}

/// Jo, Kwak and Byeon 2004, section 3.1: one frame of 9 KB in place of six of 1.5 KB saves five
/// headers, 6,000 cycles.
#[test]
fn one_jumbo_frame_saves_five_headers() {
    let config = presets::find("header_2004").unwrap().cpu;
    let cost = |frames: u64, len| Host::steady(&config, Span::from_ms(1), frames, len).cycles;
    assert_eq!(cost(6, 1500) - cost(1, 9000), 6000.0);
    assert_eq!(6.0 * config.packet_cycles(1500) - config.packet_cycles(9000), 6000.0);
}

/// Section 3.2: as many pages as a packet has begun; without copies they are what is left of its
/// length.
#[test]
fn pages_are_counted_as_begun_and_zero_copy_leaves_nothing_else() {
    let config =
        HostCpuConfig { per_page: 100.0, copy: 1.0, zero_copy: true, ..HostCpuConfig::default() };
    for (len, pages) in [(40, 1), (1500, 1), (4096, 1), (4097, 2), (8192, 2), (9000, 3), (9180, 3)]
    {
        assert_eq!(config.packet_cycles(len), 1200.0 + f64::from(pages) * 100.0);
        assert_eq!(
            Host::steady(&config, Span::from_ms(1), 7, len).pages,
            7 * u64::from(pages as u32)
        );
    }
    let copied = HostCpuConfig { zero_copy: false, ..config };
    assert_eq!(copied.packet_cycles(1500), 1200.0 + 100.0 + 1500.0);
    let summed = HostCpuConfig { checksum: 0.5, checksum_offload: false, ..copied };
    assert_eq!(summed.packet_cycles(1500), 1200.0 + 100.0 + 2250.0);
}

/// Always a packet waiting: n of them take n times the cycles of one, to the picosecond, at a clock
/// that no picosecond divides; and the goodput is clock / (per_packet / payload + per_byte ...).
#[test]
fn a_saturated_core_is_through_with_clock_over_cost() {
    let config =
        HostCpuConfig { clock: Clock::from_hz(2_799_999_983), aggregate: Bytes(0), ..all_costs() };
    let (count, len, header) = (10_000u32, 1500, 52);
    let mut host = Host::new(&config, Span::from_secs(1));
    for _ in 0..count {
        host.gets(Time::ZERO, len);
    }
    let cycles = f64::from(count) * (1000.0 + 1500.0 * 1.75 + 300.0) + 2500.0;
    let exact = (cycles * 1e12 / 2_799_999_983.0) as u64;
    assert_eq!(host.free.ps(), exact);
    let measured = f64::from(count * (len - header)) * 8.0 / host.free.seconds();
    let formula = 2_799_999_983.0 * 8.0 / ((1000.0 + 300.0) / 1448.0 + 1.75 * 1500.0 / 1448.0);
    assert!((config.limit_bps(len, header).unwrap() / formula - 1.0).abs() < 1e-12);
    assert!(
        (measured / formula - 1.0).abs() < 1e-4,
        "but for its one interrupt: {measured} \
        {formula}"
    );
}

/// Below saturation a core is busy for cost times rate over clock, at every rate.
#[test]
fn utilization_is_linear() {
    let config = HostCpuConfig { interrupts: false, ..all_costs() };
    let capacity = 3e9 / config.packet_cycles(1500);
    for share in [0.1, 0.25, 0.5, 0.9, 0.99] {
        let (every, count) = (Span::from_secs_f64(1.0 / (capacity * share)), 10_000);
        let mut host = Host::new(&config, every * count);
        for i in 0..count {
            host.gets(Time::ZERO + every * i, 1500);
        }
        let used = host.cpu.utilization().unwrap();
        assert!((used - share).abs() < 1e-6, "{used} {share}");
    }
}

/// Steady packets, a core that is through with each at once: with a throttle there are min(rate, 1
/// / gap) interrupts a second; with a delay each serves those that come in it.
#[test]
fn interrupts_are_throttled_and_coalesced_as_their_closed_forms_say() {
    let fast =
        HostCpuConfig { clock: Clock::from_hz(1_000_000_000_000), ..HostCpuConfig::default() };
    let (every, count) = (Span::from_us(10), 100_000);
    let second = (every * count).seconds();
    for gap_us in [0, 4, 9, 25, 125, 1000] {
        let config = HostCpuConfig { interrupt_gap: Span::from_us(gap_us), ..fast.clone() };
        let per_s = Host::steady(&config, every, count, 1500).interrupts as f64 / second;
        let law = f64::min(1e5, 1e6 / gap_us as f64);
        assert!((per_s / law - 1.0).abs() < 1e-3, "{gap_us}: {per_s} {law}");
        let closed = config.interrupts_per_packet(Load::Light(1e5)) * 1e5;
        assert!((closed / law - 1.0).abs() < 1e-9, "{gap_us}: {closed} {law}");
    }
    for wait_us in [0, 4, 15, 25, 105] {
        let config = HostCpuConfig { coalesce_time: Span::from_us(wait_us), ..fast.clone() };
        let per_s = Host::steady(&config, every, count, 1500).interrupts as f64 / second;
        let law = 1e5 / (1 + wait_us / 10) as f64;
        assert!((per_s / law - 1.0).abs() < 1e-3, "{wait_us}: {per_s} {law}");
        let closed = config.interrupts_per_packet(Load::Light(1e5)) * 1e5;
        assert!((closed / law - 1.0).abs() < 1e-9, "{wait_us}: {closed} {law}");
    }
}

/// The first packet of an idle core waits for its interrupt, the next that is there by then does
/// not; one that comes later waits again.
#[test]
fn a_delay_is_the_first_packets() {
    let config = HostCpuConfig { coalesce_time: Span::from_us(50), ..HostCpuConfig::default() };
    let mut host = Host::new(&config, Span::from_secs(1));
    let us = |us: f64| Time::ZERO + Span::from_us(100) + Span::from_secs_f64(us * 1e-6);
    let took = [0.0, 20.0, 52.0, 60.0, 200.0].map(|at| host.gets(us(at), 1500));
    // 1.2 us each: two at the interrupt, one that finds them being handled, one that finds nobody,
    // and one more.
    assert_eq!(took, [51.2, 52.4, 53.6, 111.2, 251.2].map(us));
    assert_eq!(host.cpu_cost().interrupts, 3);
}

/// Six packets of 1500 bytes that wait behind each other are one of up to 9000; a shorter one ends
/// what is gathered, short ones and those that come alone are never part of it.
#[test]
fn packets_that_wait_are_gathered() {
    let config = HostCpuConfig { aggregate: Bytes(9000), ..HostCpuConfig::default() };
    let merged = |lengths: &[u32]| {
        let mut host = Host::new(&config, Span::from_secs(1));
        let mut before = 0;
        let mut one = |len: &u32| {
            host.gets(Time::ZERO, *len);
            let now = host.cpu_cost().merged;
            std::mem::replace(&mut before, now) < now
        };
        lengths.iter().map(&mut one).collect::<Vec<bool>>()
    };
    let [y, n] = [true, false];
    assert_eq!(merged(&[1500; 8]), [n, y, y, y, y, y, n, y]);
    assert_eq!(merged(&[1500, 1500, 700, 700, 1500]), [n, y, y, n, n]);
    assert_eq!(merged(&[1500, 40, 1500, 1500]), [n, n, n, y]);
    assert_eq!(merged(&[52; 4]), [n; 4]);
    assert_eq!(Host::steady(&config, Span::from_ms(1), 100, 1500).merged, 0);
    assert_eq!(config.train_cycles(1500), (1200.0 + 5.0 * 120.0) / 6.0);
    assert_eq!(config.train_cycles(9000), 1200.0);
}

/// Cycles are those of the counts, exactly, whatever came; those of a window are of what was done
/// in it.
#[test]
fn cycles_are_conserved() {
    let config = HostCpuConfig {
        coalesce_time: Span::from_us(3),
        interrupt_gap: Span::from_us(40),
        ..all_costs()
    };
    let (mut host, mut rng, mut now) = (
        Host::new(&config, Span::from_ms(20)),
        dumbbell_core::rng::Stream::named(7, "traffic"),
        Time::ZERO,
    );
    let mut all = CpuCost::default();
    while now < Time::ZERO + Span::from_ms(30) {
        now += Span::from_ps(u64::from(rng.below(9_000_000)));
        let len = 40 + rng.below(8960);
        let done = host.gets(now, len);
        if done <= Time::ZERO + Span::from_ms(20) {
            (all.packets, all.bytes) = (all.packets + 1, all.bytes + u64::from(len));
        }
    }
    let s = host.cpu_cost();
    assert_eq!((s.packets, s.bytes), (all.packets, all.bytes));
    assert!(s.merged > 100 && s.interrupts > 50 && s.packets - s.merged > 1000, "{s:?}");
    assert!((accounted(&config, &s) - s.cycles).abs() < 1e-6 * s.cycles, "{s:?}");
    let busy = host.cpu.utilization().unwrap() * config.clock.cycles_in(Span::from_ms(20));
    assert!((busy - s.cycles).abs() < 2.0 * (config.packet_cycles(9000) + 2500.0), "{busy} {s:?}");
}

/// The presets are what their pages say: one cycle for each bit of 2004, 42 Gbit/s of 2021; and
/// what larger packets bring.
#[test]
fn presets_say_what_was_published() {
    let bit = |name: &str, mtu| {
        presets::find(name).unwrap().cpu.cycles_per_bit(mtu, 52, Load::Saturated).unwrap()
    };
    let old = presets::find("server_2004").unwrap().cpu;
    let at_a_gigabit = old.cycles_per_bit(1500, 52, Load::Light(1e9 / 1538.0 / 8.0)).unwrap();
    assert!((at_a_gigabit - 1.0).abs() < 0.03, "{at_a_gigabit}");
    let new = presets::find("server_2021").unwrap().cpu;
    let limit = new.limit_bps(9000, 52).unwrap();
    assert!((limit / 42e9 - 1.0).abs() < 0.03, "{limit}");
    let saves = |name| 1.0 - bit(name, 9000) / bit(name, 1500);
    let round = |x: f64| libm::round(x * 100.0);
    assert_eq!(
        ["header_2004", "server_2004", "server_2021"].map(|name| round(saves(name))),
        [84.0, 70.0, 50.0]
    );
    for preset in presets::all() {
        use dumbbell_core::catalogue::Config;
        assert!(preset.cpu.check().is_ok() && !preset.sources.is_empty() && preset.ring > 0);
    }
}

/// A sending host gets no interrupts and has the same costs otherwise.
#[test]
fn a_sender_is_not_interrupted() {
    let config = HostCpuConfig {
        coalesce_time: Span::from_us(50),
        interrupt_gap: Span::from_us(90),
        ..all_costs()
    };
    let s = Host::steady(&config.sending(), Span::from_ms(1), 100, 1500);
    assert_eq!((s.interrupts, s.cycles), (0, 100.0 * config.packet_cycles(1500)));
}
