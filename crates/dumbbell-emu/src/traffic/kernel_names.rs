//! The kernel's names of congestion controls.
use crate::traffic::host_settings::Unsupported;
use dumbbell_algos::cc;
use dumbbell_core::catalogue::{Entry, Kernel};
use dumbbell_plan::Spec;
use serde_json::Value;

/// The congestion controls that the kernel has: our name and the kernel's, which is its module's
/// (`tcp_NAME`), too.
pub fn known() -> impl Iterator<Item = (&'static str, &'static str)> {
    cc::CATALOGUE.iter().filter_map(|entry| match entry.about.kernel {
        Kernel::Has { name, .. } => Some((entry.about.name, name)),
        _ => None,
    })
}

/// The kernel's name of a congestion control.
///
/// # Errors
/// The kernel has none like it; or it is to have other parameters than its own, which are the
/// module's and of all connections of the machine.
pub fn kernel_name(flow: &str, control: &Spec) -> Result<&'static str, Unsupported> {
    let ours = control.kind.as_str();
    let entry = cc::CATALOGUE.iter().find(|e| e.about.name == ours);
    let kernel = match entry.map_or(Kernel::Unknown, |e| e.about.kernel) {
        Kernel::Has { name, .. } => name,
        Kernel::Lacks { why, fix } => {
            let cause = format!("the kernel has not what `{ours}` is: {why}");
            return Err(Unsupported::new(flow, "cc", cause, fix));
        }
        Kernel::Unknown => {
            let all: Vec<&str> = known().map(|(ours, _)| ours).collect();
            let fix = format!("take one of {}, or simulate", all.join(", "));
            return Err(Unsupported::new(flow, "cc", format!("the kernel has no `{ours}`"), fix));
        }
    };
    let usual = entry.map(Entry::linux_defaults);
    match usual.as_ref().and_then(|usual| differing(usual, &control.config)) {
        None => Ok(kernel),
        Some((key, usual)) => Err(Unsupported::new(
            flow,
            &format!("cc.{key}"),
            format!(
                "parameters of the kernel's `{kernel}` are its module's, of all connections of \
                the machine"
            ),
            format!("leave out `{key}`, which is {usual} then, or simulate"),
        )),
    }
}

/// The first parameter that is not the usual one, and what is usual.
fn differing(usual: &Value, config: &Value) -> Option<(String, Value)> {
    let usual = usual.as_object()?;
    let config = config.as_object()?;
    usual
        .iter()
        .find(|(key, v)| config.get(*key).is_some_and(|c| c != *v))
        .map(|(k, v)| (k.clone(), v.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(kind: &str, config: Value) -> Spec {
        Spec { kind: kind.into(), config, source_hash: None }
    }

    #[test]
    fn a_word_that_means_two_things_is_translated_or_refused() {
        let kernel = |ours: &str| kernel_name("a", &spec(ours, json!({})));
        assert_eq!(kernel("newreno").unwrap(), "reno");
        assert_eq!(kernel("sack").unwrap(), "reno");
        assert_eq!(kernel("westwood_plus").unwrap(), "westwood");
        assert!(kernel("westwood").unwrap_err().fix.contains("westwood_plus"));
        assert!(kernel("reno").unwrap_err().fix.contains("sack"));
        assert!(kernel("peach").unwrap_err().cause.contains("no `peach`"));
    }

    #[test]
    fn parameters_other_than_the_usual_ones_are_refused_by_name() {
        let entry = cc::CATALOGUE.iter().find(|e| e.about.name == "cubic").unwrap();
        let usual = entry.linux_defaults();
        assert_eq!(kernel_name("a", &spec("cubic", usual.clone())).unwrap(), "cubic");
        let mut other = usual;
        other["beta"] = json!(0.8);
        let refusal = kernel_name("a", &spec("cubic", other)).unwrap_err();
        assert_eq!(refusal.field, "cc.beta");
        assert!(refusal.fix.contains("0.7"), "{}", refusal.fix);
        let rfc = (entry.defaults)();
        let field = kernel_name("a", &spec("cubic", rfc)).unwrap_err().field;
        assert!(["cc.growth", "cc.hystart"].contains(&&*field), "{field}");
    }
}
