//! The bench itself, with the model as the core: it sees what is wrong, says where, and finds a
//! short stimulus.
use dumbbell_algos::aqm::red_hw::core::Shape;
use dumbbell_rtl::lockstep::campaign::{Part, Ran, measured, told};
use dumbbell_rtl::lockstep::model::ModelCore;
use dumbbell_rtl::lockstep::parameter_sets::Mode;
use dumbbell_rtl::lockstep::testbench::Action;
use dumbbell_rtl::signals::{In, Out};
use dumbbell_rtl::verilated::Clocked;

const PATIENCE: u64 = 600;

/// A core with a fault: what it says is changed on its way out, or what it is shown on its way in.
struct Faulty {
    core: ModelCore,
    fault: fn(&mut In, &mut Memory),
    wrong: fn(&mut Out, &mut Memory),
    memory: Memory,
}

/// The counters on which a fault may depend.
#[derive(Default)]
struct Memory {
    clocks: u64,
    tick: bool,
    resets: u64,
}

impl Clocked for Faulty {
    fn clock(&mut self, inputs: &In) -> Result<Out, String> {
        self.memory.clocks += 1;
        self.memory.resets += u64::from(inputs.rst);
        let mut inputs = *inputs;
        (self.fault)(&mut inputs, &mut self.memory);
        let mut out = self.core.clock(&inputs)?;
        (self.wrong)(&mut out, &mut self.memory);
        Ok(out)
    }
}

fn run(mode: &str, packets: u64, make: &dyn Fn(&Shape) -> Box<dyn Clocked>) -> (Ran, Mode) {
    let mode = Mode::read(mode).unwrap();
    let part = Part { mode: &mode, number: 0, packets, seed: 7, patience: PATIENCE };
    let ran = part.run(&|| Ok(make(&mode.parameters.shape)), &|_| true).unwrap();
    (ran, mode)
}

fn faulty(mode: &str, fault: fn(&mut In, &mut Memory), wrong: fn(&mut Out, &mut Memory)) -> Ran {
    let make = |shape: &Shape| -> Box<dyn Clocked> {
        Box::new(Faulty {
            core: ModelCore::new(shape, 6, 32, 1),
            fault,
            wrong,
            memory: Memory::default(),
        })
    };
    run(mode, 200_000, &make).0
}

#[test]
fn any_latency_and_any_interval_will_do() {
    for (latency, clearing, interval) in [(0, 0, 1), (1, 3, 1), (6, 32, 1), (40, 0, 2), (3, 500, 9)]
    {
        for mode in ["sound+gap+idle+wred+adapt", "paper+constant+gap"] {
            let make = |s: &Shape| {
                Box::new(ModelCore::new(s, latency, clearing, interval)) as Box<dyn Clocked>
            };
            let (ran, _) = run(mode, 20_000, &make);
            assert!(ran.failed.is_none(), "{latency} {clearing} {interval} {mode}");
            assert!(
                ran.counts.packets >= 20_000 && ran.counts.latency == latency,
                "{:?}",
                ran.counts
            );
        }
    }
}

/// The stimulus covers these regions in every mode that is run by default.
#[test]
fn every_region_is_met_and_queues_come_back_to_back() {
    for mode in Mode::all() {
        let make =
            || Ok(Box::new(ModelCore::new(&mode.parameters.shape, 6, 32, 1)) as Box<dyn Clocked>);
        let part = Part { mode: &mode, number: 0, packets: 300_000, seed: 1, patience: PATIENCE };
        let counts = part.run(&make, &|_| true).unwrap().counts;
        let share = |n: u64| n as f64 / counts.packets as f64;
        let said = measured(&counts);
        assert!(counts.regions.iter().all(|n| share(*n) >= 0.1), "{}: {said}", mode.name);
        assert_eq!(
            share(counts.back_to_back) >= 0.2,
            !mode.parameters.spaced,
            "{}: {said}",
            mode.name
        );
        assert!(
            (0.009..0.02).contains(&share(counts.resets + counts.writes)),
            "{}: {said}",
            mode.name
        );
        let queues = usize::from(mode.parameters.shape.queues);
        assert!(counts.queues[..queues].iter().all(|n| *n > 20_000), "{}: {said}", mode.name);
        assert!(counts.queues[queues..].iter().all(|n| *n == 0), "{}: {said}", mode.name);
    }
}

