//! Rules for a driver function besides its body: those in brackets after its arguments, in
//! [`driver!`](crate::entry::driver).

use cuscope_sys::CUresult;

/// The rules of a driver function. Each method adds one; an argument that the function does not have does not
/// compile.
#[derive(Clone, Copy)]
pub(crate) struct Rules {
    /// Its name.
    pub(crate) name: &'static str,
    /// How many arguments it has.
    arguments: usize,
    pub(crate) always: bool,
    pub(crate) starts: bool,
    pub(crate) host_fn: bool,
    null: [Option<(usize, CUresult)>; 3],
    pub(crate) launch: bool,
    pub(crate) after_fault: bool,
    after_fault_if_zero: &'static [usize],
    zero_is_current: Option<usize>,
    pub(crate) needs_current: bool,
    looks_first: bool,
    frees: bool,
    pub(crate) no_capture: bool,
    pub(crate) no_capture_in_context: bool,
}

/// An argument, which the function must have.
const fn argument(index: usize, of: usize) -> usize {
    assert!(index < of, "a rule is about an argument that the function does not have");
    index
}

impl Rules {
    /// None, of a function with so many arguments.
    pub(crate) const fn of(name: &'static str, arguments: usize) -> Self {
        Self {
            name,
            arguments,
            always: false,
            starts: false,
            host_fn: false,
            null: [None; 3],
            launch: false,
            after_fault: false,
            after_fault_if_zero: &[],
            zero_is_current: None,
            needs_current: false,
            looks_first: false,
            frees: false,
            no_capture: false,
            no_capture_in_context: false,
        }
    }

    /// It works before `cuInit`, in a forked child, and in host functions (F1).
    pub(crate) const fn always(mut self) -> Self {
        self.always = true;
        self
    }

    /// It works before `cuInit`, but not in a forked child (F1).
    pub(crate) const fn starts(mut self) -> Self {
        self.starts = true;
        self
    }

    /// It works in host functions (F23); one with a stream if that is no default stream.
    pub(crate) const fn host_fn(mut self) -> Self {
        self.host_fn = true;
        self
    }

    /// It looks at the argument before all else: null or 0 gives the code before `cuInit` too (F1). The first
    /// such argument counts.
    pub(crate) const fn null(mut self, index: usize, code: CUresult) -> Self {
        let mut at = 0;
        while self.null[at].is_some() {
            at += 1;
        }
        self.null[at] = Some((argument(index, self.arguments), code));
        self
    }

    /// It is a launch, which [`Plan`](crate::faults::Plan) counts.
    pub(crate) const fn launch(mut self) -> Self {
        self.launch = true;
        self
    }

    /// It works in spite of the error that a fault leaves. So do those that look at the thread's stack, at
    /// devices, at an address or at nothing, graphs but for their nodes, and the end of contexts (F60).
    pub(crate) const fn after_fault(mut self) -> Self {
        self.after_fault = true;
        self
    }

    /// It works in spite of the error, or gives the code for it, if all these arguments are null or 0.
    pub(crate) const fn after_fault_if_zero(mut self, arguments: &'static [usize]) -> Self {
        let mut at = 0;
        while at < arguments.len() {
            argument(arguments[at], self.arguments);
            at += 1;
        }
        self.after_fault_if_zero = arguments;
        self
    }

    /// It is about the current context if the argument is null or 0: after a fault it says first that there is
    /// none.
    pub(crate) const fn zero_is_current(mut self, index: usize) -> Self {
        self.zero_is_current = Some(argument(index, self.arguments));
        self
    }

    /// It needs a current context: after a fault it says first that there is none.
    pub(crate) const fn needs_current(mut self) -> Self {
        self.needs_current = true;
        self
    }

    /// After a fault it looks for what its arguments stand for, if none is null or 0, and gives the error only
    /// for what is there (F333).
    pub(crate) const fn looks_first(mut self) -> Self {
        self.looks_first = true;
        self
    }

    /// It frees its first argument: after a fault it works for null without a current context, as there is
    /// nothing to free.
    pub(crate) const fn frees(mut self) -> Self {
        argument(0, self.arguments);
        self.frees = true;
        self
    }

    /// Captures forbid it (F141), before it looks at anything. The bodies of functions that look at a handle
    /// first ask [`check_unsafe`](crate::model::capture::check_unsafe) instead.
    pub(crate) const fn no_capture(mut self) -> Self {
        self.no_capture = true;
        self
    }

    /// Captures forbid it (F141); without a current context it says that first.
    pub(crate) const fn no_capture_in_context(mut self) -> Self {
        self.no_capture_in_context = true;
        self
    }

    /// Returns the answer before `cuInit` for arguments of which these are null or 0.
    pub(crate) fn looked(&self, zeros: &[bool]) -> Option<CUresult> {
        let looks = self.null.iter().flatten();
        looks.filter(|(index, _)| zeros[*index]).map(|&(_, code)| code).next()
    }

    /// Whether it works in spite of a fault for arguments of which these are null or 0.
    pub(crate) fn works_for(&self, zeros: &[bool]) -> bool {
        let all = self.after_fault_if_zero;
        !all.is_empty() && all.iter().all(|&index| zeros[index])
    }

    /// Whether it is about the current context for arguments of which these are null or 0.
    pub(crate) fn about_current(&self, zeros: &[bool]) -> bool {
        self.needs_current || self.zero_is_current.is_some_and(|index| zeros[index])
    }

    /// Whether it looks for what its arguments stand for before an error counts.
    pub(crate) fn looks_for(&self, zeros: &[bool]) -> bool {
        self.looks_first && !zeros.contains(&true)
    }

    /// Whether it frees nothing.
    pub(crate) fn frees_nothing(&self, zeros: &[bool]) -> bool {
        self.frees && zeros[0]
    }
}
