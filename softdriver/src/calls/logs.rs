//! The driver functions about [`logs`](crate::model::logs).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::logs::{CALLBACKS, CUT, Callback, LOG, Round, since};
use crate::{entry, sync};
use core::ffi::{c_char, c_uint, c_void};
use cuscope_sys::*;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

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
    /// after the room that there is (F322); this one does not.
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
