//! The driver's log of errors.
#![allow(unsafe_code, reason = "hands a function to the driver, and reads what it writes")]

use crate::call::{Answer, answer, name};
use crate::driver::fork;
use crate::driver::release::{contained, drop_contained, not_inside, report};
use crate::error::{Error, Result, means_not_taken};
use crate::name::path_with_nul;
use crate::stack::in_driver_call;
use crate::sync::thread_flag;
use ffi::{CUlogLevel, CUlogsCallbackHandle};
use static_assertions::assert_impl_all;
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::Arc;
use std::{fmt, ptr, slice};

/// The size in bytes of all messages that the driver keeps.
const ROOM: usize = 32 << 10;
/// Extra bytes after the size that is passed to the driver: it may write a message and a warning more than fit
/// ([F322](crate::driver_facts#F322)).
const SPARE: usize = 8 << 10;

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// A call failed.
    Error,
    /// Something looks wrong.
    Warning,
    /// A level that this version of the crate has no name for: the driver's number.
    Other(u32),
}

impl LogLevel {
    #[inline]
    fn new(level: CUlogLevel) -> LogLevel {
        match level {
            ffi::CU_LOG_LEVEL_ERROR => LogLevel::Error,
            ffi::CU_LOG_LEVEL_WARNING => LogLevel::Warning,
            other => LogLevel::Other(other.0),
        }
    }
}

type Function = dyn Fn(LogLevel, &str) + Send + Sync;

/// A registered hook for the driver's messages, from [`on_driver_log`]. Dropping it removes the hook.
#[must_use = "the function is called until this is dropped"]
pub struct DriverLogHook {
    handle: CUlogsCallbackHandle,
    /// The target of the pointer that the driver received.
    function: *const Box<Function>,
}
assert_impl_all!(DriverLogHook: Send, Sync);
// SAFETY: the driver ends a registration on any thread (F321), and the function may be dropped on any: it is `Send`.
unsafe impl Send for DriverLogHook {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for DriverLogHook {}

/// Registers a function that the driver calls with every message: which argument is wrong, and which call
/// failed with which error.
///
/// You can register any number of functions, also before the driver is initialised. Requires a driver of CUDA
/// 12.9 or later.
///
/// The function runs on the thread of the failed call, before that call returns. Two threads never run
/// a function simultaneously, so a function that waits for another thread may wait for ever. Failing driver calls
/// made inside the function do not invoke it again. If the function panics, the panic is caught and goes no
/// further. The function may [capture](crate::PushedGuard::capture) a blocking stream only while no operation
/// runs on the [legacy default stream](crate::PushedGuard::on_legacy_default) of the context. Otherwise the
/// capture returns an error.
///
/// # Errors
/// [`NeedsDriver`](Error::NeedsDriver).
///
/// # Examples
/// ```
/// # fn main() -> cuscope::Result {
/// # let version = cuscope::driver_version()?;
/// # if (version.major, version.minor) < (12, 9) { return Ok(()) }
/// let hook = cuscope::diagnostics::on_driver_log(|level, message| eprintln!("{level:?}: {message}"))?;
/// # drop(hook);
/// # Ok(()) }
/// ```
#[doc(alias = "cuLogsRegisterCallback")]
pub fn on_driver_log(
    function: impl Fn(LogLevel, &str) + Send + Sync + 'static,
) -> Result<DriverLogHook> {
    let register = ffi::cuLogsRegisterCallback()?;
    let function: Box<Function> = Box::new(function);
    let function = Arc::into_raw(Arc::new(function));
    let mut handle = ptr::null_mut();
    // SAFETY: 1. `told` does not unwind, and may be called on any thread with the pointer: to a function that is `Send`
    // and `Sync`, alive until the registration is ended. 2. `handle` is valid for one handle.
    let answer = unsafe {
        answer!(
            cuLogsRegisterCallback =
                register(Some(told), function.cast_mut().cast(), &raw mut handle)
        )
    };
    if let Err(error) = answer.check() {
        // With another error the function may be registered all the same: then it stays.
        if means_not_taken(answer.code) {
            // SAFETY: what was refused was not taken: the pointer is still ours, and of this type.
            drop(unsafe { Arc::from_raw(function) });
        }
        return Err(error.into());
    }
    Ok(DriverLogHook { handle, function })
}

thread_flag! {
    /// Whether this thread runs a function of a hook.
    static INSIDE;
}

/// The function that the driver calls.
#[inline]
unsafe extern "C" fn told(data: *mut c_void, level: CUlogLevel, text: *mut c_char, len: usize) {
    not_inside(&INSIDE, || {
        let data = data.cast_const().cast::<Box<Function>>();
        // SAFETY: the driver calls this until the registration is ended, and waits then until no other thread is in
        // here (F321): the count that the hook has is alive until then.
        unsafe { Arc::increment_strong_count(data) };
        // SAFETY: that count, of this type: the function may end its own registration.
        let function = unsafe { Arc::from_raw(data) };
        contained(|| {
            let bytes = if text.is_null() {
                &[][..]
            } else {
                // SAFETY: the driver's message has `len` bytes, which stay as they are during the call.
                unsafe { slice::from_raw_parts(text.cast_const().cast::<u8>(), len) }
            };
            in_driver_call(|| function(LogLevel::new(level), &String::from_utf8_lossy(bytes)));
        });
        drop_contained(function);
    });
}

/// Returns whether this thread runs a function of a hook. The driver lets only one thread run one
/// ([F321](crate::driver_facts#F321)), and calls that fail on other threads wait for it. So it must not wait
/// for them.
#[inline]
pub(crate) fn is_inside() -> bool {
    INSIDE.try_with(Cell::get).unwrap_or(true)
}

impl Drop for DriverLogHook {
    #[inline]
    fn drop(&mut self) {
        if fork::is_child() {
            return; // the registration is the parent's
        }
        let Ok(unregister) = ffi::cuLogsUnregisterCallback() else { return };
        // SAFETY: the handle was registered, and is unregistered once: a second time the driver would die (F321).
        let answer = unsafe { answer!(cuLogsUnregisterCallback = unregister(self.handle)) };
        report(answer);
        if answer.code == ffi::CUDA_SUCCESS {
            // SAFETY: no thread is in the function any more but this one, if it is, which has a count of its own.
            let function = unsafe { Arc::from_raw(self.function) };
            drop_contained(function);
        }
    }
}

impl fmt::Debug for DriverLogHook {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DriverLogHook({:p})", self.handle)
    }
}

