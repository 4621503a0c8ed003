//! Edges as people write them, and what is wrong with some.
use crate::language::load::Source;
use crate::resolve::study::{Study, StudyInput};
use dumbbell_core::meter::{ASSURED, Action};
use dumbbell_core::packet::Dscp;
use dumbbell_plan::{Plan, Rule};
use serde_json::Map;

/// The plan of a dumbbell whose bottleneck has the edge `conditioner`, or what is wrong with that.
fn plan(conditioner: &str) -> Result<Plan, String> {
    let text = format!(
        r#"
        duration = "1 s"
        dumbbell.bottleneck = {{ rate = "10 Mbps", delay = "5 ms", conditioner = {conditioner} }}
        flow = [
            {{ name = "gold", count = 2, reserved = "2 Mbps" }},
            {{ name = "goldfish" }},
            {{ name = "be" }},
        ]
        "#
    );
    let input = StudyInput {
        source: Source::Text { text, name: "net.toml".into() },
        overrides: vec![],
        also: Map::new(),
        uses: vec![],
    };
    let study = Study::new(&input).map_err(|p| p.rendered)?;
    study.plan(&study.points[0], 1).map_err(|p| p.rendered)
}

fn rules(conditioner: &str) -> Vec<Rule> {
    let plan = plan(conditioner).unwrap_or_else(|e| panic!("{e}"));
    let bottleneck = plan.links.iter().find(|l| l.name == "bottleneck").unwrap();
    bottleneck.rules().to_vec()
}

#[test]
fn a_name_is_a_rule_for_all_packets() {
    let [rule] = &rules("\"token_bucket\"")[..] else { panic!("one rule") };
    assert_eq!(
        (rule.spec.kind.as_str(), rule.per_flow, &rule.flows),
        ("token_bucket", false, &None)
    );
    assert_eq!((&rule.codepoints, rule.colours), (&None, ASSURED));
}

#[test]
fn a_list_is_a_classifier() {
    let all = rules(
        r#"[
            { kind = "token_bucket", per = "flow", flows = "gold", in = "af21", out = "drop" },
            { kind = "token_bucket", rate = "1 Mbps", flows = [
                "gold*", "be",
            ], dscp = ["ef", 0], yellow = "pass" },
        ]"#,
    );
    assert_eq!((all[0].per_flow, &all[0].flows), (true, &Some(vec![0, 1])));
    assert_eq!(all[0].colours, [Action::Mark(Dscp(18)), Action::Drop, Action::Drop]);
    assert_eq!((all[1].per_flow, &all[1].flows), (false, &Some(vec![0, 1, 2, 3])));
    assert_eq!(all[1].codepoints, Some(vec![Dscp(0), Dscp(46)]));
    assert_eq!(all[1].colours[1], Action::Pass);
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    for (conditioner, cause, fix) in [
        (
            r#""token_buckett""#,
            "there is no meter or conditioner named `token_buckett`",
            "did you mean `token_bucket`?",
        ),
        (
            r#"{ kind = "token_bucket", per = "host" }"#,
            "neither `flow` nor `aggregate`",
            "per = \
            \"flow\"",
        ),
        (
            r#"{ kind = "token_bucket", flows = ["silver"] }"#,
            "no flow is called `silver`",
            "flows \
            are gold.1",
        ),
        (
            r#"{ kind = "token_bucket", dscp = "af15" }"#,
            "`af15` is no DiffServ codepoint",
            "af11 \
            .. af43",
        ),
        (
            r#"{ kind = "token_bucket", out = "green" }"#,
            "a packet is dropped, passes",
            "\"drop\", \
            \"pass\"",
        ),
        (
            r#"{ kind = "token_bucket", out = "be", red = "le" }"#,
            "`out` and `red` say the same",
            "keep \
            one of them",
        ),
        (
            r#"{ kind = "token_bucket", brust = "5 kB" }"#,
            "no parameter `brust`",
            "did you mean \
            `burst`?",
        ),
    ] {
        let shown = plan(conditioner).expect_err(conditioner);
        assert!(
            shown.contains(cause) && shown.contains(fix) && shown.contains("net.toml"),
            "{shown}"
        );
    }
}
