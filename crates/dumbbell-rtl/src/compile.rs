//! From RTL and parameters to a library.
//!
//! Parameters of SystemVerilog are settled when it is compiled, so each set of them is a library of
//! its own. Libraries of our core are kept ([`crate::cache`]); those of a user's file, which is
//! likely to change, are not.
use crate::cache;
use crate::core_ports::{HOLDER, Line, Parameters, Wrapper, Written};
use crate::fault::{Fault, broke};
use crate::sources::{self, Sources};
use crate::sys::{Library, SHIM};
use crate::tools::{Tools, VERILATOR, compiler, run, tools};
use crate::verilated::Verilated;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// Flags for Verilator. Speed: unknown values are zero, assertions are for proofs.
const VERILATE: [&str; 8] =
    ["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "--no-timing"];
/// Flags for the compiler. The simulator's own symbols stay inside: two libraries in one process
/// share none.
const COMPILE: [&str; 5] = ["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-pthread"];
/// RTL that says `$finish` ends the core and not this process; what it prints is not a result.
const RUNTIME: [&str; 4] = [
    "-DVL_USER_FINISH",
    "-DVL_USER_STOP",
    "-DVL_USER_FATAL",
    "-DVL_PRINTF(...)=fprintf(stderr,__VA_ARGS__)",
];
/// The sources of Verilator's that every model needs, and the one that counts coverage.
const OWN: [&str; 2] = ["verilated.cpp", "verilated_threads.cpp"];
const COUNTING: &str = "verilated_cov.cpp";

/// Checks that this machine can make a library.
///
/// # Errors
/// A missing package.
pub fn possible() -> Result<(), Fault> {
    tools().map(drop)
}

/// The versions of Verilator and the compiler.
///
/// # Errors
/// A missing package.
pub fn versions() -> Result<(String, String), Fault> {
    tools().map(|t| (t.verilator.clone(), t.compiler.clone()))
}

impl Verilated {
    /// The library of a core with these parameters. Of our own core it is made once on a machine.
    ///
    /// # Errors
    /// A missing program, RTL that is wrong, a parameter that it lacks.
    pub fn build(sources: &Sources, parameters: &Parameters) -> Result<Verilated, Fault> {
        match sources {
            Sources::Files { .. } => Order::new(sources, parameters, false)?.make().map(Verilated),
            Sources::Core => kept(&Order::new(sources, parameters, false)?).map(Verilated),
        }
    }

    /// A library that counts which lines, branches and bits were used.
    ///
    /// # Errors
    /// As [`Verilated::build`].
    pub fn counting(sources: &Sources, parameters: &Parameters) -> Result<Verilated, Fault> {
        Order::new(sources, parameters, true)?.make().map(Verilated)
    }
}

/// A library of our core: of this process, of the cache, or made now, by one thread while others
/// wait for it.
fn kept(order: &Order<'_>) -> Result<Arc<Library>, Fault> {
    /// A library, once it is there; who has the lock may make it.
    type Place = Arc<Mutex<Option<Arc<Library>>>>;
    static LOADED: Mutex<BTreeMap<String, Place>> = Mutex::new(BTreeMap::new());
    let place = {
        let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(order.key()).or_default())
    };
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(library) = &*place {
        return Ok(Arc::clone(library));
    }
    let name = format!("{}.so", order.key());
    let path = cache::dir().and_then(|dir| cache::find(&dir, &name));
    // One that cannot be loaded, whatever became of it, is made anew.
    let loaded = path.and_then(|p| Library::load(&p).ok());
    let library = loaded.map_or_else(|| order.make(), |library| Ok(Arc::new(library)))?;
    *place = Some(Arc::clone(&library));
    Ok(library)
}

/// One library to make.
struct Order<'a> {
    sources: &'a Sources,
    parameters: Vec<Written>,
    counting: bool,
    tools: &'static Tools,
}

impl<'a> Order<'a> {
    fn new(sources: &'a Sources, parameters: &Parameters, counting: bool) -> Result<Self, Fault> {
        Ok(Order { sources, parameters: parameters.written(), counting, tools: tools()? })
    }

