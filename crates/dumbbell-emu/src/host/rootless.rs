//! Hosts without privileges: a user namespace in which this process is root of its own networks and
//! of nothing else.
//!
//! The kernel lets only a single-threaded process move into a user namespace (unshare(2)), and
//! nobody outside may enter its networks without being root. So everything has to run inside from
//! the start: a program calls [`enter`] before its first thread, or [`run`] starts it once more.
//! Inside, all is as for root, except that there is no real-time priority, and a TUN device only if
//! /dev/net/tun is open to all; a veth pair works as well.
use crate::error::EnvError;
use crate::sys::child;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// Moves this process into a user namespace of its own. It must have one thread.
///
/// # Errors
/// It has more threads, or this machine permits no user namespaces.
pub fn enter() -> Result<(), EnvError> {
    child::enter_user_namespace().map_err(|e| refused(&e))
}

/// Runs a command in a user namespace of its own and waits for it: its exit code, or 128 and the
/// number of the signal that ended it. For a program that has threads already and runs itself
/// again. The child ends with the thread that calls this.
///
/// # Errors
/// The program cannot be started, or this machine permits no user namespaces.
pub fn run(mut command: Command) -> Result<i32, EnvError> {
    child::start_in_user_namespace(&mut command);
    let status = command.status().map_err(|e| refused(&e))?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

fn refused(error: &io::Error) -> EnvError {
    let restricted = |name: &str, value: &str| {
        fs::read_to_string(format!("/proc/sys/{name}")).is_ok_and(|text| text.trim() == value)
    };
    let fix = match error.kind() {
        ErrorKind::InvalidInput => {
            "enter it before the first thread starts, or run the program again inside".to_owned()
        }
        ErrorKind::NotFound => "name a program that there is".to_owned(),
        _ if restricted("kernel/apparmor_restrict_unprivileged_userns", "1") => {
            "run as root, or permit it: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
                .to_owned()
        }
        _ if restricted("kernel/unprivileged_userns_clone", "0") => {
            "run as root, or permit it: sysctl -w kernel.unprivileged_userns_clone=1".to_owned()
        }
        _ if restricted("user/max_user_namespaces", "0") => {
            "run as root, or permit it: sysctl -w user.max_user_namespaces=10000".to_owned()
        }
        _ => "run as root; a container needs --security-opt seccomp=unconfined".to_owned(),
    };
    EnvError::new(format!("could not enter a user namespace: {error}"), fix)
}
