//! Callbacks of streams, which are told how the work before them ended (F152).
#![allow(unsafe_code, reason = "exported functions, and a call of the host's")]

use crate::call::driver;
use crate::calls::capture;
use crate::entry::Answer;
use crate::host_function;
use crate::model::life::Life;
use crate::model::usable;
use crate::sync;
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::{Arc, Mutex};

/// A callback, which is called once: when it is its turn, or when a fault drops the work of its stream.
struct Callback {
    function: unsafe extern "C" fn(CUstream, CUresult, *mut c_void),
    /// The handle of the stream, and the address for it.
    stream: usize,
    user_data: usize,
    state: Mutex<State>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The caller was not yet told that it was taken: until then it is not called.
    New,
    Taken,
    /// Dropped by a fault, which has a code, before it was taken.
    Dropped(CUresult),
    Over,
}

impl Callback {
    fn call(&self, status: CUresult) {
        host_function::run(|| {
            let stream = ptr::without_provenance_mut(self.stream);
            let user_data = ptr::with_exposed_provenance_mut(self.user_data);
            // SAFETY: the caller of `cuStreamAddCallback` promises that the function may be called
            // once with its argument, on any thread.
            unsafe { (self.function)(stream, status, user_data) };
        });
    }

    /// Its turn has come, with the code of the fault if that dropped it.
    fn end(&self, status: CUresult) {
        let before = {
            let mut state = sync::lock(&self.state);
            let next = match *state {
                State::New if status != CUDA_SUCCESS => State::Dropped(status),
                _ => State::Over,
            };
            std::mem::replace(&mut *state, next)
        };
        if before == State::Taken || (before == State::New && status == CUDA_SUCCESS) {
            self.call(status);
        }
    }

    /// It is in the stream.
    fn taken(&self) {
        let before = {
            let mut state = sync::lock(&self.state);
            let next = if *state == State::New { State::Taken } else { State::Over };
            std::mem::replace(&mut *state, next)
        };
        if let State::Dropped(code) = before {
            self.call(code);
        }
    }
}

/// The callback in the queue: if that drops it, there was a fault in its context, or the end of that.
struct Queued(Arc<Callback>, Arc<Life>);

impl Drop for Queued {
    fn drop(&mut self) {
        if *sync::lock(&self.0.state) == State::Over {
            return;
        }
        // Not called after the end of its context.
        if let Some(code) = self.1.domain.code().filter(|_| self.1.alive()) {
            self.0.end(code);
        }
    }
}

/// Adds a callback to a stream.
fn add(
    stream: CUstream,
    callback: CUstreamCallback,
    user_data: *mut c_void,
    flags: c_uint,
) -> Answer {
    let function = callback.ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if flags != 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let target = usable::target(stream)?;
    capture::refuse(&target)?;
    let (stream, user_data) = (stream.addr(), user_data.expose_provenance());
    let state = Mutex::new(State::New);
    let callback = Arc::new(Callback { function, stream, user_data, state });
    let queued = Queued(callback.clone(), target.life.home());
    target.submit(move || {
        queued.0.end(CUDA_SUCCESS);
        Ok(())
    })?;
    callback.taken();
    Ok(())
}

driver! {
    /// Calls a function of the host after what the stream holds, with the code of a fault if there
    /// was one. Not in a stream under capture.
    fn cuStreamAddCallback(
        hStream: CUstream,
        callback: CUstreamCallback,
        userData: *mut c_void,
        flags: c_uint,
    ) {
        add(hStream, callback, userData, flags)
    }
}
