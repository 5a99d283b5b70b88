//! Calls of the driver that name themselves, and the check of the answer.
//!
//! The name of a driver function stands once, where the function is called. [`answer!`] makes the call and keeps
//! the name beside the code, [`later!`] does so for a call that others make, [`name!`] gives the name for errors that
//! come before the call, and [`call!`](crate::call!) is for programs that use this crate.
//!
//! An [`Answer`] is too large for a register. Where every instruction counts, a function hands the name and the code
//! to what deals with failures as two values.

pub(crate) mod fault;

use crate::error::{DriverError, Result, is_sticky};
use ffi::CUresult;

pub(crate) use crate::error::name;

/// The answer of a driver call, with the name of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an answer may be an error"]
pub(crate) struct Answer {
    pub(crate) call: &'static str,
    pub(crate) code: CUresult,
}

impl Answer {
    /// The answer of a call that was made by hand, or of one that was not made.
    #[inline]
    pub(crate) const fn new(call: &'static str, code: CUresult) -> Answer {
        Answer { call, code }
    }

    /// Turns the answer into a result: the only place that does.
    #[inline]
    pub(crate) fn check(self) -> Result<(), DriverError> {
        if self.code == ffi::CUDA_SUCCESS { Ok(()) } else { Err(failed(self.call, self.code)) }
    }

    /// As [`check`](Self::check), with the [`Error`](crate::Error) of this crate, which is made out of the way of
    /// the call that succeeds.
    #[inline]
    pub(crate) fn result(self) -> Result {
        if self.code == ffi::CUDA_SUCCESS { Ok(()) } else { refused(self.call, self.code) }
    }
}

#[cold]
#[inline(never)]
fn failed(call: &'static str, code: CUresult) -> DriverError {
    if is_sticky(code) {
        fault::note();
    }
    DriverError::new(call, code)
}

#[cold]
#[inline(never)]
fn refused(call: &'static str, code: CUresult) -> Result {
    Err(failed(call, code).into())
}

/// A driver call that is made later, maybe twice, or not at all, with the name of the function: [`later!`].
#[derive(Clone, Copy)]
#[must_use = "the call is not made yet"]
pub(crate) struct Later<F> {
    pub(crate) call: &'static str,
    /// Makes the call, and gives the code that it answered.
    pub(crate) make: F,
}

/// Calls a function of [`ffi`] and gives the [`Answer`]: `unsafe { answer!(cuInit(0)) }`.
///
/// A function that [`ffi`] looks up is called by what the look-up gave:
/// `unsafe { answer!(cuFuncGetName = get(&raw mut name, function)) }`.
macro_rules! answer {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::call::Answer::new(stringify!($function), ffi::$function($($argument),*))
    };
    ($function:ident = $found:ident($($argument:expr),* $(,)?)) => {
        $crate::call::Answer::new($crate::call::name!($function), $found($($argument),*))
    };
}
pub(crate) use answer;

/// As [`answer!`], for a call that is made [later](Later): `unsafe { later!(cuStreamSynchronize(stream)) }`.
macro_rules! later {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::call::Later {
            call: stringify!($function),
            make: || ffi::$function($($argument),*),
        }
    };
    ($function:ident = $found:ident($($argument:expr),* $(,)?)) => {
        $crate::call::Later {
            call: $crate::call::name!($function),
            make: || $found($($argument),*),
        }
    };
}
pub(crate) use later;

/// Calls a function of the driver, and gives a [`Result`](crate::Result) whose error names it.
///
/// There are three levels. The types of this crate are safe. This macro is for functions that they do not have: it
/// calls any function of [`ffi`](crate::ffi), checks the code that it answers, and turns a failure into an
/// [`Error`](crate::Error) that names the function and says what to do. The functions of [`ffi`](crate::ffi)
/// themselves give the bare code.
///
/// The macro takes the call as one writes it with [`ffi`](crate::ffi), without that path. The driver writes what it
/// has to give through pointers. A function that came with CUDA 12.0 or before is linked, and called with its
/// arguments. A newer one is looked up first, which its empty pair of parentheses says:
///
/// ```text
/// cuscope::call!(cuCtxGetId(context, &raw mut id))
/// cuscope::call!(cuFuncGetName()(&raw mut name, function))
/// ```
///
/// # Errors
///
/// [`Error::Driver`](crate::Error::Driver) if the function answers with another code than `CUDA_SUCCESS`. That
/// includes `CUDA_ERROR_NOT_READY`, with which a query says that work is not finished.
///
/// [`Error::NeedsDriver`](crate::Error::NeedsDriver) if the function is looked up and the driver on this machine
/// does not have it. The arguments are then not evaluated.
///
/// # Safety
///
/// The macro is called within `unsafe`, since it has no such block of its own.
///
/// 1. The obligations of the function hold, as the manual of the CUDA driver API states them.
/// 2. The values of this crate stay true: the call destroys no handle that one of them owns, touches no memory that
///    an operation uses at the same time, and leaves the thread's stack of contexts and its capture mode as they were.
///
/// # Examples
///
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
///
/// let mut id = 0;
/// // SAFETY: the context is alive, and `id` is valid for one number.
/// unsafe { cuscope::call!(cuCtxGetId(gpu.context().raw(), &raw mut id)) }?;
/// assert_eq!(id, gpu.context().id()?);
///
/// let stream = gpu.stream()?;
/// let mut same = std::ptr::null_mut();
/// // SAFETY: the stream is alive, and `same` is valid for one handle.
/// unsafe { cuscope::call!(cuStreamGetCtx(stream.raw(), &raw mut same)) }?;
/// assert_eq!(same, context.raw());
///
/// let mut device = 0;
/// // SAFETY: `device` is valid for one number. There is no device -1.
/// let refused = unsafe { cuscope::call!(cuDeviceGet(&raw mut device, -1)) };
/// assert_eq!(refused.unwrap_err().call(), Some("cuDeviceGet"));
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! call {
    ($function:ident()($($argument:expr),* $(,)?)) => {
        match $crate::ffi::$function() {
            ::core::result::Result::Ok(found) => {
                $crate::__private::called(stringify!($function), found($($argument),*))
            }
            ::core::result::Result::Err(needs) => {
                ::core::result::Result::Err($crate::Error::from(needs))
            }
        }
    };
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::__private::called(stringify!($function), $crate::ffi::$function($($argument),*))
    };
}

/// For [`call!`](crate::call!).
#[doc(hidden)]
#[inline]
pub fn called(call: &'static str, code: CUresult) -> Result {
    Answer::new(call, code).result()
}
