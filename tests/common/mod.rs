//! Code that the tests share: fixtures, processes of their own, loud skips, and which driver answers.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod fatbin;
pub(crate) mod foreign;
pub(crate) mod gpu;
pub(crate) mod kernels;
pub(crate) mod random;
pub(crate) mod skipped;
pub(crate) mod system;

pub(crate) use system::signal;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const FRESH: &str = "CUSCOPE_TEST_IN_FRESH_PROCESS";
/// Why a test is left that `.ci/miri` runs alone, with the variable above.
pub(crate) const ALONE: &str = "runs in a process of its own";

/// Runs the body of a test in a process of its own: `fresh!(name_of_the_test, { … })`. For what
/// ruins a process (a sticky error, a fork) or counts what is alive in it.
#[macro_export]
macro_rules! fresh {
    ($test:ident, $body:block) => {
        $crate::alone_under_miri!(stringify!($test));
        if let Some(output) = $crate::common::respawn(module_path!(), stringify!($test)) {
            $crate::common::assert_success(stringify!($test), &output);
        } else {
            $body
        }
    };
}

/// As [`fresh!`], for what uses a context that was destroyed: a real driver follows dangling pointers
/// then, and may die of it in one run and answer in the next. The software driver must answer.
#[macro_export]
macro_rules! dangling {
    ($test:ident, $body:block) => {
        $crate::alone_under_miri!(stringify!($test));
        if let Some(output) = $crate::common::respawn(module_path!(), stringify!($test)) {
            $crate::common::assert_success_or_death(stringify!($test), &output);
        } else {
            $body
        }
    };
}

/// Runs the body of a test in a process of its own, which must abort and say these words:
/// `aborts!(name_of_the_test, ["word"], { … })`.
#[macro_export]
macro_rules! aborts {
    ($test:ident, $words:expr, $body:block) => {
        if let Some(output) = $crate::common::respawn(module_path!(), stringify!($test)) {
            $crate::common::assert_abort(stringify!($test), &output, &$words);
            return;
        } else {
            $body
        }
    };
}

/// Leaves a test that needs a process of its own, unless this is that process: Miri starts none.
/// `.ci/miri` reads what this says, and runs the test alone.
#[macro_export]
macro_rules! alone_under_miri {
    ($test:expr) => {
        if cfg!(miri) && !$crate::common::is_alone(module_path!(), $test) {
            $crate::skip!("under Miri it {}", $crate::common::ALONE);
        }
    };
}

/// Leaves the test under Miri, saying why: `skip_under_miri!("Miri does not fork")`.
#[macro_export]
macro_rules! skip_under_miri {
    ($why:literal) => {
        if cfg!(miri) {
            $crate::skip!($why);
        }
    };
}

/// Whether a panic unwinds. Where it ends the process (`.ci/profiles`), a test leaves out its panics.
pub(crate) const UNWINDS: bool = cfg!(panic = "unwind");

/// Whether `f` panics, as it must. Where that ends the process, `f` does not run.
pub(crate) fn panics<R>(f: impl FnOnce() -> R) -> bool {
    !UNWINDS || catch_unwind(AssertUnwindSafe(f)).is_err()
}

/// Leaves a test that is about a panic where that ends the process, saying what it looks at:
/// `needs_unwinding!("the payload comes up in the caller")`.
#[macro_export]
macro_rules! needs_unwinding {
    ($why:literal) => {
        if !$crate::common::UNWINDS {
            $crate::skip!("it needs a panic that unwinds: {}", $why);
        }
    };
}

/// So many, or the smaller number under Miri, which is about a thousand times slower.
pub(crate) const fn fewer(count: usize, under_miri: usize) -> usize {
    if cfg!(miri) { under_miri } else { count }
}

/// This text, or the shorter one under Miri, which takes minutes to read a few thousand bytes.
pub(crate) const fn shorter(text: &'static str, under_miri: &'static str) -> &'static str {
    if cfg!(miri) { under_miri } else { text }
}

/// So many where the variable `CUSCOPE_THOROUGH` is set, as `.ci/run` sets it; otherwise a fifth, so that `cargo test` is
/// soon done.
pub(crate) fn thorough(count: usize) -> usize {
    if std::env::var_os("CUSCOPE_THOROUGH").is_some() { count } else { count.div_ceil(5) }
}

/// How long a test waits for what must come: on a busy machine that takes a while. It turns a hang into a failure, and no
/// test passes or fails by it otherwise.
pub(crate) const HANG: Duration = Duration::from_secs(if cfg!(miri) { 1200 } else { 120 });

/// Waits until a condition holds; panics with `what` if it has not come to hold after [`HANG`].
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < HANG, "{what}: it has not come");
        std::thread::yield_now();
    }
}

