//! The driver functions about [`user_object`](crate::model::graph::user_object).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::graph::find;
use crate::model::graph::user_object::{Held, UserObject, object, objects};
use crate::{entry, sync};
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// The flag that every object has: nobody waits for its destructor.
const NO_SYNC: c_uint = CUuserObject_flags::CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.bits();

driver! {
    /// Creates an object, of which the caller has references.
    fn cuUserObjectCreate(
        object_out: *mut CUuserObject,
        ptr: *mut c_void,
        destroy: CUhostFn,
        initialRefcount: c_uint,
        flags: c_uint,
    ) [always] {
        entry::wanted(object_out)?;
        let destroy = destroy.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if initialRefcount == 0 || flags != NO_SYNC {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (count, user_data) = (AtomicU32::new(initialRefcount), ptr.expose_provenance());
        let make = |handle| UserObject { handle, count, destroy, user_data };
        let (handle, _) = objects().insert(make);
        entry::write(object_out, ptr::without_provenance_mut(handle))
    }
    /// Takes references to an object.
    fn cuUserObjectRetain(object: CUuserObject, count: c_uint) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
    ] {
        self::object(object, count)?.retain(count);
        Ok(())
    }
    /// Gives references to an object back.
    fn cuUserObjectRelease(object: CUuserObject, count: c_uint) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
    ] {
        self::object(object, count)?.release(count);
        Ok(())
    }
    /// Gives a graph references to an object: those of the caller, or new ones.
    fn cuGraphRetainUserObject(
        graph: CUgraph,
        object: CUuserObject,
        count: c_uint,
        flags: c_uint,
    ) [null(0) = CUDA_ERROR_INVALID_VALUE, host_fn] {
        let graph = find(graph)?;
        let object = self::object(object, count)?;
        match flags {
            0 => object.retain(count),
            1 => {}
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        let objects = &mut sync::lock(&graph.objects);
        match objects.iter_mut().find(|held| Arc::ptr_eq(&held.object, &object)) {
            Some(held) => held.count += count,
            None => objects.push(Held { object, count }),
        }
        Ok(())
    }
    /// Has a graph give references back. It does not matter whether it holds as many (F557).
    fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
    ] {
        let graph = find(graph)?;
        let object = self::object(object, count)?;
        {
            let objects = &mut sync::lock(&graph.objects);
            if let Some(held) = objects.iter_mut().find(|held| Arc::ptr_eq(&held.object, &object)) {
                held.count = held.count.saturating_sub(count);
            }
            objects.retain(|held| held.count > 0);
        }
        object.release(count);
        Ok(())
    }
}
