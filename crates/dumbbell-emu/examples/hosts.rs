//! Measures the time that bringing hosts up and down takes:
//! `cargo run --release -p dumbbell-emu --example hosts -- 6 tun`.
#![allow(clippy::disallowed_methods, clippy::print_stdout, missing_docs)]
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = arguments.first().map_or(Ok(6), |n| n.parse())?;
    let datapath = if arguments.get(1).is_some_and(|way| way == "veth") {
        Datapath::AfPacket
    } else {
        Datapath::Tun
    };
    let specs: Vec<_> = (0..number).map(|n| HostSpec::numbered(n, format!("h{n}"))).collect();
    for _ in 0..10 {
        let start = Instant::now();
        let hosts = Hosts::up(&specs, datapath)?;
        let up = start.elapsed();
        drop(hosts);
        println!(
            "up {:.1} ms, down {:.1} ms",
            up.as_secs_f64() * 1e3,
            (start.elapsed() - up).as_secs_f64() * 1e3
        );
    }
    Ok(())
}
