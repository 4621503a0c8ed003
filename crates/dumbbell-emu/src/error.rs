//! Errors of the machine under a testbed, with advice for the user.
use std::error::Error;
use std::fmt;
use std::io;

/// A failure of this machine, with advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvError {
    /// The failure in one sentence.
    pub cause: String,
    /// Advice for the user.
    pub fix: String,
}

impl EnvError {
    /// The exit code of a program that ends with it: the machine lacks something (see
    /// docs/how-to/testbed.md).
    pub const EXIT_CODE: i32 = 4;

    /// A cause with its mending.
    pub fn new(cause: impl Into<String>, fix: impl Into<String>) -> EnvError {
        EnvError { cause: cause.into(), fix: fix.into() }
    }

    /// The kernel refused `tried` ("open a socket") with this error; advice follows from the error
    /// number.
    pub fn of(tried: &str, error: &io::Error) -> EnvError {
        EnvError::new(format!("could not {tried}: {error}"), remedy(error))
    }
}

/// The usual advice for an error number.
fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) if nix::unistd::geteuid().is_root() => {
            "root lacks the capability, as in most containers: start it with --privileged, or with \
                --cap-add NET_ADMIN --cap-add SYS_ADMIN --security-opt seccomp=unconfined --device \
                /dev/net/tun"
        }
        Some(libc::EPERM | libc::EACCES) => {
            "run it as root, or permit user namespaces: sysctl -w user.max_user_namespaces=10000"
        }
        Some(libc::ENOSPC | libc::EUSERS) => {
            "raise the limit of namespaces: sysctl user.max_net_namespaces, \
                user.max_user_namespaces, user.max_pid_namespaces"
        }
        Some(libc::EMFILE | libc::ENFILE) => "raise the limit of open files: ulimit -n 4096",
        Some(libc::ENOMEM | libc::ENOBUFS) => "free memory, or use fewer hosts",
        Some(
            libc::ENODEV
            | libc::ENXIO
            | libc::EOPNOTSUPP
            | libc::EPROTONOSUPPORT
            | libc::EAFNOSUPPORT,
        ) => "use a kernel that has it: the modules tun, veth and af_packet",
        _ => "look what the kernel says of it: dmesg | tail",
    }
}

impl fmt::Display for EnvError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; to fix it: {}", self.cause, self.fix)
    }
}

impl Error for EnvError {}

/// Says what was tried when the kernel refuses it.
pub trait Context<T> {
    /// `tried` completes "could not ...".
    ///
    /// # Errors
    /// The error that there was, with its context.
    fn context(self, tried: &str) -> Result<T, EnvError>;
}

impl<T, E: Into<io::Error>> Context<T> for Result<T, E> {
    fn context(self, tried: &str) -> Result<T, EnvError> {
        self.map_err(|e| EnvError::of(tried, &e.into()))
    }
}
