//! Network sysctls of a host. All that matter are written, because new namespaces inherit some of
//! the machine's settings and not others, and a result must not depend on them.
use crate::error::EnvError;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// The sysctls of every host unless its [`crate::host::hosts::HostSpec`] overrides them: Linux's
/// own defaults (Documentation/networking/ip-sysctl.rst), but nothing is remembered from one
/// connection to the next, and buffers may grow to 32 MiB in both directions, so that the
/// congestion control and not the buffer limits the window.
pub const BASE: &[(&str, &str)] = &[
    ("net.ipv4.ip_forward", "0"),
    ("net.ipv4.ip_no_pmtu_disc", "0"),
    ("net.ipv4.ip_default_ttl", "64"),
    ("net.ipv4.conf.all.rp_filter", "0"),
    ("net.ipv4.conf.default.rp_filter", "0"),
    ("net.ipv4.conf.all.accept_redirects", "0"),
    ("net.ipv4.conf.default.accept_redirects", "0"),
    ("net.ipv4.tcp_no_metrics_save", "1"),
    // Of sockets that ask for none. A machine may keep all but reno from being a namespace's
    // default (tcp_allowed_congestion_control); a socket may ask for any.
    ("net.ipv4.tcp_congestion_control", "reno"),
    ("net.ipv4.tcp_congestion_control", "cubic"),
    ("net.ipv4.tcp_ecn", "2"),
    ("net.ipv4.tcp_ecn_fallback", "1"),
    ("net.ipv4.tcp_sack", "1"),
    ("net.ipv4.tcp_dsack", "1"),
    ("net.ipv4.tcp_timestamps", "1"),
    ("net.ipv4.tcp_window_scaling", "1"),
    ("net.ipv4.tcp_recovery", "1"),
    ("net.ipv4.tcp_early_retrans", "3"),
    ("net.ipv4.tcp_frto", "2"),
    ("net.ipv4.tcp_reordering", "3"),
    ("net.ipv4.tcp_max_reordering", "300"),
    ("net.ipv4.tcp_slow_start_after_idle", "1"),
    ("net.ipv4.tcp_mtu_probing", "0"),
    ("net.ipv4.tcp_moderate_rcvbuf", "1"),
    ("net.ipv4.tcp_autocorking", "1"),
    ("net.ipv4.tcp_min_tso_segs", "2"),
    ("net.ipv4.tcp_tso_win_divisor", "3"),
    ("net.ipv4.tcp_pacing_ss_ratio", "200"),
    ("net.ipv4.tcp_pacing_ca_ratio", "120"),
    ("net.ipv4.tcp_rto_min_us", "200000"),
    ("net.ipv4.tcp_adv_win_scale", "1"),
    ("net.ipv4.tcp_shrink_window", "0"),
    ("net.ipv4.tcp_notsent_lowat", "4294967295"),
    ("net.ipv4.tcp_rmem", "4096 131072 33554432"),
    ("net.ipv4.tcp_wmem", "4096 16384 33554432"),
];

/// A host without IP version 6: not one packet of it.
pub const WITHOUT_V6: &[(&str, &str)] =
    &[("net.ipv6.conf.all.disable_ipv6", "1"), ("net.ipv6.conf.default.disable_ipv6", "1")];

/// A host with IP version 6 that says nothing of its own accord: it looks for no router, makes up
/// no address, and does not ask whether somebody has it.
pub const WITH_V6: &[(&str, &str)] = &[
    ("net.ipv6.conf.all.disable_ipv6", "0"),
    ("net.ipv6.conf.default.disable_ipv6", "0"),
    ("net.ipv6.conf.default.accept_ra", "0"),
    ("net.ipv6.conf.default.autoconf", "0"),
    ("net.ipv6.conf.default.router_solicitations", "0"),
    ("net.ipv6.conf.default.accept_dad", "0"),
    ("net.ipv6.conf.default.dad_transmits", "0"),
    ("net.ipv6.conf.default.addr_gen_mode", "1"),
    ("net.ipv6.conf.default.use_tempaddr", "0"),
    ("net.ipv6.conf.default.accept_redirects", "0"),
];

