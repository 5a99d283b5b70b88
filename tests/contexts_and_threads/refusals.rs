//! Each reason that the `# Errors` sections give for a code of the driver has an input here that gets a message with that
//! reason, or names the test that tries it. A new reason without a row fails.
#![allow(unsafe_code, reason = "launches kernels, and imports what is none")]

mod docs;
mod exact;
mod table;

use crate::common::gpu::{kernel, with_gpu};
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::launch::LaunchSpec;
use cuscope::{Device, Function, LaunchConfig, PushedGuard, Result, ffi};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use exact::EXACT;
use std::collections::BTreeSet;
use std::path::Path;
use table::{FEW_THREADS, MORE, NUMBERS, TABLE};

/// A reason of the documentation, and an input for it.
struct Row {
    /// The file under `src/`, and the function.
    place: (&'static str, &'static str),
    /// The words of the documentation, or what `MORE` inputs are.
    reason: &'static str,
    /// Words in the message. Those behind a `!` are not in it.
    says: &'static [&'static str],
    input: Input,
}

/// A call that fails.
type Refused = fn(&PushedGuard<'_>) -> Result;

enum Input {
    /// A call that fails.
    Call(Refused),
    /// A call that fails on devices with these attributes, in a process of its own, or only there.
    Alone(&'static str, Refused),
    /// A call that fails where this driver function returns the code: no input makes the software driver return it.
    Fails(&'static str, ffi::CUresult, Refused),
    /// A test in this file under `tests/`, which has the words, and what it needs that there is not here.
    Test(&'static str, &'static str),
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Between the reasons of a clause.
const BETWEEN: [&str; 12] =
    ["for", "if", "and", "or", "with", "is", "a", "an", "the", "it", "in", "where"];

#[test]
fn every_reason_of_the_documentation_has_a_row() {
    if !root().join("src").is_dir() {
        skip!("needs the sources");
    }
    skip_under_miri!("it reads the sources");
    let clauses = docs::clauses(&root().join("src"));
    assert!(clauses.len() > 100, "{}", clauses.len());
    let mut wrong = Vec::new();
    let mut found = vec![false; TABLE.len()];
    for (file, function, clause) in &clauses {
        let mut left = clause.clone();
        for (row, found) in TABLE.iter().zip(&mut found) {
            if row.place == (file.as_str(), function.as_str()) && left.contains(row.reason) {
                left = left.replacen(row.reason, " ", 1);
                *found = true;
            }
        }
        let words = left.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
        let more: Vec<_> = words
            .filter(|word| !word.is_empty() && !word.starts_with("CUDA_ERROR_"))
            .filter(|word| !BETWEEN.contains(word))
            .collect();
        if !more.is_empty() || left == *clause {
            wrong.push(format!("{file} {function}: no row for {more:?} of: {clause}"));
        }
    }
    for (row, found) in TABLE.iter().zip(found) {
        if !found {
            let (file, function) = row.place;
            wrong
                .push(format!("{file} {function}: the documentation does not say: {}", row.reason));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn all() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().chain(MORE).chain(EXACT)
}

/// Returns what the message of a row lacks.
fn lacks(row: &Row, text: &str) -> Option<String> {
    let lacks = |words: &&&str| match words.strip_prefix('!') {
        Some(words) => text.contains(words),
        None => !text.contains(**words),
    };
    let lacks: Vec<_> = row.says.iter().filter(lacks).collect();
    (!lacks.is_empty()).then(|| {
        let ((file, function), reason) = (row.place, row.reason);
        let text: String = text.chars().take(400).collect();
        format!("{file} {function}, {reason}: {lacks:?} is not in: {text}")
    })
}

fn message(result: Result) -> String {
    result.map_or_else(|error| error.to_string(), |()| "no error".to_owned())
}

#[test]
fn every_input_gets_a_message_with_its_reason() {
    if !common::software() {
        skip!("needs the software driver, whose devices are known");
    }
    skip_under_miri!("it maps memory and reads files");
    with_gpu(|gpu| {
        let wrong = all().filter_map(|row| {
            let text = match row.input {
                Input::Call(call) => message(call(gpu)),
                Input::Fails(function, code, call) => {
                    let fault = Fault { which: Which::Named(function), code, performed: false };
                    message(with_fault(fault, || call(gpu)).0)
                }
                Input::Alone(..) => return None,
                Input::Test(test, needs) => {
                    std::fs::read_to_string(root().join("tests").join(test))
                        .unwrap_or_else(|error| format!("{test}, which needs {needs}: {error}"))
                }
            };
            lacks(row, &text)
        });
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn what_is_refused_before_the_driver_is_asked_has_its_numbers() {
    if !common::software() {
        skip!("needs the software driver, whose devices are known");
    }
    skip_under_miri!("it maps memory");
    with_gpu(|gpu| {
        for (call, says) in NUMBERS {
            let text = message(call(gpu));
            assert!(
                text.contains("was not called") && says.iter().all(|words| text.contains(words)),
                "{says:?}: {text}"
            );
        }
    });
}

#[test]
fn messages_about_launches_have_the_numbers_that_queries_return() {
    fn launch<'ctx>(
        gpu: &PushedGuard<'ctx>,
        kernel: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
    ) -> String {
        // SAFETY: the kernel has no parameters and does nothing.
        let launched = gpu
            .stream()
            .and_then(|stream| unsafe { gpu.on(&stream).launch_unchecked(kernel, config, ()) });
        message(launched)
    }
    with_gpu(|gpu| {
        let few = kernel(gpu, FEW_THREADS, "few");
        let registers = few.attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS).unwrap();
        let text = launch(gpu, &few, LaunchConfig::new(1, 64));
        assert!(text.contains(&format!("its {registers} registers a thread")), "{text}");
        let most = gpu.occupancy(&few).cooperative_blocks(32, 0).unwrap();
        let cooperative = |blocks| LaunchConfig::new(blocks, 32).extended().cooperative();
        let text = launch(gpu, &few, cooperative(most + 1));
        let words = format!("has {} blocks, and the device runs {most} of them at once", most + 1);
        assert!(text.contains(&words), "{words:?}: {text}");
        assert_eq!(launch(gpu, &few, cooperative(most)), "no error");
    });
}

/// What shows a context or a device never fails.
#[test]
fn a_context_that_is_gone_is_shown_without_its_number() {
    if !common::software() {
        skip!("a real driver may follow the handle of a context that is gone");
    }
    // In a process of its own, where no other context gets the handle.
    fresh!(a_context_that_is_gone_is_shown_without_its_number, {
        let device = Device::get(0).unwrap();
        let gone = table::destroyed().unwrap();
        assert_eq!(gone.to_string(), "borrowed context ? of device 0");
        assert!(format!("{gone:?}").contains("id: \"?\""), "{gone:?}");
        assert_eq!((gone.device(), format!("{device:?}")), (device, "Device(0)".to_owned()));
    });
}

#[test]
fn attributes_of_kernels_that_take_values_are_told_from_those_that_take_none() {
    if !common::software() {
        skip!("needs the software driver, which fails on purpose");
    }
    with_gpu(|gpu| {
        let few = kernel(gpu, FEW_THREADS, "few");
        let which = Which::Named("cuFuncSetAttribute");
        let fault = Fault { which, code: ffi::CUDA_ERROR_INVALID_VALUE, performed: false };
        for (attribute, words) in [
            (ffi::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, "is not one of its values"),
            (ffi::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, "is not one of its values"),
            (ffi::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, "is not one of its values"),
            (ffi::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, "is not one of its values"),
            (ffi::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, "is not one of its values"),
            (
                ffi::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                "is not one of its values",
            ),
            (ffi::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE, "cannot be set"),
            (ffi::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "cannot be set"),
        ] {
            let text = message(with_fault(fault, || few.set_attribute(attribute, 77)).0);
            let value = format!("the value 77 of attribute {}", attribute.0);
            assert!(text.contains(&value) && text.contains(words), "{words:?}: {text}");
        }
    });
}

/// The devices of a process are what a variable says when it starts.
#[test]
fn every_input_of_other_devices_gets_a_message_with_its_reason() {
    const TEST: &str = "every_input_of_other_devices_gets_a_message_with_its_reason";
    const VARIABLE: &str = "CUSCOPE_SOFT_ATTRIBUTES";
    if !common::software() {
        skip!("needs the software driver, which can be told what devices lack");
    }
    skip_under_miri!("starts processes");
    let devices = all().filter_map(|row| match row.input {
        Input::Alone(devices, _) => Some(devices),
        _ => None,
    });
    for these in devices.collect::<BTreeSet<_>>() {
        if let Some(output) = common::respawn_with(module_path!(), TEST, &[(VARIABLE, these)]) {
            common::assert_success(TEST, &output);
            continue;
        }
        let these = std::env::var(VARIABLE).unwrap_or_default();
        let wrong = all().filter_map(|row| match row.input {
            Input::Alone(devices, call) if devices == these => {
                lacks(row, &with_gpu(|gpu| message(call(gpu))))
            }
            _ => None,
        });
        let wrong: Vec<_> = wrong.collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        return;
    }
}
