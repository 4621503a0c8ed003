//! `red_rtl`: the RTL as a queue's algorithm. It has the page, the parameters and the defaults of
//! `red_hw`, and stands in scenarios where that could.
use crate::compile::possible;
use crate::core_ports::Parameters;
use crate::fault::Fault as RtlFault;
use crate::rtl_decider::RtlDecider;
use crate::sources::{self, Sources};
use crate::verilated::Verilated;
use dumbbell_algos::aqm;
use dumbbell_algos::aqm::red_hw::{Adapter, RedHw, RedHwConfig};
use dumbbell_core::aqm::{Aqm, Cx, DynAqm, LinkInfo, QueueView, Verdict};
use dumbbell_core::catalogue::{About, Algorithm, Entry, Fault, Kernel, Look, PlotColor, Size};
use dumbbell_core::packet::Meta;
use dumbbell_core::plugin::{Alarm, AqmFactory, Failure, Page, PluginFactory, Plugins};
use dumbbell_core::probe::Probe;
use dumbbell_core::units::Span;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Its name.
pub const NAME: &str = "red_rtl";

/// The plugins that every scenario may name: `red_rtl`.
pub fn plugins() -> Plugins {
    static MAKER: OnceLock<AqmFactory> = OnceLock::new();
    let factory = MAKER.get_or_init(|| Arc::new(RedRtl { page: page(), model: model() }));
    Plugins { aqm: vec![Arc::clone(factory)], cc: vec![] }
}

/// The model's entry in the catalogue, whose parameters these are.
fn model() -> &'static Entry {
    aqm::CATALOGUE.iter().find(|e| e.about.name == RedHw::ABOUT.name).expect(
        "the model is in the \
        catalogue",
    )
}

fn page() -> Page {
    let about = RedHw::ABOUT;
    let own = "rtl/red/core: the SystemVerilog itself, verilated; each decision is its own";
    Page {
        name: NAME.into(),
        title: "RED in hardware: the RTL itself".into(),
        idea: "The SystemVerilog of `red_hw`, verilated, decides each packet; needs Verilator and \
            a C++ compiler."
            .into(),
        equations: format!(
            "those of {}, in every bit: `dumbbell explain {}`",
            about.name, about.name
        ),
        sources: std::iter::once(own)
            .chain(about.sources.iter().copied())
            .map(String::from)
            .collect(),
        language: "SystemVerilog".into(),
        file: "rtl/red/core/red_core.sv".into(),
        source_hash: sources::hash(),
        schema: (model().schema)().clone(),
    }
}

struct RedRtl {
    page: Page,
    model: &'static Entry,
}

impl RedRtl {
    fn read(&self, config: &Value) -> Result<RedHwConfig, Fault> {
        let config = (self.model.resolve)(config)?;
        serde_json::from_value(config).map_err(|e| Fault::at("", e.to_string()))
    }

    fn library(&self, config: &RedHwConfig) -> Result<Verilated, Fault> {
        let parameters = Parameters { shape: config.shape(), spaced: false };
        Verilated::build(&Sources::Core, &parameters).map_err(|lack| match lack {
            RtlFault::Missing { cause, fix } => Fault::at("", cause).fix(fix),
            other => Fault::at("", format!("the RTL of {NAME} cannot be built: {other}")),
        })
    }
}

impl PluginFactory<dyn DynAqm, LinkInfo> for RedRtl {
    fn page(&self) -> &Page {
        &self.page
    }
    fn check(&self, config: &Value) -> Result<(), Fault> {
        (self.model.resolve)(config).map(drop)
    }
    fn resolve(&self, config: &Value) -> Result<Value, Fault> {
        (self.model.resolve)(config)
    }
    fn defaults(&self) -> Value {
        (self.model.defaults)()
    }
    fn about(&self) -> Option<About> {
        Some(About {
            rule: "the same, by the circuit's own SystemVerilog, verilated",
            look: Some(Look::new(PlotColor::Vermillion, 'P', 6)),
            kernel: Kernel::Lacks { why: "it is a circuit; tc's red is `red`", fix: "" },
            size: Size { measures: "as `red_hw`", ..RedHw::ABOUT.size },
            ..RedHw::ABOUT
        })
    }
    fn chance(&self) -> &str {
        self.model.chance
    }
    fn interpreted(&self) -> bool {
        false
    }
    fn lacks(&self) -> Option<Fault> {
        match possible() {
            Err(RtlFault::Missing { cause, fix }) => {
                Some(Fault::at("", format!("{NAME}: {cause}")).fix(fix))
            }
            _ => None,
        }
    }
    fn make(&self, config: &Value, _: &LinkInfo, alarm: &Alarm) -> Result<Box<dyn DynAqm>, Fault> {
        let config = self.read(config)?;
        let core = self.library(&config)?.core().map_err(|e| Fault::at("", e.to_string()))?;
        let adapter = Adapter::new(&config, |shape| RtlDecider::new(core, &shape));
        Ok(Box::new(Queue { adapter, alarm: alarm.clone() }))
    }
}

