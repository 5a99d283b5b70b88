//! What goes wrong in the whole process: calls that fail, memory that runs out, a device that is lost,
//! kernels that take too long, copies that are slow.

use crate::entry_point;
use crate::faults::{Fault, Which};
use crate::model::driver;
use crate::model::life;
use crate::model::result;
use crate::rules::Rules;
use crate::sticky;
use crate::sync;
use cuscope_sys::*;
use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Calls that fail, whichever thread makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The function, such as `cuMemAlloc_v2`; without the suffix, every form of it. Every function if
    /// there is none.
    pub function: Option<String>,
    /// Which of its calls, counted from 1; every one if there is none.
    pub nth: Option<u64>,
    /// What they answer.
    pub code: CUresult,
    /// Whether they do their work before they answer.
    pub performed: bool,
}

/// What goes wrong. As a text, such as the variable `CUSCOPE_SOFT_FAULT` has, parts with commas between:
///
/// | part | what goes wrong |
/// |---|---|
/// | `cuMemAlloc=OUT_OF_MEMORY` | every call of the function gives the code, a name or a number |
/// | `cuMemAlloc#3=2` | its third call does |
/// | `#10=UNKNOWN` | the tenth call of all does |
/// | `cuStreamSynchronize#1=719:after` | the call does its work, and then gives the code |
/// | `memory=64M` | no device has more than so many bytes (`K`, `M`, `G`: powers of 1024) |
/// | `lost=5` | after five launches the device is lost: UNKNOWN from every call from then on |
/// | `lost=5:LAUNCH_FAILED` | the same with another code |
/// | `timeout=200ms` | a kernel that runs longer is LAUNCH_TIMEOUT, which stays (`us`, `ms`, `s`) |
/// | `copies=5ms` | every copy takes so much longer |
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Calls that fail.
    pub calls: Vec<Calls>,
    /// Bytes of a device's memory, if they are fewer.
    pub memory: Option<usize>,
    /// After so many launches every call gives the code.
    pub lost: Option<(u64, CUresult)>,
    /// How long a kernel may run.
    pub timeout: Option<Duration>,
    /// How much longer every copy takes.
    pub copies: Option<Duration>,
}

/// A text that is no [`Plan`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad(String);

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Bad {}

/// A number with a unit: one of the list, or none if that has an empty one.
fn number(text: &str, units: &[(&str, u64)], what: &str) -> Result<u64, Bad> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits);
    let factor = units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let value = digits.parse::<u64>().ok().zip(factor).and_then(|(n, by)| n.checked_mul(by));
    value.ok_or_else(|| Bad(format!("{text:?} is no {what}")))
}

fn count(text: &str) -> Result<u64, Bad> {
    number(text, &[("", 1)], "number")
}

fn bytes(text: &str) -> Result<usize, Bad> {
    let units = [("", 1), ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)];
    number(text, &units, "number of bytes, such as 4096, 64K, 64M or 2G").map(|n| n as usize)
}

fn time(text: &str) -> Result<Duration, Bad> {
    let units = [("us", 1), ("ms", 1000), ("s", 1_000_000)];
    number(text, &units, "time, such as 500us, 20ms or 1s").map(Duration::from_micros)
}

fn code(text: &str) -> Result<CUresult, Bad> {
    let number = || text.parse().ok().map(CUresult);
    let found = result::code_of(text).or_else(number).filter(|code| *code != CUDA_SUCCESS);
    found.ok_or_else(|| Bad(format!("{text:?} is no error's name or number")))
}

impl Calls {
    fn parse(which: &str, answer: &str) -> Result<Self, Bad> {
        let (function, nth) = match which.split_once('#') {
            Some((function, nth)) => (function, Some(count(nth)?)),
            None => (which, None),
        };
        if nth == Some(0) {
            return Err(Bad(format!("{which:?}: calls are counted from 1")));
        }
        if !function.is_empty() && !entry_point::is_function(function) {
            return Err(Bad(format!("{function:?} is no function of the driver")));
        }
        let function = Some(function.to_owned()).filter(|function| !function.is_empty());
        let (answer, performed) = match answer.strip_suffix(":after") {
            Some(answer) => (answer, true),
            None => (answer, false),
        };
        Ok(Self { function, nth, code: code(answer)?, performed })
    }

    /// Whether calls of the function are meant.
    fn means(&self, name: &str) -> bool {
        self.function.as_deref().is_none_or(|function| {
            name.strip_prefix(function)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("_v"))
        })
    }
}

impl FromStr for Plan {
    type Err = Bad;

    fn from_str(text: &str) -> Result<Self, Bad> {
        let mut plan = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let Some((what, how)) = part.split_once('=') else {
                return Err(Bad(format!("{part:?} has no =")));
            };
            match what {
                "memory" => plan.memory = Some(bytes(how)?),
                "timeout" => plan.timeout = Some(time(how)?),
                "copies" => plan.copies = Some(time(how)?),
                "lost" => {
                    let (after, with) = how.split_once(':').unwrap_or((how, "UNKNOWN"));
                    plan.lost = Some((count(after)?, code(with)?));
                }
                _ => plan.calls.push(Calls::parse(what, how)?),
            }
        }
        Ok(plan)
    }
}

