//! Streams.

use crate::entry::Answer;
use crate::host_function;
use crate::label::Label;
use crate::model::life::Life;
use crate::model::{default_stream, stack};
use crate::queue::{Queue, Ticket};
use crate::registry::Registry;
use crate::sticky;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::LazyLock;

/// The handle of the legacy default stream, besides null.
const LEGACY: usize = 1;
/// The handle of the calling thread's default stream.
const PER_THREAD: usize = 2;

/// Work on this many bytes is short.
const SHORT: usize = 1 << 20;

/// Streams, those of destroyed contexts included (F42).
pub(crate) static STREAMS: LazyLock<Registry<Stream>> = LazyLock::new(|| Registry::reusing(0x42));

/// A stream that was created.
pub(crate) struct Stream {
    pub(crate) life: Arc<Life>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) flags: c_uint,
}

/// The target of a stream handle: a queue of a living context.
pub(crate) struct Target {
    pub(crate) life: Arc<Life>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) flags: c_uint,
}

impl Target {
    /// Adds work.
    pub(crate) fn submit(
        &self,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.submit_as(Label::of_call(), work)
    }

    /// Adds work with a label.
    pub(crate) fn submit_as(
        &self,
        label: Label,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.life.submit(&self.queue, Vec::new(), label, Box::new(work))
    }

    /// Adds work on a number of bytes, which is done at once if they are few and nothing is before
    /// it.
    pub(crate) fn submit_sized(
        &self,
        bytes: usize,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        if bytes <= SHORT { self.submit_short(work) } else { self.submit(work) }
    }

    /// Adds short work, which is done at once if nothing is before it.
    pub(crate) fn submit_short(
        &self,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.life.submit_short(&self.queue, Box::new(work))
    }
}

/// The null stream of the current context.
fn look_up_null() -> Answer<Target> {
    host_function::refuse()?;
    let life = sticky::check_found(stack::current_life())?;
    Ok(Target { queue: life.null_queue(), life, flags: 0 })
}

/// The calling thread's default stream of the current context.
fn look_up_per_thread() -> Answer<Target> {
    host_function::refuse()?;
    let life = sticky::check_found(stack::current_life())?;
    if life.is_green() {
        return Err(CUDA_ERROR_INVALID_HANDLE); // F133
    }
    Ok(Target { queue: life.thread_queue(), life, flags: 0 })
}

/// The created stream of a handle: 400 for what never was one, 709 if it or its context was
/// destroyed (F42).
pub(crate) fn find(handle: usize) -> Answer<Arc<Stream>> {
    let streams = &*STREAMS;
    let Some(stream) = streams.get(handle) else {
        let was = streams.knew(handle);
        return Err(if was { CUDA_ERROR_CONTEXT_IS_DESTROYED } else { CUDA_ERROR_INVALID_HANDLE });
    };
    sticky::check_found(stream.life.check())?;
    Ok(stream)
}

/// Whether a handle is the legacy default stream.
pub(crate) fn is_legacy(handle: CUstream) -> bool {
    match handle.addr() {
        0 => !default_stream::is_of_thread(),
        handle => handle == LEGACY,
    }
}

/// Returns the target of a stream handle; 201 for a default stream with no context current (F31).
pub(crate) fn look_up(handle: CUstream) -> Answer<Target> {
    match handle.addr() {
        0 if default_stream::is_of_thread() => look_up_per_thread(),
        0 | LEGACY => look_up_null(),
        PER_THREAD => look_up_per_thread(),
        handle => {
            let stream = find(handle)?;
            let (life, queue) = (stream.life.clone(), stream.queue.clone());
            Ok(Target { life, queue, flags: stream.flags })
        }
    }
}
