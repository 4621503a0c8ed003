//! The programs that make a library: Verilator and a C++ compiler, by their usual names.
use crate::fault::Fault;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The installed tools.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The output of `verilator --version`.
    pub verilator: String,
    /// The first line of the compiler's `--version`.
    pub compiler: String,
    /// Verilator's own sources, which every model needs.
    pub include: PathBuf,
}

/// Verilator.
pub const VERILATOR: &str = "verilator";

/// The C++ compiler: `CXX`, or the system's.
pub fn compiler() -> OsString {
    std::env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into())
}

/// Looks once in the life of this process.
///
/// # Errors
/// A missing package.
pub fn tools() -> Result<&'static Tools, Fault> {
    static FOUND: OnceLock<Tools> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    // A program that was missing may have been installed since: only what was found is kept.
    let found = look()?;
    Ok(FOUND.get_or_init(|| found))
}

fn look() -> Result<Tools, Fault> {
    let said = |output: &Output| {
        String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").trim().to_string()
    };
    let verilator = run(Command::new(VERILATOR).arg("--version"), "verilator")?;
    let root = run(Command::new(VERILATOR).args(["--getenv", "VERILATOR_ROOT"]), "verilator")?;
    let compiler = run(Command::new(compiler()).arg("--version"), "g++")?;
    let include = PathBuf::from(said(&root)).join("include");
    if !include.join("verilated.cpp").is_file() {
        let cause = format!("verilator has not its own sources in {}", include.display());
        return Err(Fault::Missing { cause, fix: "apt-get install --reinstall verilator".into() });
    }
    Ok(Tools { verilator: said(&verilator), compiler: said(&compiler), include })
}

/// Runs a program to its end; `package` has it.
///
/// # Errors
/// It is not installed, or cannot be started.
pub fn run(command: &mut Command, package: &str) -> Result<Output, Fault> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Fault::Missing {
            cause: format!("there is no `{name}` on this machine, which the RTL needs to run"),
            fix: format!(
                "apt-get install {}",
                if package == "g++" { "g++" } else { "verilator g++" }
            ),
        },
        _ => Fault::Broke(format!("{name} cannot be started: {error}")),
    })
}