/// The plan in force, and what was counted.
struct Active {
    plan: Plan,
    /// Calls that each of the plan's [`Calls`] means.
    counts: Vec<u64>,
    launches: u64,
}

static ACTIVE: Mutex<Option<Active>> = Mutex::new(None);
/// Whether there is a plan that looks at calls.
static ON: AtomicBool = AtomicBool::new(false);
/// Bytes of a device's memory.
static MEMORY: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Microseconds that a copy takes longer.
static COPIES: AtomicU64 = AtomicU64::new(0);
/// Microseconds that a kernel may run; 0 for any time.
static TIMEOUT: AtomicU64 = AtomicU64::new(0);

/// Puts a plan in force for the whole process, in place of the one that is. What is counted begins anew.
pub fn install(plan: Plan) {
    let micros = |time: Option<Duration>| time.map_or(0, |time| time.as_micros() as u64);
    let mut active = sync::lock(&ACTIVE);
    MEMORY.store(plan.memory.unwrap_or(usize::MAX), Ordering::Relaxed);
    COPIES.store(micros(plan.copies), Ordering::Relaxed);
    TIMEOUT.store(micros(plan.timeout), Ordering::Relaxed);
    ON.store(!plan.calls.is_empty() || plan.lost.is_some(), Ordering::Release);
    *active = Some(Active { counts: vec![0; plan.calls.len()], plan, launches: 0 });
}

/// Ends the plan in force. A device that was lost stays so.
pub fn clear() {
    install(Plan::default());
}

/// The fault that strikes a call of any thread, if one does.
#[inline]
pub(crate) fn strike(rules: &Rules) -> Option<Fault> {
    if ON.load(Ordering::Acquire) { strike_by_plan(rules) } else { None }
}

#[cold]
fn strike_by_plan(rules: &Rules) -> Option<Fault> {
    let mut active = sync::lock(&ACTIVE);
    let Active { plan, counts, launches } = active.as_mut()?;
    if rules.launch {
        *launches += 1;
        if let Some((after, code)) = plan.lost
            && *launches > after
        {
            if driver::ready() {
                life::lose_all(code);
            }
            sticky::set(code);
            let _shown = sticky::check();
        }
    }
    let mut struck = None;
    for (calls, count) in plan.calls.iter().zip(counts) {
        if !calls.means(rules.name) {
            continue;
        }
        *count += 1;
        if struck.is_none() && calls.nth.is_none_or(|nth| nth == *count) {
            let which = Which::Named(rules.name);
            struck = Some(Fault { which, code: calls.code, performed: calls.performed });
        }
    }
    struck
}

/// The bytes that a device of so many has.
pub(crate) fn memory(total: usize) -> usize {
    MEMORY.load(Ordering::Relaxed).min(total)
}

/// Makes a copy slow.
pub(crate) fn slow_copy() {
    match COPIES.load(Ordering::Relaxed) {
        0 => {}
        micros => std::thread::sleep(Duration::from_micros(micros)),
    }
}

/// How long a kernel may run.
pub(crate) fn timeout() -> Option<Duration> {
    match TIMEOUT.load(Ordering::Relaxed) {
        0 => None,
        micros => Some(Duration::from_micros(micros)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_plans_or_say_what_is_wrong() {
        let text = "cuMemAlloc#3=OUT_OF_MEMORY, #10=999, cuStreamSynchronize=CUDA_ERROR_LAUNCH_FAILED:after, \
                    memory=64M, lost=5:719, timeout=200ms, copies=5us,";
        let plan: Plan = text.parse().unwrap();
        let calls = |function: &str, nth, code, performed| Calls {
            function: Some(function.to_owned()).filter(|name| !name.is_empty()),
            nth,
            code,
            performed,
        };
        let expected = Plan {
            calls: vec![
                calls("cuMemAlloc", Some(3), CUDA_ERROR_OUT_OF_MEMORY, false),
                calls("", Some(10), CUDA_ERROR_UNKNOWN, false),
                calls("cuStreamSynchronize", None, CUDA_ERROR_LAUNCH_FAILED, true),
            ],
            memory: Some(64 << 20),
            lost: Some((5, CUDA_ERROR_LAUNCH_FAILED)),
            timeout: Some(Duration::from_millis(200)),
            copies: Some(Duration::from_micros(5)),
        };
        assert_eq!(plan, expected);
        assert!(plan.calls[0].means("cuMemAlloc_v2") && plan.calls[0].means("cuMemAlloc"));
        assert!(!plan.calls[0].means("cuMemAllocAsync"));
        for (bad, says) in [
            ("memory", "no ="),
            ("memory=64X", "64X"),
            ("cuNoSuchCall=2", "cuNoSuchCall"),
            ("cuMemAlloc#0=2", "counted from 1"),
            ("cuMemAlloc=0", "no error"),
            ("cuMemAlloc=NO_SUCH", "NO_SUCH"),
            ("timeout=20", "20"),
            ("lost=x", "x"),
        ] {
            let error = bad.parse::<Plan>().unwrap_err().to_string();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }
}
