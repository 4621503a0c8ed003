//! Algorithms that are brought, here from this very crate: named like those of the catalogue,
//! hashed into the plan, and ended with a cause when they cannot go on.
use dumbbell_algos::aqm::drop_tail::DropTail;
use dumbbell_core::aqm::{Aqm, Cx, DynAqm, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{Algorithm, Fault, read};
use dumbbell_core::packet::Meta;
use dumbbell_core::plugin::{Alarm, Failure, Page, PluginFactory, Plugins};
use dumbbell_core::units::Time;
use dumbbell_lab::api::{self, Caller};
use dumbbell_lab::language::plugins::PluginLoader;
use dumbbell_lab::language::problem::Diagnostic;
use dumbbell_lab::run::conformance;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Lets everything in; says that it cannot go on at its `after`-th packet.
struct Tired {
    inner: DropTail,
    alarm: Alarm,
    after: u64,
    seen: u64,
}

impl Aqm for Tired {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        self.seen += 1;
        if self.seen == self.after {
            let (algorithm, cause) = ("tired".into(), "it is tired".into());
            self.alarm.raise(Failure {
                algorithm,
                at: cx.now,
                cause,
                trace: Some("in tired.rs".into()),
            });
        }
        Aqm::arrive(&mut self.inner, cx, q, p, fits)
    }
}

struct Makes(Page);

impl PluginFactory<dyn DynAqm, LinkInfo> for Makes {
    fn page(&self) -> &Page {
        &self.0
    }
    fn check(&self, config: &Value) -> Result<(), Fault> {
        if config["after"] == 13 {
            Err(Fault::at("after", "13 is unlucky").fix("write 14"))
        } else {
            Ok(())
        }
    }
    fn make(
        &self,
        config: &Value,
        site: &LinkInfo,
        alarm: &Alarm,
    ) -> Result<Box<dyn DynAqm>, Fault> {
        let inner = DropTail::new(&read(&json!({}))?, site);
        let after = config["after"].as_u64().unwrap_or(0);
        Ok(Box::new(Tired { inner, alarm: alarm.clone(), after, seen: 0 }))
    }
}

fn plugins(name: &str, source_hash: &str) -> Plugins {
    let page = Page {
        name: name.into(),
        title: "Tired".into(),
        idea: "Drop Tail that may end.".into(),
        equations: "n = after".into(),
        sources: vec!["tests/plugins.rs".into()],
        language: "Rust".into(),
        file: format!("{name}.rs"),
        source_hash: source_hash.into(),
        schema: json!({ "type": "object", "properties": {
            "after": {
                "type": "integer",
                "minimum": 0,
                "default": 0,
                "description": "The packet at which it ends; 0: none.",
                "x-source": "a test",
            },
        } }),
    };
    Plugins { aqm: vec![Arc::new(Makes(page))], cc: vec![] }
}

/// Brings `tired`, or what a file's name says, and writes down which files it was asked for.
#[derive(Default)]
struct Van(Mutex<Vec<PathBuf>>);

impl PluginLoader for Van {
    fn given(&self) -> Plugins {
        plugins("tired", "0123456789abcdef")
    }
    fn file(&self, path: &Path) -> Result<Plugins, Diagnostic> {
        self.0.lock().unwrap().push(path.into());
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        if stem == "broken" {
            Err(Diagnostic::new("it is broken").fix("fix it"))
        } else {
            Ok(plugins(&stem, "ff"))
        }
    }
}

const NET: &str = r#"
duration = "3 s"
dumbbell.bottleneck = { rate = "2 Mbps", delay = "10 ms" }
flow = [{ cc = "newreno" }]
"#;

fn text(rest: &str) -> Value {
    json!({ "source": { "text": format!("{rest}\n{NET}"), "name": "net.toml" } })
}

fn with(plugins: &dyn PluginLoader) -> Caller<'_> {
    Caller { plugins, ..Caller::PLAIN }
}

