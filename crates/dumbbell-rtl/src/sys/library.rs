//! A library of a verilated core, and the cores in it.
use crate::signals::{In, Out};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

type Make = unsafe extern "C" fn() -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Why = unsafe extern "C" fn(*const c_void) -> *const c_char;
type Clock = unsafe extern "C" fn(*mut c_void, *const Inputs, *mut Outputs) -> c_int;
type Coverage = unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int;

/// As the shim has it.
#[repr(C)]
struct Inputs {
    cfg_data: u32,
    qlen: u16,
    rst: u8,
    valid: u8,
    qid: u8,
    class: u8,
    idle: u8,
    tick: u8,
    cfg_we: u8,
    cfg_addr: u8,
}

/// As the shim has it.
#[repr(C)]
#[derive(Default)]
struct Outputs {
    avg: u32,
    draw: u32,
    ready: u8,
    valid: u8,
    qid: u8,
    drop: u8,
    region: u8,
}

/// A library that was loaded. It is never unloaded: C++ may have left something to do for when a
/// thread ends.
#[derive(Debug)]
pub struct Library {
    make: Make,
    free: Free,
    why: Why,
    clock: Clock,
    coverage: Coverage,
}

impl Library {
    /// Loads the library at `path`, which must be one that [`crate::compile`] made.
    ///
    /// # Errors
    /// The loader refuses the library.
    pub fn load(path: &Path) -> io::Result<Library> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
        // SAFETY: `name` ends with a zero. What runs as the library is loaded are constructors of
        // the C++ that this crate wrote and had compiled.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let Some(handle) = NonNull::new(handle) else { return Err(loader()) };
        let find = |symbol: &CStr| -> io::Result<NonNull<c_void>> {
            // SAFETY: the handle is a library's, the symbol ends with a zero.
            NonNull::new(unsafe { libc::dlsym(handle.as_ptr(), symbol.as_ptr()) })
                .ok_or_else(loader)
        };
        let (make, free, why) = (find(c"red_new")?, find(c"red_free")?, find(c"red_why")?);
        let (clock, coverage) = (find(c"red_clock")?, find(c"red_coverage")?);
        // SAFETY: these are functions of the shim, with the signatures that it gives them.
        unsafe {
            Ok(Library {
                make: std::mem::transmute::<*mut c_void, Make>(make.as_ptr()),
                free: std::mem::transmute::<*mut c_void, Free>(free.as_ptr()),
                why: std::mem::transmute::<*mut c_void, Why>(why.as_ptr()),
                clock: std::mem::transmute::<*mut c_void, Clock>(clock.as_ptr()),
                coverage: std::mem::transmute::<*mut c_void, Coverage>(coverage.as_ptr()),
            })
        }
    }
}

fn loader() -> io::Error {
    // SAFETY: the loader's message is a string that stands until its next call on this thread, or
    // null.
    let said = unsafe { libc::dlerror() };
    if said.is_null() {
        return io::Error::other("the library lacks a function");
    }
    // SAFETY: as above, and it is not null.
    io::Error::other(unsafe { CStr::from_ptr(said) }.to_string_lossy().into_owned())
}

/// One core of a library.
#[derive(Debug)]
pub struct Core {
    library: Arc<Library>,
    core: NonNull<c_void>,
}

// SAFETY: a core has a context of its own, and nothing in it belongs to a thread; `&mut` keeps two
// from using it at once.
unsafe impl Send for Core {}

impl Core {
    /// A core in the state in which power comes on.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn new(library: &Arc<Library>) -> io::Result<Core> {
        // SAFETY: the shim's function takes nothing and throws nothing.
        let core = NonNull::new(unsafe { (library.make)() });
        let core = core.ok_or_else(|| io::Error::other("the verilated core cannot be made"))?;
        Ok(Core { library: Arc::clone(library), core })
    }

    /// One clock.
    ///
    /// # Errors
    /// Why the core stopped.
    #[inline]
    pub fn clock(&mut self, inputs: &In) -> Result<Out, String> {
        let inputs = Inputs {
            cfg_data: inputs.cfg_data,
            qlen: inputs.qlen,
            rst: inputs.rst.into(),
            valid: inputs.valid.into(),
            qid: inputs.qid,
            class: inputs.class,
            idle: inputs.idle,
            tick: inputs.tick.into(),
            cfg_we: inputs.cfg_we.into(),
            cfg_addr: inputs.cfg_addr,
        };
        let mut out = Outputs::default();
        // SAFETY: the core is one of this library and is ours alone; both structures are the
        // shim's.
        let failed =
            unsafe { (self.library.clock)(self.core.as_ptr(), &raw const inputs, &raw mut out) };
        if failed != 0 {
            return Err(self.why());
        }
        Ok(Out {
            ready: out.ready != 0,
            valid: out.valid != 0,
            qid: out.qid,
            drop: out.drop != 0,
            region: out.region,
            avg: out.avg,
            draw: out.draw,
        })
    }

    fn why(&self) -> String {
        // SAFETY: the core is one of this library; its text stands until the next clock.
        unsafe { CStr::from_ptr((self.library.why)(self.core.as_ptr())) }
            .to_string_lossy()
            .into_owned()
    }

    /// Writes what was covered to a file, if the library counts it.
    ///
    /// # Errors
    /// It does not, or the file cannot be written.
    pub fn coverage(&mut self, path: &Path) -> io::Result<()> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
        // SAFETY: the core is one of this library and is ours alone; `name` ends with a zero.
        match unsafe { (self.library.coverage)(self.core.as_ptr(), name.as_ptr()) } {
            0 => Ok(()),
            _ => Err(io::Error::other("no coverage was counted")),
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // SAFETY: it was made by this library, and nothing uses it any more.
        unsafe { (self.library.free)(self.core.as_ptr()) }
    }
}
