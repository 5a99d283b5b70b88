//! The path of every call of a driver function.
#![allow(unsafe_code, reason = "the macro declares functions that callers in C call")]

use crate::entry::Answer;
use crate::model::driver::{ended, forked, ready};
use crate::model::{capture, logs, stack};
use crate::rules::Rules;
use crate::{control, faults, host_function, label, schedule, sticky, summary, trace};
use cuscope_sys::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of the driver function with the rules; `zeros` says which arguments are null or 0. Takes the body by
/// reference, so that this is compiled once, and not for each function.
pub(crate) fn call(
    rules: &'static Rules,
    zeros: &[bool],
    body: &mut dyn FnMut() -> Answer,
) -> CUresult {
    let (code, struck) = answer(rules, zeros, body);
    logs::note(rules.name, code, struck);
    summary::called(rules.name, code);
    code
}

/// The code that it gives, and whether a fault struck it.
fn answer(
    rules: &'static Rules,
    zeros: &[bool],
    body: &mut dyn FnMut() -> Answer,
) -> (CUresult, bool) {
    control::note(rules.name);
    label::in_call(rules.name);
    schedule::tick();
    let span = trace::Span::new();
    let fault = faults::strike(rules);
    let code = perform(rules, zeros, fault, body);
    if let Some(span) = span {
        span.called(rules.name, code);
    }
    (code, fault.is_some())
}

/// The same, after what is noted of every call.
fn perform(
    rules: &Rules,
    zeros: &[bool],
    fault: Option<faults::Fault>,
    body: &mut dyn FnMut() -> Answer,
) -> CUresult {
    if let Some(fault) = fault.filter(|fault| !fault.performed) {
        return fault.code;
    }
    let result = catch_unwind(AssertUnwindSafe(|| {
        admit(rules, zeros)?;
        body()
    }));
    if let Some(fault) = fault {
        return fault.code;
    }
    match result {
        Ok(Ok(())) => CUDA_SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => CUDA_ERROR_UNKNOWN,
    }
}

/// Whether the function may be called at all, here and now.
fn admit(rules: &Rules, zeros: &[bool]) -> Answer {
    if ended() && !rules.always {
        return Err(CUDA_ERROR_DEINITIALIZED);
    }
    if host_function::running() && !rules.always && !rules.host_fn {
        return Err(CUDA_ERROR_NOT_PERMITTED);
    }
    if ready() {
        admit_after_fault(rules, zeros)?;
        return admit_during_capture(rules);
    }
    if rules.always || (rules.starts && !forked()) {
        return Ok(());
    }
    Err(rules.looked(zeros).unwrap_or(CUDA_ERROR_NOT_INITIALIZED))
}

/// Refuses a call once the code was given, unless it is exempt.
#[inline]
fn admit_after_fault(rules: &Rules, zeros: &[bool]) -> Answer {
    match sticky::check_shown() {
        Ok(()) => Ok(()),
        Err(code) => admit_by_rules(rules, zeros, code),
    }
}

/// The same when the code was given.
#[cold]
fn admit_by_rules(rules: &Rules, zeros: &[bool], code: CUresult) -> Answer {
    if rules.works_for(zeros) {
        return Ok(());
    }
    if rules.about_current(zeros) {
        return stack::current().and(Err(code));
    }
    let works = rules.after_fault
        || rules.looks_for(zeros)
        || rules.frees_nothing(zeros) && stack::top().is_none();
    if works { Ok(()) } else { Err(code) }
}

/// Refuses a call that captures forbid, while there is one that forbids it.
#[inline]
fn admit_during_capture(rules: &Rules) -> Answer {
    if capture::none() { Ok(()) } else { admit_if_allowed(rules) }
}

/// The same with captures in progress.
#[cold]
fn admit_if_allowed(rules: &Rules) -> Answer {
    if rules.no_capture_in_context {
        stack::current()?;
    } else if !rules.no_capture {
        return Ok(());
    }
    capture::check_unsafe()
}

/// Defines driver functions: each runs its body under [`call`], which keeps the [`Rules`] in brackets after the
/// arguments. The body gives an [`Answer`]. They are exported in [`exports`](crate::exports).
macro_rules! driver {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        $([$($rule:ident $(($what:expr))? $(= $code:ident)?),* $(,)?])?
        $body:block
    )*) => { $(
        $(#[$meta])*
        ///
        /// # Safety
        ///
        /// As for the driver's function of the same name: pointers lead to what it reads or writes.
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> cuscope_sys::CUresult {
            const ARGUMENTS: &[&str] = &[$(stringify!($arg)),*];
            static RULES: $crate::rules::Rules =
                $crate::rules::Rules::of(stringify!($name), ARGUMENTS.len())
                    $($(.$rule($($what)? $(, $code)?))*)?;
            let zeros = [$($crate::entry::Zero::is_zero(&$arg)),*];
            $crate::call::call(&RULES, &zeros, &mut move || $body)
        }
    )* };
}
pub(crate) use driver;