#[test]
fn what_is_brought_is_named_like_the_catalogue() {
    let van = Van::default();
    let run = |queue: &str| api::ask("run", &text(queue), &with(&van));
    let plugin = run(r#"queue = { kind = "tired", limit = "9 pkt" }"#).unwrap();
    let plain = run(r#"queue = { kind = "drop_tail", limit = "9 pkt" }"#).unwrap();
    assert_eq!(plugin["queues"][0]["kind"], "tired");
    assert!(plugin["queues"][0]["drops"]["overflow"].as_u64() > Some(0));
    assert_eq!(plugin["fingerprint"], plain["fingerprint"]);
    let refused = |queue: &str| run(queue).unwrap_err().json["problems"][0].clone();
    assert_eq!(refused(r#"queue = "tyred""#)["fix"], "did you mean `tired`?");
    assert_eq!(refused(r#"queue = { kind = "tired", aftr = 1 }"#)["fix"], "did you mean `after`?");
    assert_eq!(
        refused(r#"queue = { kind = "tired", after = -1 }"#)["fix"],
        "it must be at least 0"
    );
    let unlucky = refused(r#"queue = { kind = "tired", after = 13 }"#);
    assert_eq!((&unlucky["cause"], &unlucky["fix"]), (&json!("13 is unlucky"), &json!("write 14")));
    assert_eq!((&unlucky["line"], &unlucky["key"]), (&json!(1), &json!("queue.after")));
}

#[test]
fn one_that_cannot_go_on_ends_the_run_with_its_cause() {
    let tired = text(r#"queue = { kind = "tired", after = 50 }"#);
    let problem = api::ask("run", &tired, &with(&Van::default())).unwrap_err();
    assert_eq!(problem.code, 1);
    assert!(problem.rendered.starts_with("in tired.rs\n"), "{}", problem.rendered);
    let told = &problem.json["problems"][0];
    assert_eq!(told["algorithm"], "tired");
    let at = told["time_s"].as_f64().unwrap();
    assert!(
        at > 0.0 && at < 3.0 && told["cause"].as_str().unwrap().ends_with("it is tired"),
        "{told}"
    );
}

#[test]
fn a_plan_says_which_source() {
    let plan = |van: &dyn PluginLoader| {
        let planned = api::ask("plan", &text(r#"queue = "tired""#), &with(van)).unwrap();
        (planned["points"][0]["plan_hash"].clone(), planned["points"][0]["plan"].to_string())
    };
    let (hash, plan_text) = plan(&Van::default());
    assert!(plan_text.contains(r#""source_hash":"0123456789abcdef""#));
    struct Edited;
    impl PluginLoader for Edited {
        fn given(&self) -> Plugins {
            plugins("tired", "fedcba9876543210")
        }
        fn file(&self, _: &Path) -> Result<Plugins, Diagnostic> {
            Ok(Plugins::default())
        }
    }
    assert_ne!(plan(&Edited).0, hash);
    let none = api::plan(&text(r#"queue = "red""#)).unwrap().to_string();
    assert!(!none.contains("source_hash"), "plans of the catalogue are as they were");
}

#[test]
fn files_are_relative_to_the_scenario_that_uses_them() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("below")).unwrap();
    std::fs::write(
        dir.path().join("below/base.toml"),
        format!(
            "use = [\"one.x\", \
        \"two.x\"]\n{NET}"
        ),
    )
    .unwrap();
    let top = dir.path().join("top.toml");
    std::fs::write(&top, "extends = \"below/base.toml\"\nuse = [\"three.x\"]\nqueue = \"two\"")
        .unwrap();
    let van = Van::default();
    let request = json!({ "source": { "path": top }, "use": ["zero.x"] });
    api::ask("plan", &request, &with(&van)).unwrap();
    let at = |name: &str| dir.path().join(name);
    let asked = van.0.into_inner().unwrap();
    assert_eq!(
        asked,
        [PathBuf::from("zero.x"), at("below/one.x"), at("below/two.x"), at("three.x")]
    );
}

#[test]
fn what_cannot_be_brought_is_told_where_it_is_written() {
    let refused = |rest: &str, van: &dyn PluginLoader| {
        api::ask("plan", &text(rest), &with(van)).unwrap_err().json["problems"][0].clone()
    };
    let broken = refused("use = [\"one.x\", \"broken.x\"]", &Van::default());
    assert_eq!(
        (&broken["cause"], &broken["line"], &broken["column"]),
        (&json!("it is broken"), &json!(1), &json!(17))
    );
    let red = refused("use = [\"red.x\"]", &Van::default());
    assert_eq!(red["cause"], "red.rs brings `red`, and one of the catalogue has that name");
    let twice = refused("use = [\"tired.x\"]", &Van::default());
    assert_eq!(twice["cause"], "tired.rs brings `tired`, and tired.rs has that name");
    let no_door = api::plan(&text("use = [\"one.x\"]")).unwrap_err();
    assert!(no_door.rendered.contains("it knows the catalogue only"), "{}", no_door.rendered);
    let wrong = refused("use = \"one.x\"", &Van::default());
    assert_eq!(wrong["key"], "use");
}

#[test]
fn the_suite_examines_what_is_brought() {
    let document = conformance::test(&plugins("tired", ""));
    assert_eq!(document["ok"], true, "{document}");
    let traffic = json!({ "queue": { "kind": "tired", "limit": "2 pkt", "after": 3 }, "rate": "1 \
        Mbps", "mtu": 1500,
        "delay": "10 ms", "seed": 1,
        "arrivals": [{ "gap": 0.0, "bytes": 1000 }, { "gap": 0.0, "bytes": 1000 }] });
    let driven = api::ask("drive", &traffic, &with(&Van::default())).unwrap();
    assert_eq!(driven["events"][1]["time_s"], json!(Time::from_ps(16_000_000_000).seconds()));
    let mut longer = traffic.clone();
    longer["arrivals"].as_array_mut().unwrap().push(json!({ "gap": 0.0, "bytes": 1000 }));
    assert_eq!(api::ask("drive", &longer, &with(&Van::default())).unwrap_err().code, 1);
}