/// The core in front of a queue, and where it says that it cannot go on.
struct Queue {
    adapter: Adapter<RtlDecider>,
    alarm: Alarm,
}

impl Aqm for Queue {
    fn arrive(&mut self, cx: &mut Cx<'_>, q: &impl QueueView, p: &Meta, fits: bool) -> Verdict {
        let verdict = Aqm::arrive(&mut self.adapter, cx, q, p, fits);
        if let Some(why) = self.adapter.decider().failed() {
            self.alarm.raise(Failure {
                algorithm: NAME.into(),
                at: cx.now,
                cause: why.into(),
                trace: None,
            });
            return Verdict::Pass;
        }
        verdict
    }
    fn admitted(&mut self, p: &Meta) {
        Aqm::admitted(&mut self.adapter, p);
    }
    fn idle(&mut self, cx: &mut Cx<'_>) {
        Aqm::idle(&mut self.adapter, cx);
    }
    fn tick(&mut self, cx: &mut Cx<'_>, q: &impl QueueView) -> Option<Span> {
        Aqm::tick(&mut self.adapter, cx, q)
    }
    fn ticks(&self) -> bool {
        Aqm::ticks(&self.adapter)
    }
    fn probe(&self, out: &mut dyn Probe) {
        Aqm::probe(&self.adapter, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::CORE;
    use crate::testing::rtl;
    use dumbbell_algos::aqm::AnyAqm;
    use dumbbell_algos::suite::traffic::{Arrival, hold};
    use dumbbell_core::packet::{Dscp, Ecn, FlowId};
    use dumbbell_core::units::{Capacity, Rate};
    use std::fs;

    /// Our core, but that a line is added to its top.
    fn with(line: &str) -> (tempfile::TempDir, Sources) {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in CORE {
            let text = if *name == "red_core.sv" {
                let end = text.rfind("endmodule").expect("a module has an end");
                format!("{}{line}\n{}", &text[..end], &text[end..])
            } else {
                (*text).to_string()
            };
            fs::write(dir.path().join(name), text).unwrap();
        }
        let sources = Sources::files(vec![dir.path().join("red_core.sv")], vec![]).unwrap();
        (dir, sources)
    }

    /// A core that stops in the middle of a run lets everything pass from there on, and the run
    /// hears of it.
    #[test]
    fn a_core_that_fails_raises_the_alarm() {
        if !rtl() {
            return;
        }
        let (_dir, sources) = with(
            "always_ff @(posedge clk) if (valid_o && avg_o > 22'd2000) \
            $finish;",
        );
        let config = RedHwConfig::default();
        let parameters = Parameters { shape: config.shape(), spaced: false };
        let library =
            Verilated::build(&sources, &parameters).unwrap_or_else(|fault| panic!("{fault}"));
        let core = library.core().unwrap();
        let alarm = Alarm::default();
        let adapter = Adapter::new(&config, |shape| RtlDecider::new(core, &shape));
        let aqm = AnyAqm::Plugin(Box::new(Queue { adapter, alarm: alarm.clone() }));
        let capacity = Capacity::Packets(50);
        let site = LinkInfo {
            rate: Rate::from_bps(1_000_000),
            capacity,
            mtu: 1500,
            delay: Span::from_ms(1),
        };
        let (flow, ecn, dscp) = (FlowId(0), Ecn::NotEct, Dscp(0));
        let meta = Meta { ip_len: 1500, wire_len: 1500, flow, ecn, dscp, ..Meta::default() };
        let traffic = vec![Arrival { gap: Span::from_ms(1), meta }; 400];
        hold(aqm, site, 1, false, &traffic, |_| {});
        let failure = alarm.failure().expect("the alarm");
        assert_eq!(failure.algorithm, NAME);
        assert!(
            failure.cause.contains("$finish at") && failure.at > dumbbell_core::units::Time::ZERO,
            "{failure:?}"
        );
    }

    #[test]
    fn it_has_the_models_parameters_and_says_what_is_missing_by_its_own_name() {
        let plugins = plugins();
        let factory = plugins.aqm(NAME).unwrap();
        assert_eq!(factory.defaults(), (model().defaults)());
        assert_eq!(factory.chance(), model().chance);
        assert!(!plugins.interpreted());
        assert_eq!(factory.lacks().is_none(), possible().is_ok());
        let fault = factory.resolve(&serde_json::json!({ "modus": "paper" })).unwrap_err();
        assert_eq!(Err(fault), (model().resolve)(&serde_json::json!({ "modus": "paper" })));
    }
}
