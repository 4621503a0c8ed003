//! Files, dictionaries and overrides: what may be written, and what is the same.
use crate::bottleneck;
use crate::common::{GRAPH, RED, plan, study};
use dumbbell_core::units::Capacity;
use dumbbell_lab::api;
use dumbbell_plan::Plan;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn a_scenario_lies_over_the_one_it_extends() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    std::fs::write(dir.path().join("base.toml"), format!("name = \"base\"\n{RED}")).unwrap();
    let text = "extends = \"../base.toml\"\nseed = 7\n[queue]\nlimit = \"48 pkt\"\n[[flow]]\nname \
        = \"other\"\n";
    let file = dir.path().join("sub/derived.toml");
    std::fs::write(&file, text).unwrap();
    let shown = api::plan(&json!({ "source": { "path": file } })).unwrap();
    let p: Plan = serde_json::from_value(shown["points"][0]["plan"].clone()).unwrap();
    assert_eq!(
        (p.name.as_str(), p.seed, p.flows.len(), p.flows[0].name.as_str()),
        ("derived", 7, 1, "other")
    );
    assert_eq!(
        (bottleneck(&p).capacity, &bottleneck(&p).aqm.config["min_th"]),
        (Capacity::Packets(48), &json!("6 pkt"))
    );
}

#[test]
fn a_dictionary_and_a_file_mean_the_same() {
    let from_text = api::plan(&json!({ "source": { "text": RED } })).unwrap();
    let from_value = api::plan(&json!({ "source": { "value": from_text["scenario"] } })).unwrap();
    assert_eq!(from_text["points"], from_value["points"]);
}

/// None in a dictionary is not said.
#[test]
fn null_is_absent() {
    let value = json!({
        "duration": "10 s", "queue": null,
        "dumbbell": { "bottleneck": { "rate": "10 Mbps", "delay": "10 ms" } },
        "flow": [{ "cc": null, "tcp": null, "rtt": "40 ms", "stop": null }],
    });
    assert!(api::plan(&json!({ "source": { "value": value } })).is_ok());
}

#[test]
fn the_plan_is_its_json() {
    for text in [RED, GRAPH] {
        let p = plan(text, &[]);
        assert_eq!(serde_json::from_value::<Plan>(serde_json::to_value(&p).unwrap()).unwrap(), p);
    }
}

proptest! {
    /// An override has the effect of the same value in the scenario, whatever its type, by number,
    /// name or star.
    #[test]
    fn overrides_set_what_they_say(
        seed in 0u64..i64::MAX as u64,
        sack in any::<bool>(),
        ms in 25u64..100_000,
        form in 0usize..3,
    ) {
        let at = ["0", "s", "*"][form];
        let s = study(
            RED,
            &[
                &format!("seed={seed}"),
                &format!("tcp.sack={sack}"),
                &format!(
                    "flow.{at}.rtt={ms} \
            ms"
                ),
            ],
        )
        .unwrap();
        prop_assert_eq!(&s.resolved["seed"], &json!(seed));
        prop_assert_eq!(&s.resolved["tcp"]["sack"], &json!(sack));
        prop_assert_eq!(&s.resolved["flow"][0]["rtt"], &json!(format!("{ms} ms")));
    }

    /// No text makes the reader fall over.
    #[test]
    fn any_text_is_a_scenario_or_an_error(text in "\\PC{0,80}", o in "\\PC{0,40}") {
        let _ = study(&text, &[]);
        let _ = study(RED, &[&o]);
    }

    /// A mutilated scenario, too.
    #[test]
    fn any_damage_is_survived(at in 0usize..250, length in 0usize..30, with in "[ -~]{0,6}") {
        let (a, b) = (at.min(RED.len()), (at + length).min(RED.len()));
        let _ = study(&format!("{}{with}{}", &RED[..a], &RED[b..]), &[]);
    }
}
