//! Objects of the program that graphs keep alive (F556 to F560).
#![allow(unsafe_code, reason = "exported functions, and a call of the host's")]

use super::{Graph, Work, find};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver, in_host_function};
use crate::sync;
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most references that a call takes or gives back.
const MOST: c_uint = c_uint::MAX >> 1;
/// The flag that every object has: nobody waits for its destructor.
const NO_SYNC: c_uint = CUuserObject_flags::CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.bits();

/// An object with a count of references. With the last one its destructor is called.
pub(crate) struct UserObject {
    handle: usize,
    count: AtomicU64,
    destroy: unsafe extern "C" fn(*mut c_void),
    /// The address for it.
    user_data: usize,
}

impl UserObject {
    fn retain(&self, count: c_uint) {
        self.count.fetch_add(count.into(), Ordering::AcqRel);
    }

    /// Gives references back, of which there are as many.
    fn release(&self, count: c_uint) {
        if self.count.fetch_sub(count.into(), Ordering::AcqRel) > u64::from(count) {
            return;
        }
        state().user_objects.remove(self.handle);
        let (destroy, user_data) = (self.destroy, self.user_data);
        // On a thread of the driver, as whoever gives the last one back may hold what the destructor wants.
        let _detached = std::thread::spawn(move || {
            in_host_function(|| {
                let user_data = ptr::with_exposed_provenance_mut(user_data);
                // SAFETY: the program promises that the function may be called once with its argument, on any
                // thread, when the last reference is given back.
                unsafe { destroy(user_data) };
            });
        });
    }
}

/// References that a graph holds.
pub(super) struct Held {
    object: Arc<UserObject>,
    count: c_uint,
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.count > 0 {
            self.object.release(self.count);
        }
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        self.object.retain(self.count);
        Self { object: self.object.clone(), count: self.count }
    }
}

/// The references that a graph holds, in the order in which it got them.
pub(super) type Objects = Vec<Held>;

impl Graph {
    /// New references to the objects that the graph holds.
    pub(super) fn objects(&self) -> Objects {
        sync::lock(&self.objects).clone()
    }

    /// The same with those of child graphs.
    pub(super) fn all_objects(&self) -> Objects {
        let mut all = self.objects();
        for node in self.nodes() {
            if let Work::Child(child) = &*node.work {
                all.extend(child.graph().all_objects());
            }
        }
        all
    }
}

/// The object of a handle; INVALID_VALUE for what is none, and for no references or too many.
fn object(handle: CUuserObject, count: c_uint) -> Answer<Arc<UserObject>> {
    let found = state().user_objects.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if (1..=MOST).contains(&count) { Ok(found) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

driver! {
    /// Creates an object, of which the caller has references.
    fn cuUserObjectCreate(
        object_out: *mut CUuserObject,
        ptr: *mut c_void,
        destroy: CUhostFn,
        initialRefcount: c_uint,
        flags: c_uint,
    ) {
        entry::wanted(object_out)?;
        let destroy = destroy.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if !(1..=MOST).contains(&initialRefcount) || flags != NO_SYNC {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let (count, user_data) = (AtomicU64::new(initialRefcount.into()), ptr.expose_provenance());
        let make = |handle| UserObject { handle, count, destroy, user_data };
        let (handle, _) = state().user_objects.insert(make);
        entry::write(object_out, ptr::without_provenance_mut(handle))
    }
    /// Takes references to an object.
    fn cuUserObjectRetain(object: CUuserObject, count: c_uint) {
        self::object(object, count)?.retain(count);
        Ok(())
    }
    /// Gives references to an object back.
    fn cuUserObjectRelease(object: CUuserObject, count: c_uint) {
        self::object(object, count)?.release(count);
        Ok(())
    }
    /// Gives a graph references to an object: those of the caller, or new ones.
    fn cuGraphRetainUserObject(
        graph: CUgraph,
        object: CUuserObject,
        count: c_uint,
        flags: c_uint,
    ) {
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
    /// Has a graph give references back.
    fn cuGraphReleaseUserObject(graph: CUgraph, object: CUuserObject, count: c_uint) {
        let graph = find(graph)?;
        let object = self::object(object, count)?;
        let objects = &mut sync::lock(&graph.objects);
        let held = objects.iter_mut().find(|held| Arc::ptr_eq(&held.object, &object));
        let held = held.filter(|held| held.count >= count).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        held.count -= count;
        object.release(count);
        objects.retain(|held| held.count > 0);
        Ok(())
    }
}
