//! Network namespaces without a name: each lives as long as a descriptor of it is open.
//!
//! Nothing is mounted and nothing has a name in the file system, so nothing is left when the
//! process ends, however it ends.
use crate::error::{Context, EnvError};
use crate::host::netlink::Netlink;
use nix::sched::{CloneFlags, setns, unshare};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

/// A network namespace, held by a descriptor. The last descriptor, socket or thread in it ends it.
#[derive(Debug)]
pub struct Namespace {
    fd: OwnedFd,
}

impl Namespace {
    /// A new one, empty but for its loopback device, which is up.
    ///
    /// # Errors
    /// This process may not make network namespaces, or the kernel has none left.
    pub fn new() -> Result<Namespace, EnvError> {
        Namespace::with(|| Ok(())).map(|(namespace, ())| namespace)
    }

    /// A new one in which `work` was done first, before its loopback device is up; gone again if
    /// that fails.
    ///
    /// # Errors
    /// As [`Namespace::new`], or as `work`.
    pub fn with<T: Send>(
        work: impl FnOnce() -> Result<T, EnvError> + Send,
    ) -> Result<(Namespace, T), EnvError> {
        in_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET).map_err(|e| forbidden(e.into()))?;
            let namespace = Namespace::current()?;
            let result = work()?;
            let mut netlink = Netlink::open()?;
            let loopback = netlink.index("lo")?;
            netlink.link(loopback).up().apply()?;
            Ok((namespace, result))
        })
    }

    /// The one that the calling thread is in.
    ///
    /// # Errors
    /// There is no /proc.
    pub fn current() -> Result<Namespace, EnvError> {
        let file =
            File::open("/proc/thread-self/ns/net").context("open /proc/thread-self/ns/net")?;
        Ok(Namespace { fd: file.into() })
    }

    /// Does `work` in a thread of its own inside this namespace and waits for it: what is opened
    /// there (sockets, devices) belongs to it forever, whoever uses it afterward. A panic in it
    /// goes on in the caller.
    ///
    /// # Errors
    /// This process may not enter the namespace. What `work` returns is not checked.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, EnvError> {
        in_thread(|| {
            self.enter()?;
            Ok(work())
        })
    }

    /// Moves the calling thread into this namespace for good.
    ///
    /// # Errors
    /// This process may not enter it.
    pub fn enter(&self) -> Result<(), EnvError> {
        setns(&self.fd, CloneFlags::CLONE_NEWNET).context("enter a network namespace")
    }

    /// A second hold on the same namespace.
    ///
    /// # Errors
    /// No descriptor is free.
    pub fn share(&self) -> Result<Namespace, EnvError> {
        Ok(Namespace {
            fd: self.fd.try_clone().context("duplicate the descriptor of a namespace")?,
        })
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Runs `work` in a thread that ends with it: a namespace is a matter of the thread.
fn in_thread<T: Send>(work: impl FnOnce() -> Result<T, EnvError> + Send) -> Result<T, EnvError> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("namespace".to_owned()).spawn_scoped(scope, work);
        match thread.context("start a thread")?.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn forbidden(error: std::io::Error) -> EnvError {
    let mut failure = EnvError::of("make a network namespace", &error);
    if error.raw_os_error() == Some(libc::EINVAL) {
        failure.fix = "use a kernel with network namespaces (CONFIG_NET_NS)".to_owned();
    }
    failure
}
