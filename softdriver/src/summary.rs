//! The work and the failures of a process, printed when it ends (`CUSCOPE_SOFT_SUMMARY`), in
//! the words of memory checkers.
#![allow(unsafe_code, reason = "a function that is called at the exit")]
use crate::check;
use crate::model::driver;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::space::SPACE;
use crate::model::result;
use crate::race;
use crate::sync;
use cuscope_ptx::run::{Accident, Does, Fault, Place};
use cuscope_ptx::{Module, SourceLine};
use cuscope_sys::*;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether there is a summary.
static ON: AtomicBool = AtomicBool::new(false);
static SUMMARY: Mutex<Option<Summary>> = Mutex::new(None);

/// How many things of a kind are told one by one.
const TOLD: usize = 20;
/// The explanation of a `cuGetExportTable` that finds nothing.
const RUNTIME: &str = "Not supported: tables of undocumented functions (cuGetExportTable). The CUDA runtime (libcudart) does not \
    start without them; other libraries go on";

/// The facts of the summary.
#[derive(Default)]
struct Summary {
    /// Where it goes; none is stderr.
    file: Option<PathBuf>,
    calls: HashMap<&'static str, Calls>,
    launches: u64,
    /// The number of steps that the warps of kernels ran.
    steps: u64,
    /// How often somebody asked for a table of undocumented functions, without which it does not go on.
    tables: u64,
    /// Kernels that faulted.
    faults: Vec<Faulted>,
    /// Memory that was alive when its context ended: address, size and device.
    left: Vec<(u64, usize, usize)>,
    /// Code that was refused, a text each, and how often.
    refused: BTreeMap<String, u64>,
}

/// A kernel that faulted.
struct Faulted {
    kernel: String,
    code: CUresult,
    /// How often an instruction did and was left out; none if it ended the kernel.
    left_out: Option<u64>,
    /// Where, a line each.
    place: Vec<String>,
    /// Whether the access can be one of memory that the check sees.
    seen: bool,
}

/// The calls of a function.
#[derive(Default)]
struct Calls {
    made: u64,
    /// Those that failed, by code.
    failed: BTreeMap<u32, u64>,
}

/// Begins a summary, which goes to the file, or to stderr.
pub(crate) fn begin(file: Option<&Path>) {
    *sync::lock(&SUMMARY) = Some(Summary { file: file.map(Path::to_owned), ..Summary::default() });
    ON.store(true, Ordering::Release);
    // SAFETY: a function of C without obligations, which looks at statics only.
    let _ = unsafe { libc::atexit(end) };
    save();
}

/// Runs `f` on the summary, if there is one.
#[inline]
fn with(f: impl FnOnce(&mut Summary)) {
    if ON.load(Ordering::Relaxed)
        && let Some(summary) = sync::lock(&SUMMARY).as_mut()
    {
        f(summary);
    }
}

thread_local! {
    /// Whether the running call fails as its caller expects.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Notes that the running call fails in a way by which callers learn something, such as how many there are.
pub(crate) fn expected() {
    EXPECTED.set(true);
}

/// Notes a call and what it gave.
#[inline]
pub(crate) fn called(name: &'static str, code: CUresult) {
    let mut new = false;
    let expected = EXPECTED.replace(false);
    with(|summary| {
        let calls = summary.calls.entry(name).or_default();
        calls.made += 1;
        // That there is no table is told by itself.
        let told = expected
            || name == "cuGetExportTable"
            || matches!(code, CUDA_SUCCESS | CUDA_ERROR_NOT_READY);
        if !told {
            let times = calls.failed.entry(code.0).or_default();
            *times += 1;
            new = *times == 1;
        }
    });
    if new {
        save();
    }
}

/// The table that NVRTC asks for, which goes on without.
const OF_NVRTC: [u8; 16] = 0xda9151d3_3ae6_cc41_a5c0_4f26d533e328_u128.to_be_bytes();

/// Notes that somebody asked for a table of undocumented functions.
pub(crate) fn asked_for_table(id: CUuuid) {
    if id.bytes.map(|byte| byte as u8) != OF_NVRTC {
        with(|summary| summary.tables += 1);
        save();
    }
}

/// Where a kernel faulted, in the words of memory checkers.
fn place(accident: &Accident, code: &Module) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(access) = accident.access {
        let space = match access.place {
            Place::Global => "__global__",
            Place::Shared => "__shared__",
            Place::Local => "__local__",
            Place::Param => "__param__",
        };
        let does = match access.does {
            Some(Does::Read) => "read",
            Some(Does::Write) => "write",
            Some(Does::Update) => "atomic",
            None => "access",
        };
        let wrong = match accident.fault {
            Fault::MisalignedAddress => "misaligned",
            _ => "out of bounds",
        };
        let (bytes, address) = (access.bytes, access.address);
        lines.push(format!(
            "    Invalid {space} {does} of size {bytes} bytes: address {address:#x} is {wrong}"
        ));
    }
    let text = code.line(accident.line).unwrap_or_default().trim();
    lines.push(format!("    at line {} of the PTX: {text}", accident.line));
    for (SourceLine { file, line }, at) in
        code.source(accident.line).iter().zip(["at", "inlined at"])
    {
        lines.push(format!("    {at} {file}:{line}"));
    }
    let ([x, y, z], [bx, by, bz]) = (accident.thread, accident.block);
    lines.push(format!("    by thread ({x},{y},{z}) in block ({bx},{by},{bz})"));
    lines
}

