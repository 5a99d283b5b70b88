//! Code of the program that the crate calls (hooks, subscribers, wakers, closures, writers, destructors, functions
//! of the host) may call everything: random programs, which run more of themselves at each of these points
//! (invariant `re-entered`).
//!
//! Without settings the same programs run each time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` change that.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod hooks;
mod machine;
mod program;
mod run;
mod seen;
#[cfg(feature = "tracing")]
mod subscriber;
mod tower;
mod uses;

use common::gpu::new_context;
use cuscope::{Context, Device};
use cuscope_softdriver::control::{Live, live};
use machine::Machine;
use program::Program;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use seen::{Seen, times};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::{env, fs, process, thread};

/// Enough for what is asserted below.
const CASES: u32 = 2_000;
/// That of the first process; the next ones count on.
const SEED: u32 = 15;
const CASES_VARIABLE: &str = "PROPTEST_CASES";
const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";
/// The number that a variable says, if it is there.
fn number(variable: &str) -> Option<u32> {
    env::var(variable).ok()?.parse().ok()
}

/// Runs all programs in processes of their own, so many in each: what programs leak makes the next ones slow.
fn run_processes(name: &str) -> bool {
    let cases = number(CASES_VARIABLE).unwrap_or(CASES);
    let seed = number(SEED_VARIABLE).unwrap_or(SEED);
    for (seed, first) in (seed..).zip((0..cases).step_by(CASES as usize)) {
        let cases = CASES.min(cases - first);
        let variables = [(CASES_VARIABLE, &*cases.to_string()), (SEED_VARIABLE, &seed.to_string())];
        let Some(output) = common::respawn_with(module_path!(), name, &variables) else {
            return false;
        };
        if output.status.code().is_none() {
            let program = fs::read_to_string(log_file(seed)).unwrap_or_default();
            eprintln!("with the seed {seed}, the process died of {program}");
        }
        common::assert_success(name, &output);
    }
    true
}

/// Runs the program on a thread of its own: whether something was leaked or could not be released.
fn run(program: &Arc<Program>) -> bool {
    let own = program.clone();
    let (ends, ended) = channel();
    let thread = thread::spawn(move || {
        let machine = Machine::install(own.clone());
        machine.contexts.borrow_mut().extend([new_context(), new_context()]);
        run::program(&machine, &own.steps, own.late);
        // The driver's state of the thread may be gone before the kept values.
        let leaky = machine.leaky.get() || own.late;
        if !own.late {
            machine.uninstall();
        }
        let _ = ends.send(());
        leaky
    });
    if let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(common::HANG) {
        eprintln!("a deadlock in {program:#?}");
        process::abort(); // a panic might wait for the thread
    }
    thread.join().unwrap_or(true)
}

/// Replaces what a file holds.
fn write_from_the_start(mut file: &fs::File, bytes: &[u8]) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(bytes)
}

fn check(program: Program, log: &fs::File) -> Result<(), TestCaseError> {
    // If the process dies, this is what it died of.
    let text = format!("{program:?}\n");
    write_from_the_start(log, text.as_bytes()).unwrap();
    let program = Arc::new(program);
    let before = live();
    machine::set_current(Some(program.clone()));
    let leaky = run(&program);
    machine::set_current(None);
    if let Some(wrong) = machine::take_wrong() {
        return Err(TestCaseError::fail(wrong));
    }
    if common::software() && !leaky {
        let Live { contexts, streams, events, allocations, graphs, graph_execs, .. } = live();
        let now = Live { contexts, streams, events, allocations, graphs, graph_execs, ..before };
        if now != before {
            return Err(TestCaseError::fail(format!("{before:?} became {now:?}")));
        }
    }
    Ok(())
}

/// Where the process with this seed leaves the program that it runs.
fn log_file(seed: u32) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("re_entered-{seed}"))
}

#[test]
fn whatever_is_called_may_call_everything() {
    if !common::software() {
        skip!("only the software driver fails on demand, and tells of destroyed contexts");
    }
    let name = "whatever_is_called_may_call_everything";
    if run_processes(name) {
        return;
    }
    let log = fs::File::create(log_file(number(SEED_VARIABLE).unwrap_or(SEED))).unwrap();
    // Panics that programs ask for write no message: this is one of the crate, or of this test.
    std::panic::set_hook(Box::new(|info| {
        eprintln!("{info}");
        machine::wrong(|| info.to_string());
    }));
    static LOG_HOOK: OnceLock<Option<cuscope::diagnostics::DriverLogHook>> = OnceLock::new();
    LOG_HOOK.get_or_init(hooks::log_hook);
    hooks::restore();
    #[cfg(feature = "tracing")]
    subscriber::install();
    // One context for all programs, of which the driver has much at hand.
    let _context = Context::primary(Device::get(0).unwrap()).unwrap();
    // The variables say how many programs, and which.
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let result = runner.run(&program::program(), |program| check(program, &log));
    for what in Seen::ALL {
        eprintln!("{what:?}: {} times", times(*what));
    }
    drop(std::panic::take_hook());
    if let Err(failure) = result {
        panic!("{failure}");
    }
    if number(CASES_VARIABLE) == Some(CASES) {
        let tried = |what: Seen| match what {
            Seen::InSubscriber if !cfg!(feature = "tracing") => true,
            // It takes an entry that was lost.
            Seen::NotCurrent => true,
            what => times(what) >= 4,
        };
        assert_eq!(Seen::ALL.iter().copied().find(|what| !tried(*what)), None, "too few");
    }
}
