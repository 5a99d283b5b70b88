//! The log of errors (F321, F322): which call gave which code. The CUDA driver says more of some.
#![allow(unsafe_code, reason = "exported functions; the caller's functions are called")]

use crate::entry::{self, Answer, driver};
use crate::{driver, result, sync};
use core::ffi::{c_char, c_uint, c_void};
use cuscope_sys::*;
use std::collections::VecDeque;
use std::ffi::CString;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, ptr};

/// Messages that are kept.
const KEPT: usize = 100;
/// Said first when some of those asked for are gone.
const ROLLED: &str =
    "Log buffer has rolled over since the previous dump. The oldest messages will be missing\n";
/// Said first when there is no room for all.
const CUT: &str =
    "The provided buffer is not large enough to hold all messages; the newest follow\n";

/// What is kept.
struct Log {
    lines: VecDeque<String>,
    /// How many there ever were.
    count: c_uint,
}

static LOG: Mutex<Log> = Mutex::new(Log { lines: VecDeque::new(), count: 0 });

/// A function that is told each message.
struct Callback {
    function: unsafe extern "C" fn(*mut c_void, CUlogLevel, *mut c_char, usize),
    /// The address for it.
    data: usize,
}

static CALLBACKS: Mutex<Vec<Arc<Callback>>> = Mutex::new(Vec::new());

impl Callback {
    fn call(&self, message: &CString) {
        let data = ptr::with_exposed_provenance_mut(self.data);
        let text = message.as_ptr().cast_mut();
        // SAFETY: the caller of `cuLogsRegisterCallback` promises that the function may be called with
        // its argument, on any thread, until it is unregistered. The text is not changed by it.
        unsafe { (self.function)(data, CU_LOG_LEVEL_ERROR, text, message.as_bytes().len()) };
    }

    fn is_registered(self: &Arc<Self>) -> bool {
        sync::lock(&CALLBACKS).iter().any(|one| Arc::ptr_eq(one, self))
    }
}

/// Which thread tells all callbacks a message, and in how many messages at once: a callback may fail too.
struct Rounds {
    running: Mutex<Option<(ThreadId, usize)>>,
    ended: Condvar,
}

static ROUNDS: Rounds = Rounds { running: Mutex::new(None), ended: Condvar::new() };

/// The right to call callbacks and to end their registrations, which one thread has at a time, until dropped.
struct Round;

