//! The log of errors (F321, F322): which call gave which code. The CUDA driver says more of some.
#![allow(unsafe_code, reason = "the caller's functions are called")]

use crate::entry::Answer;
use crate::model::{driver, result};
use crate::{entry, sync};
use core::ffi::{c_char, c_uint, c_void};
use cuscope_sys::*;
use std::collections::VecDeque;
use std::ffi::CString;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, ThreadId};
use std::time::{SystemTime, UNIX_EPOCH};

/// Messages that are kept.
const KEPT: usize = 100;
/// Said first when some of those asked for are gone.
const ROLLED: &str =
    "Log buffer has rolled over since the previous dump. The oldest messages will be missing\n";
/// Said first when there is no room for all.
pub(crate) const CUT: &str =
    "The provided buffer is not large enough to hold all messages; the newest follow\n";

/// The messages that are kept.
pub(crate) struct Log {
    lines: VecDeque<String>,
    /// How many there ever were.
    pub(crate) count: c_uint,
}

pub(crate) static LOG: Mutex<Log> = Mutex::new(Log { lines: VecDeque::new(), count: 0 });

/// A function that is told each message.
pub(crate) struct Callback {
    pub(crate) function: unsafe extern "C" fn(*mut c_void, CUlogLevel, *mut c_char, usize),
    /// The address for it.
    pub(crate) data: usize,
}

pub(crate) static CALLBACKS: Mutex<Vec<Arc<Callback>>> = Mutex::new(Vec::new());

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
pub(crate) struct Round;

impl Round {
    pub(crate) fn begin() -> Round {
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

/// The lines since an iterator, with what is to be said first, and the iterator after them.
pub(crate) fn since(iterator: *const CUlogIterator) -> Answer<(&'static str, Vec<String>, c_uint)> {
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
