//! A program that runs with the library.
#![allow(unsafe_code, reason = "signals")]

use crate::library::{self, Folder};
use crate::options::Run;
use crate::report;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, io, mem, ptr, thread};

/// The signals that are passed on.
const PASSED: [libc::c_int; 7] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGWINCH,
];

/// Runs the program, tells what it did, and gives its exit status. If a signal ended it, one ends this process too.
pub(crate) fn run(run: &Run) -> io::Result<ExitCode> {
    let folder = Folder::new()?;
    library::write(folder.path())?;
    let [program, arguments @ ..] = &*run.program else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut command = Command::new(program);
    command.args(arguments).envs(run.variables.iter().map(|(name, value)| (name, value)));
    command.env("LD_LIBRARY_PATH", library_path(&folder)?);
    command.env("CUSCOPE_SOFT_SUMMARY", folder.path().join("summary.%p"));

    let signals = Signals::block();
    let before = signals.before;
    let let_through = move || {
        // SAFETY: a mask that `block` read; the old one is not wanted.
        match unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut())
        } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    };
    // SAFETY: between fork and exec it makes a system call, which may be made there, and uses no memory but its own.
    let command = unsafe { command.pre_exec(let_through) };
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            eprintln!("cuscope-softcuda: {}: {error}", program.display());
            // As a shell does.
            let found = error.kind() != io::ErrorKind::NotFound;
            return Ok(ExitCode::from(if found { 126 } else { 127 }));
        }
    };
    signals.pass_on(child.id());
    let status = child.wait()?;
    let wrong = report::tell(run, folder.path())?;
    drop(folder);
    if let (true, true, Some(code)) = (status.success(), wrong, run.error_exitcode) {
        return Ok(ExitCode::from(code));
    }
    Ok(end_like(status))
}

/// The library's folder, and after it what the path is now.
fn library_path(folder: &Folder) -> io::Result<OsString> {
    let now = env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty());
    let now = now.iter().flat_map(env::split_paths);
    let paths = std::iter::once(folder.path().to_owned()).chain(now);
    env::join_paths(paths).map_err(io::Error::other)
}

/// Ends as the program did.
fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(code) = status.code() {
        return ExitCode::from(code as u8);
    }
    let signal = status.signal().unwrap_or(libc::SIGKILL);
    let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // The program dumped core if it was to, and this process has nothing to tell.
    // SAFETY: reads a limit from a local variable.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core) };
    // SAFETY: the default action is a valid one for each signal; nothing in this process handles any.
    let _ = unsafe { libc::signal(signal, libc::SIG_DFL) };
    let only = set(&[signal]);
    // SAFETY: a set that `set` made; the old one is not wanted.
    let _ = unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const only, ptr::null_mut()) };
    // SAFETY: sends a signal to this thread.
    let _ = unsafe { libc::raise(signal) };
    // It was one that ends no process.
    ExitCode::from(128_u8.wrapping_add(signal as u8))
}

/// A set of signals.
fn set(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut set = mem::MaybeUninit::uninit();
    // SAFETY: writes a whole set.
    let _ = unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: it was written.
    let mut set = unsafe { set.assume_init() };
    for &signal in signals {
        // SAFETY: adds to a set that was written.
        let _ = unsafe { libc::sigaddset(&raw mut set, signal) };
    }
    set
}

/// The signals, which wait from now on.
struct Signals {
    all: libc::sigset_t,
    /// The signals that were blocked before.
    before: libc::sigset_t,
}

impl Signals {
    fn block() -> Self {
        let (all, mut before) = (set(&PASSED), set(&[]));
        // SAFETY: sets that `set` made.
        let _ = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before) };
        Self { all, before }
    }

    /// Passes them on to a process, until this one ends. What the terminal sends, it sends to that one too.
    fn pass_on(self, process: u32) {
        thread::spawn(move || {
            loop {
                let mut info = mem::MaybeUninit::uninit();
                // SAFETY: a set that `set` made; the call writes to a local variable.
                let signal = unsafe { libc::sigwaitinfo(&raw const self.all, info.as_mut_ptr()) };
                if signal < 0 {
                    continue;
                }
                // SAFETY: a signal came, so that this was written.
                let info = unsafe { info.assume_init() };
                let from_a_process = info.si_code <= 0;
                if from_a_process {
                    // SAFETY: sends a signal; the process is a child whose end nobody has waited for, or this
                    // process is about to end too.
                    let _ = unsafe { libc::kill(process as libc::pid_t, signal) };
                }
            }
        });
    }
}