impl Round {
    fn begin() -> Round {
        let me = thread::current().id();
        let mut running = sync::lock(&ROUNDS.running);
        while running.is_some_and(|(thread, _)| thread != me) {
            running = ROUNDS.ended.wait(running).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        *running = Some((me, running.map_or(1, |(_, depth)| depth + 1)));
        Round
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        let mut running = sync::lock(&ROUNDS.running);
        *running = running.and_then(|(me, depth)| (depth > 1).then_some((me, depth - 1)));
        ROUNDS.ended.notify_all();
    }
}

/// Notes what a call gave, and tells it, if that is an error or a fault that was asked for.
pub(crate) fn note(call: &str, code: CUresult, struck: bool) {
    if matches!(code, CUDA_SUCCESS | CUDA_ERROR_NOT_READY) && !struck || !driver::ready() {
        return;
    }
    let name = result::name(code).map_or("", |name| name.to_str().unwrap_or_default());
    tell(&format!("Returning {} ({name}) from {call}", code.0));
}

/// Notes why the call that the thread is in will fail, and tells it.
pub(crate) fn reason(why: &str) {
    if driver::ready() {
        tell(why);
    }
}

/// Keeps a message, and tells it.
fn tell(message: &str) {
    {
        let mut log = sync::lock(&LOG);
        if log.lines.len() == KEPT {
            log.lines.pop_front();
        }
        log.lines.push_back(line(message));
        log.count += 1;
    }
    let Ok(message) = CString::new(message) else { return };
    if sync::lock(&CALLBACKS).is_empty() {
        return;
    }
    let _round = Round::begin();
    let callbacks = sync::lock(&CALLBACKS).clone();
    // One may end the registration of another.
    let registered = callbacks.iter().filter(|callback| callback.is_registered());
    registered.for_each(|callback| callback.call(&message));
}

/// A message as it is kept: the time of day, the thread, where it is from, how bad it is.
fn line(message: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (now.as_secs() % 86_400, now.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    #[cfg(unix)]
    // SAFETY: asks for the calling thread, and changes nothing. musl has a pointer.
    let thread = unsafe { libc::pthread_self() } as usize;
    #[cfg(not(unix))]
    let thread = format!("{:?}", std::thread::current().id());
    format!("[{hours:02}:{minutes:02}:{seconds:02}.{millis:03}][{thread}][CUDA][E] {message}\n")
}

/// The lines since an iterator, with what is to be said first, and the iterator behind them.
fn since(iterator: *const CUlogIterator) -> Answer<(&'static str, Vec<String>, c_uint)> {
    let log = sync::lock(&LOG);
    let from = if iterator.is_null() { 0 } else { entry::read(iterator)? };
    if from > log.count {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let first = log.count - log.lines.len() as c_uint;
    let rolled = from < first;
    let skip = from.saturating_sub(first) as usize;
    let lines = log.lines.iter().skip(skip).cloned().collect();
    Ok((if rolled { ROLLED } else { "" }, lines, log.count))
}

/// Moves an iterator.
fn advance(iterator: *mut CUlogIterator, to: c_uint) {
    entry::write_optional(iterator, to);
}

driver! {
    /// Has a function called for every message, on the thread of the call that it is about.
    fn cuLogsRegisterCallback(
        callbackFunc: CUlogsCallback,
        userData: *mut c_void,
        callback_out: *mut CUlogsCallbackHandle,
    ) [always, after_fault] {
        let function = callbackFunc.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let callback = Arc::new(Callback {
            function,
            data: userData.expose_provenance(),
        });
        entry::write_optional(callback_out, Arc::as_ptr(&callback).cast_mut().cast());
        sync::lock(&CALLBACKS).push(callback);
        Ok(())
    }
    /// Ends that, once no other thread is in the function.
    fn cuLogsUnregisterCallback(callback: CUlogsCallbackHandle) [always, after_fault] {
        let _round = Round::begin();
        let mut callbacks = sync::lock(&CALLBACKS);
        let is = |one: &Arc<Callback>| Arc::as_ptr(one).addr() == callback.addr();
        let at = callbacks.iter().position(is).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        callbacks.remove(at);
        Ok(())
    }
    /// The end of the log; flags are not looked at.
    fn cuLogsCurrent(iterator_out: *mut CUlogIterator, _flags: c_uint) [always, after_fault] {
        entry::write(iterator_out, sync::lock(&LOG).count)
    }
    /// Writes messages to a file.
    fn cuLogsDumpToFile(
        iterator: *mut CUlogIterator,
        pathToFile: *const c_char,
        _flags: c_uint,
    ) [always, after_fault] {
        let path = entry::text(pathToFile)?.to_str().map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let (first, lines, end) = since(iterator)?;
        let mut file = fs::File::create(Path::new(path)).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let text = format!("{first}{}", lines.concat());
        file.write_all(text.as_bytes()).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        advance(iterator, end);
        Ok(())
    }
    /// Writes messages to memory, if there is room for the newest at least. The CUDA driver may write
    /// behind the room that there is (F322); this one does not.
    fn cuLogsDumpToMemory(
        iterator: *mut CUlogIterator,
        buffer: *mut c_char,
        size: *mut usize,
        _flags: c_uint,
    ) [always, after_fault] {
        entry::wanted(buffer)?;
        let room = entry::read(size)?;
        entry::write(size, 0)?;
        let (first, mut lines, end) = since(iterator)?;
        if first.is_empty() && lines.is_empty() {
            return Ok(());
        }
        let mut text = format!("{first}{}", lines.concat());
        while text.len() >= room {
            if lines.is_empty() {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            lines.remove(0);
            text = format!("{CUT}{}", lines.concat());
        }
        entry::write_text(buffer, room.min(i32::MAX as usize) as i32, &text)?;
        entry::write(size, text.len())?;
        advance(iterator, end);
        Ok(())
    }
}