/// A position in the driver's log, from which you can read messages.
///
/// The driver keeps the last 100 messages ([F322](crate::driver_facts#F322)). Requires a driver of CUDA 12.9 or
/// later. It needs no context, and works after a fault.
#[derive(Clone, Debug)]
pub struct DriverLog {
    /// `None` for the start.
    place: Option<u32>,
}

impl DriverLog {
    /// Returns the position of the oldest message that the driver keeps.
    #[must_use]
    pub fn all() -> DriverLog {
        DriverLog { place: None }
    }

    /// Returns the end of the log. Reads from it return later messages only.
    ///
    /// # Errors
    /// [`NeedsDriver`](Error::NeedsDriver).
    #[doc(alias = "cuLogsCurrent")]
    #[inline]
    pub fn now() -> Result<DriverLog> {
        let current = ffi::cuLogsCurrent()?;
        let mut place = 0;
        // SAFETY: writes one `u32` to `place`, which is valid for it.
        unsafe { answer!(cuLogsCurrent = current(&raw mut place, 0)) }.check()?;
        Ok(DriverLog { place: Some(place) })
    }

    /// Returns the messages from this position on, one line each, with time and thread. Moves the position
    /// after them.
    ///
    /// # Errors
    /// The errors of [`now`](Self::now).
    #[doc(alias = "cuLogsDumpToMemory")]
    #[inline]
    pub fn read(&mut self) -> Result<String> {
        let dump = ffi::cuLogsDumpToMemory()?;
        let mut buffer = vec![0_u8; ROOM + SPARE];
        let mut size = ROOM;
        self.dump(|place| {
            // SAFETY: 1. The buffer has `size` bytes, and room behind for what the driver may write more (F322).
            // 2. `place` is null or to the number of a place, which the driver checks and may change.
            unsafe {
                answer!(
                    cuLogsDumpToMemory = dump(place, buffer.as_mut_ptr().cast(), &raw mut size, 0)
                )
            }
        })?;
        buffer.truncate(size);
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }

    /// Writes the messages from this position on to a file, which is replaced. Moves the position after them.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` if the file cannot be written; [`Error::InvalidArgument`] for a path with a
    /// NUL; the errors of [`now`](Self::now).
    #[doc(alias = "cuLogsDumpToFile")]
    pub fn write_to(&mut self, file: impl AsRef<Path>) -> Result {
        let call = name!(cuLogsDumpToFile);
        let dump = ffi::cuLogsDumpToFile()?;
        let reason = "the path contains a NUL byte: use another path";
        let file = file.as_ref();
        let path =
            path_with_nul(file).ok_or(Error::InvalidArgument { call, reason: reason.into() })?;
        // SAFETY: the path ends in NUL; `place` is as in `read`.
        self.dump(|place| unsafe { answer!(cuLogsDumpToFile = dump(place, path.as_ptr(), 0)) }).map_err(
            |error| {
                let file = file.display();
                error.because(|_| {
                    Some(format!("the file {file} cannot be written: check that its folder exists, and may be written"))
                })
            },
        )
    }

    fn dump(&mut self, dump: impl FnOnce(*mut u32) -> Answer) -> Result {
        if let Some(place) = &mut self.place {
            return dump(place).result();
        }
        // For a read from the start, the driver does not report where it ended. Messages that arrive in between
        // are read twice.
        let end = DriverLog::now()?;
        dump(ptr::null_mut()).check()?;
        *self = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_without_a_name_is_its_number() {
        let levels = [ffi::CU_LOG_LEVEL_ERROR, ffi::CU_LOG_LEVEL_WARNING, CUlogLevel(7)];
        let named = [LogLevel::Error, LogLevel::Warning, LogLevel::Other(7)];
        assert_eq!(levels.map(LogLevel::new), named);
    }
}
