//! Calls of the driver that name themselves, and the check of the answer.
//!
//! The name of a driver function appears once, where the function is called. [`answer!`] makes the call and
//! keeps the name beside the code. [`later!`] does so for a call that other code makes. [`name!`] returns the
//! name, for errors before the call. [`call!`](crate::call!) is for programs that use this crate.
//!
//! An [`Answer`] is too large for a register. Where every instruction counts, a function passes the name and
//! the code as two values to the code that handles failures.

pub(crate) mod fault;

use crate::error::{DriverError, Error, Result, is_sticky};
use ffi::CUresult;

pub(crate) use crate::error::name;

/// Checks that everything an operation uses belongs to its context. Brands can coincide if a guard's place is
/// leaked, handles cannot (invariant [`own-context`](crate::soundness#own-context)).
#[inline]
pub(crate) fn same_context(call: &'static str, same: bool) -> Result {
    if same { Ok(()) } else { Err(Error::OtherContext { call }) }
}

/// The answer of a driver call, with the name of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "an answer may be an error"]
pub(crate) struct Answer {
    pub(crate) call: &'static str,
    pub(crate) code: CUresult,
}

impl Answer {
    /// Creates the answer of a call that was made by hand, or of a call that was not made.
    #[inline]
    pub(crate) const fn new(call: &'static str, code: CUresult) -> Answer {
        Answer { call, code }
    }

    /// Converts the answer to a result. No other code does this.
    #[inline]
    pub(crate) fn check(self) -> Result<(), DriverError> {
        if self.code == ffi::CUDA_SUCCESS { Ok(()) } else { Err(failed(self.call, self.code)) }
    }

    /// Converts the answer to a result with the [`Error`](crate::Error) of this crate. The error is created off
    /// the path of a successful call. See [`check`](Self::check).
    #[inline]
    pub(crate) fn result(self) -> Result {
        if self.code == ffi::CUDA_SUCCESS { Ok(()) } else { refused(self.call, self.code) }
    }

    /// Converts the answer to a result whose error gives the reason, as far as it is known: [`Error::because`].
    #[inline]
    pub(crate) fn explain(self, why: impl FnOnce(CUresult) -> Option<String>) -> Result {
        if self.code == ffi::CUDA_SUCCESS {
            Ok(())
        } else {
            Err(explained(self.call, self.code, why))
        }
    }

    /// Returns the result of a query: whether the work is complete.
    #[inline]
    pub(crate) fn ready(self) -> Result<bool> {
        if self.code == ffi::CUDA_ERROR_NOT_READY {
            return Ok(false);
        }
        self.check()?;
        Ok(true)
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
fn explained(
    call: &'static str,
    code: CUresult,
    why: impl FnOnce(CUresult) -> Option<String>,
) -> Error {
    Error::from(failed(call, code)).because(why)
}

#[cold]
#[inline(never)]
fn refused(call: &'static str, code: CUresult) -> Result {
    Err(failed(call, code).into())
}

/// A driver call that is made later, perhaps twice or not at all, with the name of the function: [`later!`].
#[derive(Clone, Copy)]
#[must_use = "the call is not made yet"]
pub(crate) struct Later<F> {
    pub(crate) call: &'static str,
    /// Makes the call and returns its code.
    pub(crate) make: F,
}

/// Calls a function of [`ffi`] and returns the [`Answer`]: `unsafe { answer!(cuInit(0)) }`.
///
/// A function that [`ffi`] looks up is called through the result of the look-up:
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

/// Creates a call that is made [later](Later): `unsafe { later!(cuStreamSynchronize(stream)) }`. See
/// [`answer!`].
///
/// As for a closure, `move` before the name of the function keeps the arguments themselves, which then stay in registers.
macro_rules! later {
    (move $function:ident($($argument:expr),* $(,)?)) => {
        $crate::call::Later {
            call: stringify!($function),
            make: move || ffi::$function($($argument),*),
        }
    };
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

/// Calls a function of the driver and returns a [`Result`](crate::Result) whose error names the function.
///
/// There are three levels. The types of this crate are safe. This macro is for functions that the types lack:
/// it calls any function of [`ffi`](crate::ffi), checks the code, and converts a failure to an
/// [`Error`](crate::Error) that names the function and says what to do. The functions of [`ffi`](crate::ffi)
/// themselves return the bare code.
///
/// Write the call as with [`ffi`](crate::ffi), without that path. The driver returns its results through
/// pointers. Functions of CUDA 12.0 and before are linked, and called with their arguments. A newer function is
/// looked up first; an empty pair of parentheses marks the look-up:
///
/// ```text
/// cuscope::call!(cuCtxGetId(context, &raw mut id))
/// cuscope::call!(cuFuncGetName()(&raw mut name, function))
/// ```
///
/// # Errors
///
/// [`Error::Driver`](crate::Error::Driver) if the function returns another code than `CUDA_SUCCESS`. That
/// includes `CUDA_ERROR_NOT_READY`, with which a query reports that work is not complete.
///
/// [`Error::NeedsDriver`](crate::Error::NeedsDriver) if the function is looked up and the driver on this
/// machine does not have it. The arguments are then not evaluated.
///
/// # Safety
///
/// Use the macro within `unsafe`, since it has no such block of its own.
///
/// 1. The obligations of the function hold, as the manual of the CUDA driver API states them.
/// 2. The values of this crate stay valid: the call destroys no handle that one of them owns, touches no memory
///    that an operation uses simultaneously, and leaves the thread's stack of contexts and its capture mode as
///    they were.
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