    /// A hash of all that a library of our own core is made from.
    fn key(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(text.as_bytes()).update(&[0]);
        };
        add(&sources::hash());
        add(&Wrapper::new(&self.parameters).text);
        add(SHIM);
        self.recipe().iter().for_each(|word| add(word));
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// Everything else that the output depends on.
    fn recipe(&self) -> Vec<String> {
        let words = VERILATE.iter().chain(&COMPILE).chain(&RUNTIME).map(|w| (*w).to_string());
        let tools = [
            self.tools.verilator.clone(),
            self.tools.compiler.clone(),
            std::env::consts::ARCH.into(),
        ];
        words.chain(tools).chain([self.counting.to_string()]).collect()
    }

    /// Makes the library and loads it.
    fn make(&self) -> Result<Arc<Library>, Fault> {
        let work = tempfile::Builder::new().prefix("dumbbell-rtl-").tempdir();
        let work = work.map_err(broke("there is no room for temporary files"))?;
        let at = work.path();
        self.verilate(at)?;
        let runtime = self.runtime(at)?;
        let made = self.compile(at, &runtime)?;
        let path = match (self.sources, cache::dir()) {
            (Sources::Core, Some(dir)) if !self.counting => {
                let name = format!("{}.so", self.key());
                cache::keep(&dir, &name, &made).map_err(broke(
                    "a library cannot be kept in the \
                    cache",
                ))?
            }
            _ => made,
        };
        Library::load(&path).map(Arc::new).map_err(broke("the library of the RTL cannot be loaded"))
    }

    /// RTL to C++. Parameters that a core of the user's has not are left out if they are at their
    /// defaults.
    fn verilate(&self, at: &Path) -> Result<(), Fault> {
        let files = self.sources.laid(at).map_err(broke("there is no room for temporary files"))?;
        let mut parameters = self.parameters.clone();
        loop {
            let holder = Wrapper::new(&parameters);
            let file = at.join(format!("{HOLDER}.sv"));
            fs::write(&file, &holder.text)
                .map_err(broke("there is no room for temporary files"))?;
            let mut command = Command::new(VERILATOR);
            // Warnings are for `lint`; those about the ports are looked for below.
            command.args(VERILATE).args([
                "-Wno-fatal",
                "-Werror-USERERROR",
                "-Werror-USERFATAL",
                "--prefix",
                "Vred",
                "--top-module",
                HOLDER,
                "-Mdir",
            ]);
            command.arg(at.join("made"));
            if self.counting {
                command.arg("--coverage");
            }
            for place in self.sources.places() {
                command.arg(format!("-I{}", place.display()));
            }
            let output = run(command.arg(&file).args(&files), "verilator")?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            match judge(&holder, &said, output.status.success()) {
                Found::Nothing => return Ok(()),
                Found::Wrong(fault) => return Err(fault),
                Found::NoParameters(names) => {
                    let needed = |n: &&&str| parameters.iter().any(|p| p.name == **n && !p.default);
                    let needed: Vec<String> =
                        names.iter().filter(needed).map(ToString::to_string).collect();
                    if !needed.is_empty() {
                        return Err(Fault::Parameters(needed));
                    }
                    parameters.retain(|p| !names.contains(&p.name));
                }
            }
        }
    }

    /// Verilator's own part, compiled once for each version of it.
    fn runtime(&self, at: &Path) -> Result<Vec<PathBuf>, Fault> {
        let sources = OWN.into_iter().chain(self.counting.then_some(COUNTING));
        let one = |source: &str| {
            let mut hasher = blake3::Hasher::new();
            for word in self.recipe() {
                hasher.update(word.as_bytes()).update(&[0]);
            }
            hasher.update(source.as_bytes());
            let name = format!("runtime-{}.o", &hasher.finalize().to_hex()[..32]);
            let dir = cache::dir();
            if let Some(path) = dir.as_ref().and_then(|dir| cache::find(dir, &name)) {
                return Ok(path);
            }
            let made = at.join(&name);
            let mut command = self.compiler();
            command.arg("-c").arg(self.tools.include.join(source)).arg("-o").arg(&made);
            compiled(command)?;
            match dir {
                Some(dir) => cache::keep(&dir, &name, &made).map_err(broke(
                    "nothing can be kept in \
                    the cache",
                )),
                None => Ok(made),
            }
        };
        sources.map(one).collect()
    }