/// Notes that a kernel ran, and its fault.
pub(crate) fn launched(
    kernel: &str,
    fault: Option<CUresult>,
    accident: Option<&Accident>,
    of: &Module,
) {
    with(|summary| {
        summary.launches += 1;
        if let Some(code) = fault {
            let access = accident.and_then(|accident| accident.access);
            let seen = access.is_none_or(|access| access.place == Place::Global);
            let place = accident.map(|accident| place(accident, of)).unwrap_or_default();
            let left_out = None;
            let kernel = kernel.to_owned();
            summary.faults.push(Faulted { kernel, code, left_out, place, seen });
        }
    });
    if fault.is_some() {
        save();
    }
}

/// Notes an access of a kernel that faults and is left out: of those of an instruction the first, and how many there are.
pub(crate) fn left_out(kernel: &str, code: CUresult, accident: &Accident, of: &Module) {
    let mut new = false;
    with(|summary| {
        let place = place(accident, of);
        // All but the address, the thread and the block.
        let at =
            |place: &[String]| place.iter().find(|line| line.contains(" of the PTX: ")).cloned();
        let same = |one: &&mut Faulted| {
            (one.code, &*one.kernel, at(&one.place)) == (code, kernel, at(&place))
        };
        match summary.faults.iter_mut().filter(|one| one.left_out.is_some()).find(same) {
            Some(one) => one.left_out = one.left_out.map(|times| times + 1),
            None => {
                let seen = accident.access.is_none_or(|access| access.place == Place::Global);
                let (kernel, left_out) = (kernel.to_owned(), Some(1));
                summary.faults.push(Faulted { kernel, code, left_out, place, seen });
                new = true;
            }
        }
    });
    if new {
        save();
    }
}

/// Notes what the warps of a kernel ran.
pub(crate) fn ran(steps: u64) {
    with(|summary| summary.steps += steps);
}

/// Notes memory that the program has not freed, as its context ends.
pub(crate) fn left(one: &Allocation) {
    if is_leak(one) {
        with(|summary| summary.left.push((one.base, one.size, one.life.device)));
    }
}

/// Whether memory that nobody frees is told.
fn is_leak(one: &Allocation) -> bool {
    matches!(one.kind, Kind::Device | Kind::Managed | Kind::Heap)
}

/// Notes that code was refused.
fn refused(what: String) {
    with(|summary| *summary.refused.entry(what).or_default() += 1);
    save();
}

/// Notes that PTX was refused: what the compiler said, and of what.
pub(crate) fn refused_ptx(log: &str, source: &str) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    let mut told = String::new();
    for message in log.lines().filter(|line| line.contains(" line ")).take(TOLD) {
        let what = message.split_once(" : ").map_or(message, |(_, what)| what);
        let number = message.split(" line ").nth(1).and_then(|behind| {
            behind.split(|c: char| !c.is_ascii_digit()).next()?.parse::<usize>().ok()
        });
        let line = number.and_then(|number| source.lines().nth(number.checked_sub(1)?));
        let (number, line) = (number.unwrap_or_default(), line.unwrap_or_default().trim());
        // Writing to a String cannot fail.
        let _ = write!(told, "PTX was refused: line {number}: {what}\n    {line}\n");
    }
    refused(if told.is_empty() { format!("PTX was refused: {}\n", log.trim_end()) } else { told });
}

/// Notes that machine code was refused: what it was, and what to do.
pub(crate) fn refused_machine_code(what: &str) {
    refused(format!("Machine code was refused: {what}\n"));
}

/// Writes what is known by now to the file, in case the process does not come to its end.
pub(crate) fn save() {
    let Some(file) = sync::lock(&SUMMARY).as_ref().and_then(|summary| summary.file.clone()) else {
        return;
    };
    if driver::forked() {
        return;
    }
    let text = text(false);
    if let Err(error) = std::fs::write(&file, text) {
        eprintln!("cuscope-softdriver: the summary {file:?} was not written: {error}");
    }
}

/// Tells it all, but not in the child of a fork, whose parent tells.
extern "C" fn end() {
    if driver::forked() {
        return;
    }
    let text = text(true);
    let file = sync::lock(&SUMMARY).take().and_then(|summary| summary.file);
    ON.store(false, Ordering::Relaxed);
    match file {
        None => eprint!("{text}"),
        Some(file) => {
            if let Err(error) = std::fs::write(&file, text) {
                eprintln!("cuscope-softdriver: the summary {file:?} was not written: {error}");
            }
        }
    }
}

/// A number with commas.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun.
fn counted(count: u64, noun: &str) -> String {
    let plural = match noun {
        _ if count == 1 => "",
        "race" | "error" | "call" | "function" | "allocation" | "byte" => "s",
        _ => "es",
    };
    format!("{} {noun}{plural}", grouped(count))
}

