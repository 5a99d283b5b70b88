//! Faults on demand: calls that fail although nothing is wrong with them, on a thread
//! ([`with_fault`]), and what goes wrong in the whole process ([`Plan`], [`install`]).

use crate::plan;
use crate::rules::Rules;
use cuscope_sys::CUresult;
use std::cell::RefCell;

pub use crate::plan::{Bad, Calls, Plan, clear, install};

/// Which calls of a thread fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The n-th call, counted from 0.
    Nth(usize),
    /// Every call of the function with this name, such as `"cuMemAlloc_v2"`.
    Named(&'static str),
    /// The same, from the n-th call of the thread on, counted from 0.
    NamedFrom(&'static str, usize),
}

/// A fault: calls that fail, with a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The calls.
    pub which: Which,
    /// The code that they answer. The driver's log gets it, also a success, as a warning.
    pub code: CUresult,
    /// Whether the call does its work before it answers with the code, as one does that reports the
    /// failure of earlier work. Otherwise it does nothing.
    pub performed: bool,
}

/// A fault in force on a thread.
struct Active {
    fault: Fault,
    /// How many calls there were.
    calls: usize,
    /// The calls that failed.
    failed: Vec<&'static str>,
}

thread_local! {
    static ACTIVE: RefCell<Option<Active>> = const { RefCell::new(None) };
}

/// Runs `f`, in which the calls that this thread makes fail as `fault` says. Gives the names of those
/// that did, in order. Not to be nested: the inner fault ends the outer one.
pub fn with_fault<R>(fault: Fault, f: impl FnOnce() -> R) -> (R, Vec<&'static str>) {
    /// Ends the fault, also when `f` panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            ACTIVE.take();
        }
    }
    ACTIVE.set(Some(Active { fault, calls: 0, failed: Vec::new() }));
    let end = End;
    let result = f();
    let failed = ACTIVE.take().map(|active| active.failed).unwrap_or_default();
    drop(end);
    (result, failed)
}

/// The fault that strikes a call of this thread, if any.
#[inline]
pub(crate) fn strike(rules: &Rules) -> Option<Fault> {
    // A thread that is ending has none any more.
    let own =
        ACTIVE.try_with(|active| active.borrow_mut().as_mut()?.strike(rules.name)).ok().flatten();
    own.or_else(|| plan::strike(rules))
}

impl Active {
    fn strike(&mut self, name: &'static str) -> Option<Fault> {
        let number = self.calls;
        self.calls += 1;
        let struck = match self.fault.which {
            Which::Nth(n) => n == number,
            Which::Named(of) => of == name,
            Which::NamedFrom(of, n) => of == name && number >= n,
        };
        if struck {
            self.failed.push(name);
        }
        struck.then_some(self.fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::call;
    use cuscope_sys::{CUDA_ERROR_OUT_OF_MEMORY, CUDA_SUCCESS};
    use std::cell::Cell;

    #[test]
    fn the_call_that_is_meant_fails_and_no_other() {
        let code = CUDA_ERROR_OUT_OF_MEMORY;
        let ran = Cell::new(0);
        static VERSION: Rules = Rules::of("cuDriverGetVersion", 0).always();
        static NAME: Rules = Rules::of("cuGetErrorName", 0).always();
        let run = |rules| {
            call(rules, &[], &mut || {
                ran.set(ran.get() + 1);
                Ok(())
            })
        };
        let twice = || [run(&VERSION), run(&NAME)];

        let fault = Fault { which: Which::Nth(1), code, performed: false };
        assert_eq!(with_fault(fault, twice), ([CUDA_SUCCESS, code], vec!["cuGetErrorName"]));
        assert_eq!(ran.get(), 1, "the one that failed did nothing");

        let fault = Fault { which: Which::Named("cuDriverGetVersion"), code, performed: true };
        assert_eq!(with_fault(fault, twice), ([code, CUDA_SUCCESS], vec!["cuDriverGetVersion"]));
        assert_eq!(ran.get(), 3, "the one that failed did its work");

        let which = Which::NamedFrom("cuDriverGetVersion", 1);
        let fault = Fault { which, code, performed: false };
        let (codes, failed) = with_fault(fault, || [twice(), twice()]);
        assert_eq!((codes, failed.len()), ([[CUDA_SUCCESS; 2], [code, CUDA_SUCCESS]], 1));

        assert_eq!(twice(), [CUDA_SUCCESS; 2], "the fault is over");
    }
}
