//! An algorithm's page: what it is, and all that tables, figures, explanations and the kernel's
//! side need to know about it. So a new algorithm needs no line anywhere else.
use serde::Serialize;

/// The evidence that an implementation is the algorithm that its name promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Checked against vectors from an RFC, a paper or published code.
    Vectors,
    /// Two independent readings of the source agree.
    TwoReadings,
    /// Written from a description whose source was not at hand.
    Recollection,
    /// The source leaves parts open; each of our choices is a named option.
    Reconstruction,
}

/// An algorithm's page, less its parameters, which its [`Config`](crate::catalogue::Config)
/// documents.
///
/// The fields up to `provenance` are written for every algorithm. The others have defaults that
/// are right for a new one: `..About::PLAIN`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct About {
    /// The name in files and on the command line, snake_case; Linux's where it means the same.
    pub name: &'static str,
    /// The name in prose.
    pub title: &'static str,
    /// The idea, in a sentence.
    pub idea: &'static str,
    /// The equations or the algorithm, as plain text of at most 100 columns.
    pub equations: &'static str,
    /// Papers, RFCs, sections.
    pub sources: &'static [&'static str],
    /// The evidence for this implementation.
    pub provenance: Provenance,
    /// What it decides by, as the cell of a table; the idea if empty.
    pub rule: &'static str,
    /// What a congestion control needs of TCP and of its hosts, as the cell of a table.
    pub needs: &'static str,
    /// The family beside which tables list it and whose colors its plots have; none if empty.
    pub family: &'static str,
    /// Its color, marker and dash in plots. `None`: the first that no other queue has, in a color
    /// of its family.
    pub look: Option<Look>,
    /// Its counterpart in Linux.
    pub kernel: Kernel,
    /// Parameters that differ from their defaults under the profile `linux`.
    pub linux: &'static [(&'static str, Setting)],
    /// What an AQM counts, and what the size of a packet is to it.
    pub size: Size,
    /// What the response curve of an AQM is tested against.
    pub law: Law,
    /// How a decision of a queue, a meter or a conditioner is explained.
    pub explained: Explained,
}

impl About {
    /// A page without a word, for `..About::PLAIN`.
    pub const PLAIN: About = About {
        name: "",
        title: "",
        idea: "",
        equations: "",
        sources: &[],
        provenance: Provenance::Recollection,
        rule: "",
        needs: "",
        family: "",
        look: None,
        kernel: Kernel::Unknown,
        linux: &[],
        size: Size::PLAIN,
        law: Law::None(""),
        explained: Explained::PLAIN,
    };
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// A word or a quantity with its unit, as it is written.
    Word(&'static str),
    /// A switch.
    Flag(bool),
    /// A number.
    Count(u32),
}

/// The look of an algorithm in plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Look {
    /// The color.
    pub color: PlotColor,
    /// Matplotlib's letter of the marker.
    pub marker: char,
    /// The index of the dash in `dumbbell.figures.style.DASHES`.
    pub dash: u8,
}

impl Look {
    /// A look chosen by hand. A test refuses one that another queue has.
    pub const fn new(color: PlotColor, marker: char, dash: u8) -> Self {
        Look { color, marker, dash }
    }
}

/// A color of the palette of Okabe and Ito, as `dumbbell.figures.style` has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum PlotColor {
    Black,
    Blue,
    Green,
    Orange,
    Purple,
    Sky,
    Vermillion,
    Yellow,
}

/// The counterpart of an algorithm in Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// None that we know.
    Unknown,
    /// The kernel has it.
    Has {
        /// The name of tc's discipline, or of the congestion control (its module is `tcp_NAME`).
        name: &'static str,
        /// A known difference of the kernel's implementation; empty if there is none.
        note: &'static str,
    },
    /// The kernel lacks it, or has another thing of this name.
    Lacks {
        /// The reason.
        why: &'static str,
        /// What to write in its place; empty if there is nothing.
        fix: &'static str,
    },
}