#[test]
fn a_wrong_bit_is_found_where_it_is_and_made_short() {
    // Once in a while, an average that is one too large.
    let ran = faulty(
        "sound",
        |_, _| {},
        |out, m| out.avg += u32::from(out.valid && m.clocks % 10_007 == 0),
    );
    let failed = ran.failed.expect("a mismatch");
    assert!(failed.mismatch.what.starts_with("avg_o is "), "{}", failed.mismatch.what);
    let mode = Mode::read("sound").unwrap();
    let part = Part { mode: &mode, number: 0, packets: 1, seed: 7, patience: PATIENCE };
    let said = told(&part, &failed);
    assert_eq!(said["packet"].as_u64(), Some(failed.mismatch.packet));
    assert_eq!(said["before"].as_array().map(Vec::len), Some(8));
}

/// A register that a reset forgets: nothing since the last reset shows it.
#[test]
fn what_a_reset_forgets_is_found_and_the_short_stimulus_has_two_resets() {
    let forgets = |inputs: &mut In, m: &mut Memory| {
        if inputs.rst && m.resets > 3 {
            inputs.rst = false;
        }
    };
    let ran = faulty("sound", forgets, |_, _| {});
    let short = ran.failed.expect("a mismatch").short.expect("a short stimulus");
    let resets = short.actions.iter().filter(|a| matches!(a, Action::Reset(_))).count();
    assert!(resets >= 2 && short.actions.len() < 12, "{:?}", short.actions);
}

#[test]
fn ticks_that_are_lost_are_found_and_made_short() {
    let ran =
        faulty("sound+adapt", |inputs, m| (inputs.tick, m.tick) = (false, inputs.tick), |_, _| {});
    let failed = ran.failed.expect("a mismatch");
    let short = failed.short.expect("a short stimulus");
    // Of some thousands: those packets are left without which the draws would be others.
    assert!(short.actions.len() <= 100, "{:?}", short.actions);
    let ticked = |a: &Action| matches!(a, Action::Tick) || matches!(a, Action::Packet(p) if p.tick);
    assert!(short.actions.iter().any(ticked), "{:?}", short.actions);
}

#[test]
fn a_core_that_hangs_says_so() {
    let ran = faulty("sound", |_, _| {}, |out, m| out.valid &= m.clocks < 5000);
    assert!(
        ran.failed.unwrap().mismatch.what.contains("the core hangs: no decision for 600 clocks")
    );
    let ran = faulty(
        "sound",
        |inputs, m| inputs.valid &= m.clocks < 5000,
        |out, m| out.ready &= m.clocks < 5000,
    );
    assert!(ran.failed.unwrap().mismatch.what.contains("a packet waits for ready_o"));
    let ran = faulty("sound", |_, _| {}, |out, _| out.ready = false);
    let what = ran.failed.unwrap().mismatch.what;
    assert!(what.contains("ready_o is low for 600 clocks"), "{what}");
}

#[test]
fn a_decision_that_nobody_asked_for_is_found() {
    let ran = faulty("sound", |_, _| {}, |out, m| out.valid |= m.clocks > 10_000);
    let what = ran.failed.unwrap().mismatch.what;
    assert!(
        what.contains("no decision is on its way") || what.contains("the model says"),
        "{what}"
    );
}

/// The comparisons that chance decides once in millions of packets: the stimulus has them.
#[test]
fn a_draw_that_is_the_probability_is_shown() {
    for mode in ["sound", "paper", "sound+constant", "sound+gap"] {
        let make = |shape: &Shape| -> Box<dyn Clocked> {
            Box::new(Loose(ModelCore::new(shape, 6, 32, 1)))
        };
        let (ran, _) = run(mode, 300_000, &make);
        let failed = ran.failed.unwrap_or_else(|| {
            panic!(
                "{mode}: nothing was decided by the last \
            bit"
            )
        });
        assert!(
            failed.mismatch.what.starts_with("drop_o is 1"),
            "{mode}: {}",
            failed.mismatch.what
        );
    }
}

/// Slopes one larger than they were written.
struct Loose(ModelCore);

impl Clocked for Loose {
    fn clock(&mut self, inputs: &In) -> Result<Out, String> {
        let mut inputs = *inputs;
        if inputs.cfg_we && inputs.cfg_addr >> 5 == 2 && inputs.cfg_data & 0x1_ffff != 0x1_ffff {
            inputs.cfg_data += 1;
        }
        self.0.clock(&inputs)
    }
}

#[test]
fn the_same_seed_is_the_same_stimulus() {
    let make = |s: &Shape| Box::new(ModelCore::new(s, 6, 32, 1)) as Box<dyn Clocked>;
    let counts = |mode| run(mode, 30_000, &make).0.counts;
    assert_eq!(counts("sound+gap"), counts("sound+gap"));
    assert_ne!(counts("sound+gap"), counts("sound"));
}
