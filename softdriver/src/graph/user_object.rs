//! Objects of the program that graphs keep alive (F556 to F560).
#![allow(unsafe_code, reason = "exported functions, and a call of the host's")]

use super::{Graph, Work, find};
use crate::entry::{self, Answer, driver, in_host_function};
use crate::registry::Registry;
use crate::sync;
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The most references that a call takes.
const MOST: c_uint = c_uint::MAX >> 1;
/// The flag that every object has: nobody waits for its destructor.
const NO_SYNC: c_uint = CUuserObject_flags::CU_USER_OBJECT_NO_DESTRUCTOR_SYNC.bits();

/// All objects: they are created before `cuInit`, too.
fn objects() -> &'static Registry<UserObject> {
    static OBJECTS: OnceLock<Registry<UserObject>> = OnceLock::new();
    OBJECTS.get_or_init(|| Registry::new(0x62))
}

/// An object with a count of references. When the count becomes 0, its destructor is called.
struct UserObject {
    handle: usize,
    count: AtomicU32,
    destroy: unsafe extern "C" fn(*mut c_void),
    /// The address for it.
    user_data: usize,
}

impl UserObject {
    fn retain(&self, count: c_uint) {
        self.count.fetch_add(count, Ordering::AcqRel);
    }

    /// Gives references back; calls the destructor at once if these were all, on this thread. More than there are
    /// make a count that never becomes 0 (F557). The caller holds no lock.
    fn release(&self, count: c_uint) {
        if self.count.fetch_sub(count, Ordering::AcqRel) != count {
            return;
        }
        objects().remove(self.handle);
        in_host_function(|| {
            let user_data = ptr::with_exposed_provenance_mut(self.user_data);
            // SAFETY: the program promises that the function may be called once with its argument, on any thread,
            // when the last reference is given back.
            unsafe { (self.destroy)(user_data) };
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
    let found = objects().get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
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
