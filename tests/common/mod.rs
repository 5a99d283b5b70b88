//! What the tests share: processes of their own, loud skips, and which driver answers.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod gpu;
pub(crate) mod kernels;

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

const FRESH: &str = "CUSCOPE_TEST_IN_FRESH_PROCESS";

/// Runs the body of a test in a process of its own: `fresh!(name_of_the_test, { … })`. For what
/// ruins a process (a sticky error, a fork) or counts what is alive in it.
#[macro_export]
macro_rules! fresh {
    ($test:ident, $body:block) => {
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
        if let Some(output) = $crate::common::respawn(module_path!(), stringify!($test)) {
            $crate::common::assert_success_or_death(stringify!($test), &output);
        } else {
            $body
        }
    };
}

/// The output of the test `module::test` run alone in a process of its own, or `None` inside it.
pub(crate) fn respawn(module: &str, test: &str) -> Option<Output> {
    respawn_with(module, test, &[])
}

/// As [`respawn`], with variables set.
pub(crate) fn respawn_with(module: &str, test: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let path = match module.split_once("::") {
        Some((_crate, rest)) => format!("{rest}::{test}"),
        None => test.to_owned(),
    };
    if std::env::var(FRESH).as_deref() == Ok(&path) {
        return None;
    }
    let exe = std::env::current_exe().expect("the test binary has a path");
    let output = Command::new(exe)
        .args([&path, "--exact", "--nocapture", "--test-threads=1"])
        .env(FRESH, &path)
        .envs(variables.iter().copied())
        .output()
        .expect("the test binary starts again");
    Some(output)
}

/// Panics with what the process printed unless it ran one test and succeeded.
pub(crate) fn assert_success(test: &str, output: &Output) {
    let text = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)];
    assert!(output.status.success(), "{test}: {}\n{}", output.status, text.concat());
    assert!(text[0].contains("1 passed"), "{test} did not run:\n{}", text.concat());
}

/// As [`assert_success`], but a real driver may also have killed the process.
pub(crate) fn assert_success_or_death(test: &str, output: &Output) {
    match output.status.signal() {
        Some(signal) if !software() => eprintln!("{test}: the driver died of signal {signal}"),
        _ => assert_success(test, output),
    }
}

/// Leaves the test, saying so: `skip!("needs two devices")`.
#[macro_export]
macro_rules! skip {
    ($($why:tt)*) => {{
        eprintln!("SKIPPED {}: {}", module_path!(), format_args!($($why)*));
        return;
    }};
}

/// Whether the software driver answers.
pub(crate) fn software() -> bool {
    cuscope::driver_kind() == "software"
}