/// So long, or twenty times as long under Miri: for a kernel that runs while the test makes some calls.
pub(crate) const fn longer(time: Duration) -> Duration {
    if cfg!(miri) { time.saturating_mul(20) } else { time }
}

/// Where a test of this process may have a file, which it removes.
pub(crate) fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("cuscope-{}-{name}", std::process::id()))
}

/// The name of a test in its binary.
fn path(module: &str, test: &str) -> String {
    match module.split_once("::") {
        Some((_crate, rest)) => format!("{rest}::{test}"),
        None => test.to_owned(),
    }
}

/// Whether this is the process of its own of the test `module::test`.
pub(crate) fn is_alone(module: &str, test: &str) -> bool {
    std::env::var(FRESH).is_ok_and(|alone| alone == path(module, test))
}

/// The output of the test `module::test` run alone in a process of its own, or `None` inside it.
pub(crate) fn respawn(module: &str, test: &str) -> Option<Output> {
    respawn_with(module, test, &[])
}

/// The test binary, started by `CUSCOPE_TEST_RUNNER` if that is set: an emulator of the processor that it is for, with
/// arguments.
fn own_binary() -> Command {
    let exe = std::env::current_exe().expect("the test binary has a path");
    let runner = std::env::var("CUSCOPE_TEST_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(runner) = words.next() else { return Command::new(exe) };
    let mut command = Command::new(runner);
    command.args(words).arg(exe);
    command
}

/// As [`respawn`], with variables set.
pub(crate) fn respawn_with(module: &str, test: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let mut command = another(module, test)?;
    let output = command.envs(variables.iter().copied()).output();
    let output = output.expect("the test binary starts again");
    // The races that the software driver reports with a seed, which `.ci/races` looks for.
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines()
        .filter(|line| line.starts_with("cuscope: race:"))
        .for_each(|line| eprintln!("{line}"));
    // A process that aborts does not end with the status of the thread sanitizer.
    assert!(!said.contains("WARNING: ThreadSanitizer"), "{test}: {said}");
    Some(output)
}

/// Returns a command that runs the test `module::test` alone in a process of its own, or `None` inside it.
pub(crate) fn another(module: &str, test: &str) -> Option<Command> {
    if is_alone(module, test) {
        return None;
    }
    let path = path(module, test);
    let mut command = own_binary();
    command.args([&path, "--exact", "--nocapture", "--test-threads=1"]).env(FRESH, &path);
    if !UNWINDS {
        // So that the new process is the test, and not one that starts a process for it.
        command.env("__RUST_TEST_INVOKE", &path);
    }
    Some(command)
}

/// Panics with what the process printed unless it ran one test and succeeded.
pub(crate) fn assert_success(test: &str, output: &Output) {
    let text = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)];
    if !UNWINDS {
        // How a test that passed ends its process.
        assert_eq!(output.status.code(), Some(50), "{test}: {}\n{}", output.status, text.concat());
        return;
    }
    assert!(output.status.success(), "{test}: {}\n{}", output.status, text.concat());
    assert!(text[0].contains("1 passed"), "{test} did not run:\n{}", text.concat());
}

/// As [`assert_success`], but a real driver may also have killed the process.
pub(crate) fn assert_success_or_death(test: &str, output: &Output) {
    match signal(output.status) {
        Some(signal) if !software() => eprintln!("{test}: the driver died of signal {signal}"),
        _ => assert_success(test, output),
    }
}

/// Panics with what the process printed unless it aborted, and said all of this.
pub(crate) fn assert_abort(test: &str, output: &Output, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(signal(output.status), Some(libc::SIGABRT), "{test}: {}\n{text}", output.status);
    assert!(
        words.iter().all(|word| text.contains(word)),
        "{test}: {words:?} are not all in\n{text}"
    );
}

/// Leaves the test, saying so: `skip!("needs two devices")`. `.ci/skips.txt` has the reasons that `.ci/run` lets pass.
#[macro_export]
macro_rules! skip {
    ($($why:tt)*) => {{
        fn here() {}
        $crate::common::skipped::skipped($crate::common::name_of(&here), format_args!($($why)*));
        return;
    }};
}

/// The path of the function, in its crate, that an item `here` stands in.
pub(crate) fn name_of<T>(_here: &T) -> &'static str {
    let path = std::any::type_name::<T>();
    let path = path.split_once("::").map_or(path, |(_crate, rest)| rest);
    path.trim_end_matches("::here").trim_end_matches("::{{closure}}")
}

/// Held by tests of a binary that run one after another.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the software driver answers.
pub(crate) fn software() -> bool {
    cuscope::driver_kind() == "software"
}
