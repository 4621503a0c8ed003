//! Runs on real kernels.
use crate::language::node::{Node, path};
use crate::language::problem::{Check, Diagnostic, Place};
use crate::language::scenario::Profile;
use crate::language::warnings::KERNEL_PROFILE;

/// The profile that the user wrote, and its place, or that of the scenario without one.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    name: String,
    place: Place,
}

impl Written {
    /// That of a scenario with the user's overrides.
    pub fn of(root: &Node) -> Self {
        let at = path(&["profile"]);
        let name = root.get("profile").and_then(Node::as_str).unwrap_or(Profile::Rfc.name());
        Written { name: name.into(), place: root.nearest_place(&at) }
    }
}

/// Warns of a profile that is not that of the hosts' kernel.
pub(crate) fn profile(written: &Written, check: &mut Check) {
    if written.name != Profile::Linux.name() {
        let cause = format!(
            "the scenario has the profile `{}`; the hosts run a Linux kernel, which `linux` models",
            written.name
        );
        let fix = "write profile = \"linux\"";
        let d = Diagnostic::new(cause).at(written.place).fix(fix).key(&path(&["profile"]));
        check.warn(&KERNEL_PROFILE, d);
    }
}