    fn compiler(&self) -> Command {
        let mut command = Command::new(compiler());
        command
            .args(COMPILE)
            .args(RUNTIME)
            .arg(format!("-DVM_COVERAGE={}", u8::from(self.counting)));
        command.args(["-DVM_SC=0", "-DVM_TRACE=0"]).arg("-I").arg(&self.tools.include);
        command.arg("-I").arg(self.tools.include.join("vltstd"));
        command
    }

    /// The C++ of a model as one piece, with the shim: quicker than file by file, and faster when
    /// it runs.
    fn compile(&self, at: &Path, runtime: &[PathBuf]) -> Result<PathBuf, Fault> {
        let dir = at.join("made");
        let room = || broke("there is no room for temporary files");
        let mut text = String::from(SHIM);
        let mut names: Vec<PathBuf> =
            fs::read_dir(&dir).map_err(room())?.flatten().map(|e| e.path()).collect();
        names.sort();
        for name in names.iter().filter(|p| p.extension().is_some_and(|e| e == "cpp")) {
            text += &format!(
                "#include \"{}\"\n",
                name.file_name().unwrap_or_default().to_string_lossy()
            );
        }
        let (whole, library) = (dir.join("whole.cc"), at.join("libred.so"));
        fs::write(&whole, text).map_err(room())?;
        let mut command = self.compiler();
        command
            .arg("-shared")
            .arg("-I")
            .arg(&dir)
            .arg(&whole)
            .args(runtime)
            .arg("-o")
            .arg(&library);
        compiled(command)?;
        Ok(library)
    }
}

fn compiled(mut command: Command) -> Result<(), Fault> {
    let output = run(&mut command, "g++")?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|l| l.contains("error")).or(said.lines().next()).unwrap_or(
        "without \
        a word",
    );
    Err(Fault::Broke(format!("the C++ compiler failed: {first}")))
}

/// The findings of Verilator.
enum Found {
    Nothing,
    NoParameters(Vec<&'static str>),
    Wrong(Fault),
}

/// Reads what Verilator said, which calls a core's ports by the holder's lines.
fn judge(holder: &Wrapper, said: &str, success: bool) -> Found {
    let about = |line: &str| -> Line {
        let place = line.split_once(&format!("{HOLDER}.sv:")).map(|(_, rest)| rest);
        let number = place.and_then(|rest| rest.split(':').next()?.parse().ok());
        number.map_or(Line::Other, |n| holder.about(n))
    };
    let heads = || said.lines().filter(|l| l.starts_with("%Error") || l.starts_with("%Warning"));
    let error = |l: &&str| l.starts_with("%Error");
    let names: Vec<&'static str> =
        heads().filter(error).filter_map(|l| parameter(about(l))).collect();
    let port = heads().find_map(|l| port(l, about(l)));
    if let Some(fault) = port {
        return Found::Wrong(fault);
    }
    let other = heads().filter(error).find(|l| {
        parameter(about(l)).is_none()
            && !l.contains(
                "Exiting \
        due to",
            )
    });
    match other {
        Some(line) => Found::Wrong(elaboration(line)),
        None if !names.is_empty() => Found::NoParameters(names),
        None if success => Found::Nothing,
        None => Found::Wrong(elaboration(said.lines().next().unwrap_or(
            "verilator failed without a \
            word",
        ))),
    }
}

fn parameter(about: Line) -> Option<&'static str> {
    match about {
        Line::Parameter(name) => Some(name),
        _ => None,
    }
}

/// A complaint about a port. Warnings count: a port of another width only makes one.
fn port(line: &str, about: Line) -> Option<Fault> {
    let Line::Port(port) = about else { return None };
    let cause = if line.contains("ot found") {
        format!("{} has no port `{}`", crate::core_ports::TOP, port.name)
    } else {
        format!("port `{}` of {} is not as documented", port.name, crate::core_ports::TOP)
    };
    let direction = if port.out { "an output" } else { "an input" };
    let fix = format!("it is {direction} of {} bit(s); rtl/red/SPEC.md has all ports", port.width);
    Some(Fault::Rtl { cause, line: line.into(), fix })
}

fn elaboration(line: &str) -> Fault {
    let fix = "verilator must elaborate it as a module `red_core`; `verilator --lint-only FILE` \
        says more";
    Fault::Rtl { cause: "the RTL does not elaborate".into(), line: line.into(), fix: fix.into() }
}