/// How often it was, if it was not once.
fn times(count: u64) -> String {
    if count == 1 { String::new() } else { format!(" ({} times)", grouped(count)) }
}

/// The summary; at the end also of what the process left.
fn text(ended: bool) -> String {
    let races = race::races();
    let left = if ended && driver::ready() { SPACE.left() } else { Vec::new() };
    let leaks = left.iter().filter(|one| is_leak(one));
    let leaks = leaks.map(|one| (one.base, one.size, one.life.device));
    let summary = sync::lock(&SUMMARY);
    let Some(summary) = summary.as_ref() else { return String::new() };
    let leaks: Vec<_> = summary.left.iter().copied().chain(leaks).collect();
    let mut lines = Vec::new();
    let program: Vec<_> = std::env::args_os().take(3).collect();
    let program: Vec<_> = program.iter().map(|part| part.to_string_lossy()).collect();
    lines.push(format!(
        "CUSCOPE SOFTWARE DRIVER: process {}: {}",
        std::process::id(),
        program.join(" ")
    ));
    let made = summary.calls.values().map(|calls| calls.made).sum();
    let failed = summary.calls.values().flat_map(|calls| calls.failed.values()).sum::<u64>();
    lines.push(format!(
        "{} of {}, {} failed; {}, about {} warp instructions",
        counted(made, "call"),
        counted(summary.calls.len() as u64, "function"),
        grouped(failed),
        counted(summary.launches, "launch"),
        grouped(summary.steps)
    ));
    // The first failure: the rest may come from it.
    for Faulted { kernel, code, left_out, place, .. } in summary.faults.iter().take(TOLD) {
        let error = result::name_of(*code).unwrap_or("an unknown error");
        let (what, times) = match left_out {
            None => ("faulted", String::new()),
            Some(count) => ("went on without an access", times(*count)),
        };
        lines.push(format!("Kernel {kernel} {what}: {error} (error {}){times}", code.0));
        lines.extend(place.iter().cloned());
    }
    if summary.tables > 0 {
        lines.push(format!("{RUNTIME}{}", times(summary.tables)));
    }
    let mut calls: Vec<_> = summary.calls.iter().collect();
    calls.sort_unstable_by_key(|(name, _)| **name);
    for (name, calls) in calls {
        for (&code, &count) in &calls.failed {
            let what =
                if code == CUDA_ERROR_NOT_SUPPORTED.0 { "Not supported" } else { "Program hit" };
            let error = result::name_of(CUresult(code)).unwrap_or("an unknown error");
            lines.push(format!(
                "{what}: {error} (error {code}) on {} of {name}",
                counted(count, "call")
            ));
        }
    }
    for (what, &count) in summary.refused.iter().take(TOLD) {
        let mut parts = what.lines();
        lines.push(format!("{}{}", parts.next().unwrap_or_default(), times(count)));
        lines.extend(parts.map(str::to_owned));
    }
    let wrong = check::with_findings(|found| {
        lines.extend(found.iter().take(TOLD).map(ToString::to_string));
        found.iter().map(check::Finding::times).sum::<u64>()
    });
    lines.extend(races.iter().take(TOLD).map(ToString::to_string));
    // After a fault nothing can be freed.
    let lost = summary.faults.iter().any(|one| one.left_out.is_none());
    let listed = if lost { 0 } else { TOLD };
    for (base, size, device) in leaks.iter().take(listed) {
        lines.push(format!(
            "Leaked {} at {base:#x} of device {device}",
            counted(*size as u64, "byte")
        ));
    }
    if !lost && leaks.len() > listed {
        lines.push(format!("and {} more", counted((leaks.len() - listed) as u64, "allocation")));
    }
    let bytes = leaks.iter().map(|(_, size, _)| *size as u64).sum();
    if ended && lost {
        lines.push(format!(
            "LEAK SUMMARY: 0 bytes leaked in 0 allocations; {} in {} went with the fault, behind which nothing is freed",
            counted(bytes, "byte"),
            counted(leaks.len() as u64, "allocation")
        ));
    } else if ended {
        lines.push(format!(
            "LEAK SUMMARY: {} leaked in {}",
            counted(bytes, "byte"),
            counted(leaks.len() as u64, "allocation")
        ));
    } else {
        lines.push("The process did not come to its end".to_owned());
    }
    lines.push(format!("RACE SUMMARY: {}", counted(races.len() as u64, "race")));
    // With the check, an access that misses device memory is among these already.
    let known = |one: &&Faulted| check::on() && one.seen && one.code == CUDA_ERROR_ILLEGAL_ADDRESS;
    let faults = summary.faults.iter().filter(|one| !known(one));
    let errors = wrong + faults.map(|one| one.left_out.unwrap_or(1)).sum::<u64>();
    lines.push(format!("ERROR SUMMARY: {}", counted(errors, "error")));
    lines.iter().fold(String::new(), |out, line| out + "========= " + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas_and_plurals() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "launch"), "1 launch");
        assert_eq!(counted(0, "launch"), "0 launches");
        assert_eq!(counted(1000, "call"), "1,000 calls");
    }
}
