//! Runs a plan (JSON) on a kernel: `linux PLAN KERNEL [each]`. `each`: a kernel for each host.
use dumbbell_core::plugin::Plugins;
use dumbbell_linux::run::{RunOptions, run};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

#[allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it is a program")]
fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&words[0]).expect("a plan");
    let plan = serde_json::from_str(&text).expect("a plan in JSON");
    let began = std::time::Instant::now();
    let done = run(RunOptions {
        plan: &plan,
        plugins: &Plugins::default(),
        kernel: &PathBuf::from(&words[1]),
        user_program: None,
        kernel_per_host: words.get(2).is_some_and(|word| word == "each"),
        log: Box::new(std::io::sink()),
        stop: &AtomicBool::new(false),
        progress: &|_| {},
    });
    let wall = began.elapsed().as_secs_f64();
    match done {
        Ok(done) => {
            println!("wall {wall:.2} s, kernels {:.2} s, {:?}", done.cpu_s, done.totals);
            for flow in done.outcomes.flows {
                println!(
                    "{:?} {:.3} Mbit/s retr {} cwnd {:?} rtt {:?} opened {:?} {:?}",
                    flow.control,
                    flow.goodput_bps() / 1e6,
                    flow.retransmits(),
                    flow.means.cwnd(),
                    flow.means.rtt(),
                    flow.opened,
                    flow.failure
                );
            }
        }
        Err(fault) => println!("{}", format!("{fault:?}").replace("\\n", "\n")),
    }
}
