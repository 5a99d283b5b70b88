//! Objects of the program that graphs keep alive (F556 to F560).
#![allow(unsafe_code, reason = "a call of the host's")]

use crate::entry::Answer;
use crate::host_function;
use crate::model::graph::Graph;
use crate::model::graph::node::Work;
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

/// All objects: they are created before `cuInit`, too.
pub(crate) fn objects() -> &'static Registry<UserObject> {
    static OBJECTS: OnceLock<Registry<UserObject>> = OnceLock::new();
    OBJECTS.get_or_init(|| Registry::new(0x62))
}

/// An object with a count of references. When the count becomes 0, its destructor is called.
pub(crate) struct UserObject {
    pub(crate) handle: usize,
    pub(crate) count: AtomicU32,
    pub(crate) destroy: unsafe extern "C" fn(*mut c_void),
    /// The address for it.
    pub(crate) user_data: usize,
}

impl UserObject {
    pub(crate) fn retain(&self, count: c_uint) {
        self.count.fetch_add(count, Ordering::AcqRel);
    }

    /// Gives references back; calls the destructor at once if these were all, on this thread. More than there are
    /// make a count that never becomes 0 (F557). The caller holds no lock.
    pub(crate) fn release(&self, count: c_uint) {
        if self.count.fetch_sub(count, Ordering::AcqRel) != count {
            return;
        }
        objects().remove(self.handle);
        host_function::run(|| {
            let user_data = ptr::with_exposed_provenance_mut(self.user_data);
            // SAFETY: the program promises that the function may be called once with its argument, on any thread,
            // when the last reference is given back.
            unsafe { (self.destroy)(user_data) };
        });
    }
}

/// References that a graph holds.
pub(crate) struct Held {
    pub(crate) object: Arc<UserObject>,
    pub(crate) count: c_uint,
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
pub(crate) type Objects = Vec<Held>;

impl Graph {
    /// New references to the objects that the graph holds.
    pub(super) fn objects(&self) -> Objects {
        sync::lock(&self.objects).clone()
    }

    /// The same with those of child graphs.
    pub(crate) fn all_objects(&self) -> Objects {
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
pub(crate) fn object(handle: CUuserObject, count: c_uint) -> Answer<Arc<UserObject>> {
    let found = objects().get(handle.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if (1..=MOST).contains(&count) { Ok(found) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}