/// The file of a setting in the namespace of the thread that opens it.
fn path(name: &str) -> Result<PathBuf, EnvError> {
    let clean = name.starts_with("net.")
        && !name.contains(['/', '\0'])
        && !name.split('.').any(str::is_empty);
    if !clean {
        return Err(EnvError::new(
            format!("`{name}` is not a network setting of a host"),
            "name one below net, as sysctl does: net.ipv4.tcp_ecn",
        ));
    }
    Ok(PathBuf::from("/proc/sys").join(name.replace('.', "/")))
}

/// Writes a setting in the namespace of the calling thread.
///
/// # Errors
/// This kernel has no such setting, refuses the value, or /proc/sys is read-only.
pub fn write(name: &str, value: &str) -> Result<(), EnvError> {
    fs::write(path(name)?, value).map_err(|e| refused(name, value, &e))
}

/// Reads a setting in the namespace of the calling thread, without the line's end.
///
/// # Errors
/// This kernel has no such setting.
pub fn read(name: &str) -> Result<String, EnvError> {
    match fs::read_to_string(path(name)?) {
        Ok(text) => Ok(text.trim_end().to_owned()),
        Err(e) => Err(EnvError::new(
            format!("could not read the setting {name}: {e}"),
            "use a \
            kernel that has it",
        )),
    }
}

/// Writes settings that are good to have; the names of those that this kernel lacks, or has without
/// the value.
///
/// # Errors
/// None may be written at all: /proc/sys is read-only.
pub fn write_all(settings: &[(&str, &str)]) -> Result<Vec<String>, EnvError> {
    let mut absent = vec![];
    for (name, value) in settings {
        match fs::write(path(name)?, value) {
            Ok(()) => {}
            Err(e) if is_absent(&e) || is_restricted(name, &e) => absent.push((*name).to_owned()),
            Err(e) => return Err(refused(name, value, &e)),
        }
    }
    Ok(absent)
}

/// A kernel without a setting, or without what the setting names.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput)
}

/// A congestion control that the machine keeps from being the default of a namespace.
fn is_restricted(name: &str, error: &io::Error) -> bool {
    name.ends_with("tcp_congestion_control") && error.raw_os_error() == Some(libc::EPERM)
}

/// True if a setting is a congestion control that this kernel has but keeps from being the default
/// of a namespace (`tcp_allowed_congestion_control`).
pub fn is_kept_from_hosts(name: &str, value: &str) -> bool {
    let words =
        |of: &str| read(of).unwrap_or_default().split_whitespace().any(|word| word == value);
    name == "net.ipv4.tcp_congestion_control"
        && words("net.ipv4.tcp_available_congestion_control")
        && !words("net.ipv4.tcp_allowed_congestion_control")
}

fn refused(name: &str, value: &str, error: &io::Error) -> EnvError {
    let cause = format!("could not set {name} = {value}: {error}");
    let fix = match error.kind() {
        _ if is_restricted(name, error) => format!(
            "let each socket or the route ask for {value}, or permit it to all: sysctl -w \
             net.ipv4.tcp_allowed_congestion_control='reno {value}'"
        ),
        _ if name.ends_with("congestion_control") && is_absent(error) => {
            let has = read("net.ipv4.tcp_available_congestion_control")
                .unwrap_or_else(|_| "reno".to_owned());
            format!(
                "choose one that this kernel has ({has}), or load its module: modprobe \
                tcp_{value}"
            )
        }
        ErrorKind::NotFound => "leave it out, or use a kernel that has it".to_owned(),
        ErrorKind::InvalidInput => {
            "choose a value in its range (ip-sysctl.rst of the kernel's documentation)".to_owned()
        }
        ErrorKind::ReadOnlyFilesystem => {
            "mount /proc/sys writable: a container needs --privileged, or --security-opt \
                systempaths=unconfined"
                .to_owned()
        }
        _ => "run it as root, or inside a user namespace".to_owned(),
    };
    EnvError::new(cause, fix)
}
