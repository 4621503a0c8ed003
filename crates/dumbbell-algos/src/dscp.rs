//! Names of DiffServ codepoints, and the mapping of codepoints to classes of service.
use dumbbell_core::catalogue::Fault;
use dumbbell_core::packet::Dscp;
use std::collections::BTreeMap;

/// A configuration's table from codepoints (0 to 63, or names such as `ef`, `af41`, `cs5`) to
/// classes.
pub type Table = BTreeMap<String, u32>;

/// The codepoint of a name of RFC 2474, 2597, 3246, 5865 or 8622, or of a number.
pub fn codepoint(text: &str) -> Option<Dscp> {
    let text = text.trim().to_ascii_lowercase();
    let digit =
        |i: usize| text.as_bytes().get(i).and_then(|b| b.is_ascii_digit().then(|| b - b'0'));
    let value = match text.as_str() {
        "be" | "df" => Some(0),
        "le" => Some(1),
        "va" => Some(44),
        "ef" => Some(46),
        t if t.len() == 3 && t.starts_with("cs") => digit(2).filter(|n| *n < 8).map(|n| 8 * n),
        t if t.len() == 4 && t.starts_with("af") => match (digit(2), digit(3)) {
            (Some(class @ 1..=4), Some(drop @ 1..=3)) => Some(8 * class + 2 * drop),
            _ => None,
        },
        t => t.parse().ok(),
    };
    value.filter(|v| *v < 64).map(Dscp)
}

/// The class of each of the 64 codepoints: what the table says, and `default` for the others.
pub fn classes(table: &Table, default: u32) -> [u32; 64] {
    let mut out = [default; 64];
    for (name, class) in table {
        if let Some(Dscp(value)) = codepoint(name) {
            out[usize::from(value)] = *class;
        }
    }
    out
}

/// A name that is not a codepoint, or a class beyond the `count` that there are, in the table at
/// `key`.
///
/// # Errors
/// The entry at fault, the cause and the fix.
pub fn check(table: &Table, key: &str, count: u32) -> Result<(), Fault> {
    let mut seen: [Option<&str>; 64] = [None; 64];
    for (name, class) in table {
        let at = format!("{key}.{name}");
        let Some(Dscp(value)) = codepoint(name) else {
            let fault = Fault::at(&at, format!("`{name}` is no DiffServ codepoint"));
            return Err(fault.fix(
                "write a number from 0 to 63, or ef, af11 .. af43, cs0 .. cs7, \
                le, va, be",
            ));
        };
        if let Some(other) = seen[usize::from(value)].replace(name) {
            let fault = Fault::at(
                &at,
                format!(
                    "`{name}` and `{other}` are the same codepoint, \
                {value}"
                ),
            );
            return Err(fault.fix("leave one of them out"));
        }
        if *class >= count {
            let last = count.saturating_sub(1);
            let fault = Fault::at(
                &at,
                format!(
                    "`{name}` is in class {class}, and the last of the \
                {count} is {last}"
                ),
            );
            return Err(fault.fix(format!(
                "have {} classes, or write {key} = {{ {name} = {last}, \
                ... }}",
                class + 1
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_rfcs() {
        let of = |t: &str| codepoint(t).map(|d| d.0);
        assert_eq!(
            ["be", "EF", "af11", "AF43", "cs1", "cs7", "le", "va", "17"].map(of),
            [0, 46, 10, 38, 8, 56, 1, 44, 17].map(Some)
        );
        assert_eq!(["af14", "af51", "cs8", "64", "-1", "x", "", "cs", "afxy"].map(of), [None; 9]);
    }

    #[test]
    fn a_class_that_does_not_exist_is_refused() {
        let table = Table::from([("ef".to_string(), 3)]);
        let fault = check(&table, "map", 3).unwrap_err();
        assert_eq!(
            (fault.at.as_str(), fault.cause.as_str()),
            ("map.ef", "`ef` is in class 3, and the last of the 3 is 2")
        );
        assert!(check(&table, "map", 4).is_ok());
        let twice = Table::from([("46".to_string(), 0), ("ef".to_string(), 1)]);
        assert_eq!(
            check(&twice, "map", 4).unwrap_err().cause,
            "`ef` and `46` are the same \
            codepoint, 46"
        );
        assert_eq!(
            check(&Table::from([("eff".to_string(), 0)]), "map", 4).unwrap_err().at,
            "map.eff"
        );
    }
}
