//! Faults of the whole process: calls that fail, memory that runs out, a device that is lost,
//! kernels that take too long, copies that are slow.

use crate::conditions;
use crate::faults::{Fault, Which};
use crate::model::context;
use crate::model::driver;
use crate::rules::Rules;
use crate::sticky;
use crate::sync;
use cuscope_sys::*;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Calls that fail, whichever thread makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The function, such as `cuMemAlloc_v2`; without the suffix, every form of it. Every function if
    /// there is none.
    pub function: Option<String>,
    /// Which of its calls, counted from 1; every one if there is none.
    pub nth: Option<u64>,
    /// The code that they answer.
    pub code: CUresult,
    /// Whether they do their work before they answer.
    pub performed: bool,
}

/// The faults to make. As a text, such as the variable `CUSCOPE_SOFT_FAULT` has, parts with commas between:
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
pub struct Bad(pub(crate) String);

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Bad {}

impl Calls {
    /// Whether calls of the function are meant.
    pub(crate) fn means(&self, name: &str) -> bool {
        self.function.as_deref().is_none_or(|function| {
            name.strip_prefix(function)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("_v"))
        })
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

/// Puts a plan in force for the whole process, in place of the one that is. What is counted begins anew.
pub fn install(plan: Plan) {
    let mut active = sync::lock(&ACTIVE);
    conditions::set(plan.memory, plan.copies, plan.timeout);
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
                context::lose_all(code);
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