/// What an AQM counts, and what the size of a packet is to it: its row in
/// docs/reference/queue-units.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// What it measures, with the unit; empty: it is not said.
    pub measures: &'static str,
    /// What byte mode counts in bytes, or when it does; empty if there is no byte mode.
    pub byte_mode: &'static str,
    /// How the probability of a signal depends on the size, with the defaults. The conformance
    /// suite measures it.
    pub signals: SizeLaw,
}

impl Size {
    /// Nothing said: signals do not follow a probability.
    pub const PLAIN: Size = Size { measures: "", byte_mode: "", signals: SizeLaw::None };
}

/// The dependence of the probability of a signal on the size of the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SizeLaw {
    /// There is no probability for each packet.
    None,
    /// It is the same for every size.
    Constant,
    /// It grows with the square of the size.
    Square,
}

/// The law that the measured response curve of an AQM is tested against.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// There is no closed law, for this reason.
    None(&'static str),
    /// Signals for each packet as a function of a quantity, written here.
    Over(Over),
    /// A law that several algorithms share, or one that takes a program: a function of
    /// `dumbbell.aqm_response.laws`.
    Named {
        /// The name in `NAMED` there.
        law: &'static str,
        /// A remark for its legend; empty if there is nothing to add.
        remark: &'static str,
    },
}

/// Signals for each arriving packet over a quantity of which they are a function.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Over {
    /// The quantity: a gauge of the probe, or `queue_packets`, which the packet found.
    pub x: &'static str,
    /// The quantity with its unit.
    pub label: &'static str,
    /// The law, in a line.
    pub text: &'static str,
    /// Signals for each packet: an expression over gauges, parameters and `limit`. Quantities are
    /// in packets, seconds and bit/s. See `dumbbell.language.expression`.
    pub signals: &'static str,
    /// True if the quantity is a whole number.
    pub whole: bool,
    /// True if packets are ECN-capable, for algorithms that only mark.
    pub capable: bool,
    /// The reasons of drops that are signals.
    pub reasons: &'static [&'static str],
    /// What the experiment sets of the queue, as TOML: `limit = "50 pkt", ecn = true`.
    pub queue: &'static str,
}

impl Over {
    /// A law over the length of the queue, of an algorithm that signals early.
    pub const PLAIN: Over = Over {
        x: "queue_packets",
        label: "queue that a packet finds [packets]",
        text: "",
        signals: "0",
        whole: true,
        capable: false,
        reasons: &["early", "forced"],
        queue: "limit = \"1000 pkt\"",
    };
}

/// How `dumbbell why` explains a decision in words.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Explained {
    /// Conditions and sentences: the first sentence whose condition holds is said. An empty
    /// condition holds always, an empty sentence is the default one: what was found waiting and
    /// every gauge by its name.
    ///
    /// A condition is an expression over the gauges of the decision, the parameters, `reason` and
    /// `marked`. A sentence has such expressions in braces (`p_b = {p_b}`), with `:time` for
    /// seconds and `:length` for packets; `{full}` says that the queue had no room, `{found}` what
    /// waited. See `dumbbell.explain.why.templates`.
    pub clauses: &'static [(&'static str, &'static str)],
    /// The story told where no clause holds: a name in `dumbbell.explain.why.decisions.STORIES`;
    /// the default sentence if empty.
    pub story: &'static str,
    /// What that story says besides of this algorithm, a sentence as in `clauses`.
    pub remark: &'static str,
}

impl Explained {
    /// The default sentence.
    pub const PLAIN: Explained = Explained { clauses: &[], story: "", remark: "" };

    /// Clauses, and the default sentence where none holds.
    pub const fn by(clauses: &'static [(&'static str, &'static str)]) -> Self {
        Explained { clauses, ..Explained::PLAIN }
    }
    /// A story, with what it says besides of this algorithm.
    pub const fn as_story(story: &'static str, remark: &'static str) -> Self {
        Explained { story, remark, ..Explained::PLAIN }
    }
}
