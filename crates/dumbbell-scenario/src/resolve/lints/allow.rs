//! `allow`: the warnings that a scenario silences.
use crate::language::node::{Node, path};
use crate::language::problem::{Check, Diagnostic};
use crate::language::warnings::{ALL, WarningCode};
use dumbbell_core::catalogue::nearest;

/// Refuses codes in `allow` that no warning has.
pub fn refuse_unknown(allow: &[WarningCode], root: &Node, check: &mut Check) {
    for (i, WarningCode(code)) in allow.iter().enumerate() {
        if ALL.iter().any(|lint| lint.code == code) {
            continue;
        }
        let named = ALL.iter().find(|lint| lint.name == code).map(|lint| lint.code);
        let codes: Vec<&str> = ALL.iter().map(|lint| lint.code).collect();
        let at = path(&["allow", &i.to_string()]);
        let fix = match named.or_else(|| nearest(code, &codes)) {
            Some(known) => format!("did you mean `{known}`?"),
            None => "docs/reference/warnings.md lists the codes".into(),
        };
        let d = Diagnostic::new(format!("there is no warning `{code}`"));
        check.error(d.at(root.nearest_place(&at)).fix(fix).key(&at));
    }
}

/// Removes the warnings that `allow` names.
pub fn silence(allow: &[WarningCode], check: &mut Check) {
    check.warnings.retain(|w| allow.iter().all(|allowed| allowed.0 != w.lint.code));
}
