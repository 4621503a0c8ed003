//! A program inside a host that has nobody to talk to:
//! `cargo run -p dumbbell-emu --example shell -- ip address`.
#![allow(missing_docs)]
use dumbbell_emu::host::hosts::{Datapath, HostSpec, Hosts};
use dumbbell_emu::host::program::Program;
use std::process::{Command, exit};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args_os().skip(1);
    let mut command = Command::new(words.next().unwrap_or("sh".into()));
    command.args(words);
    let hosts = Hosts::up(&[HostSpec::numbered(0, "host")], Datapath::Auto)?;
    let code = Program::start(&hosts.hosts[0].namespace, command)?.wait();
    drop(hosts);
    exit(code)
}
