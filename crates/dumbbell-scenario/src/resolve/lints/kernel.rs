//! Runs on real kernels.
use crate::language::node::{Node, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::scenario::Profile;
use crate::language::warnings::KERNEL_PROFILE;

/// Warns of a profile that is not that of the hosts' kernel.
pub(crate) fn profile(written: &str, root: &Node, check: &mut Check) {
    let at = path(&["profile"]);
    if written != Profile::Linux.name() {
        let cause = format!(
            "the scenario has the profile `{written}`; the hosts run a Linux kernel, which `linux` \
                models"
        );
        let fix = "write profile = \"linux\"";
        let d = Diagnostic::new(cause).at(root.nearest_place(&at)).fix(fix).key(&at);
        check.warn(&KERNEL_PROFILE, d);
    }
}
