//! Helpers for tests of the testbed.
use crate::error::EnvError;
use crate::host::namespace::Namespace;
use crate::host::tun::{Tun, TunSpec};

/// True if this machine lets a test make namespaces with TUN devices. If not, it prints the reason
/// and the test is to return; if the environment's `DUMBBELL_REQUIRE` names `netns`, that is a
/// failure.
///
/// # Panics
/// It was required and is not possible.
pub fn namespaces() -> bool {
    let tried = || -> Result<(), EnvError> {
        let namespace = Namespace::new()?;
        Tun::open(&namespace, &TunSpec::default()).map(drop)
    };
    possible("netns", tried())
}

/// True if something that a test needs is possible, by the same rule.
///
/// # Panics
/// It was required and is not possible.
pub fn possible(what: &str, tried: Result<(), EnvError>) -> bool {
    let Err(failure) = tried else { return true };
    let required = std::env::var("DUMBBELL_REQUIRE").unwrap_or_default();
    assert!(
        !required.split([',', ' ']).any(|word| word == what),
        "{what} is required here: \
        {failure}"
    );
    #[expect(clippy::print_stderr, reason = "a test that does not test says so")]
    {
        eprintln!("not tested, because this machine cannot: {failure}");
    }
    false
}

/// The resource that a test needs, if this machine gives it, by the same rule.
///
/// # Panics
/// It was required and is not possible.
pub fn given<T>(what: &str, tried: Result<T, EnvError>) -> Option<T> {
    match tried {
        Ok(found) => Some(found),
        Err(failure) => {
            possible(what, Err(failure));
            None
        }
    }
}
