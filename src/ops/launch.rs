//! Launches of kernels.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{NodeOperation, NodeToSet, Operation, Slot};
use crate::args::sealed::Operands;
use crate::call::{Answer, answer, name, same_context};
use crate::error::Result;
use crate::function::FunctionInner;
use crate::launch::refusals::Limits;
use crate::launch::{Dim3, LaunchConfig, Prepared, Spec};
use crate::registry::LentHost;
use ffi::{CUDA_KERNEL_NODE_PARAMS, CUcontext, CUgraphNode, CUlaunchConfig, CUresult, CUstream};
use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;

/// A launch of a kernel.
pub struct Launch<'a, S, A> {
    function: &'a FunctionInner,
    spec: S,
    args: A,
}

impl<'a, S: Spec, A: Operands> Launch<'a, S, A> {
    /// Creates the launch of a kernel.
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), whenever the kernel runs. The
    ///    attributes of the launch extend them.
    #[inline]
    pub(crate) unsafe fn new(function: &'a FunctionInner, spec: S, args: A) -> Self {
        Launch { function, spec, args }
    }

    /// Returns the launch by a closure that has its parts. A closure that has all of it would make a caller write it to memory
    /// before it decides whether to call that.
    #[inline(always)]
    pub(crate) fn in_parts(self) -> impl FnOnce() -> Self {
        let Launch { function, spec, args } = self;
        move || Launch { function, spec, args }
    }

    #[inline]
    pub(crate) fn function(&self) -> &'a FunctionInner {
        self.function
    }

    /// Returns whether the function and the events among the attributes belong to the context with this
    /// [key](crate::Context::key).
    #[inline]
    pub(crate) fn is_of(&self, key: usize) -> bool {
        self.function.key() == key && self.spec.all_of(key)
    }

    /// Returns whether attributes are a part of the shape.
    #[inline]
    pub(crate) fn changes_shape(&self) -> bool {
        self.spec.is_extended() && self.spec.shape().has_attributes()
    }

    /// Returns whether there are events among the attributes.
    #[inline]
    pub(crate) fn has_events(&self) -> bool {
        self.spec.has_events()
    }
}

impl<S: Spec, A: Operands> Operation for Launch<'_, S, A> {
    #[inline]
    fn call(&self) -> &'static str {
        self.spec.call()
    }

    #[inline]
    fn check(&self, call: &'static str) -> Result {
        self.function.allow_shared(self.spec.shared_bytes())?;
        self.args.fit(call, self.function.raw())
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.spec.is_empty()
    }

    #[inline]
    fn uses(&self) -> impl Deref<Target: Operands> {
        &self.args
    }

    #[inline]
    fn host(&self) -> LentHost {
        if self.args.any_host() { LentHost::ANY } else { LentHost::NONE }
    }

    /// Without attributes, the driver compares the function's context, and there is nothing else to compare.
    #[inline]
    fn others_are_of(&self, key: usize) -> bool {
        !self.spec.is_extended() || self.is_of(key)
    }

    // In a call of its own, all of the launch would be written to memory first.
    #[inline(always)]
    unsafe fn enqueue(&self, stream: CUstream) -> Answer {
        self.args.with_pointers(|pointers| {
            let parameters = parameters(pointers);
            self.spec.prepared(stream, |prepared| match prepared {
                // SAFETY: 1. The kernel is loaded (`function` keeps its module, and an unload waits for it,
                // F50); no context needs to be current (F30). 2. `parameters` points to one value for each
                // argument, which the driver reads before it returns. The arguments are those of the kernel
                // (`new`), and their memory is the caller's obligation 1. 3. The driver checks the extents (F61).
                Prepared::Plain(LaunchConfig { grid, block, shared_bytes }) => unsafe {
                    answer!(cuLaunchKernel(
                        self.function.raw(),
                        grid.x,
                        grid.y,
                        grid.z,
                        block.x,
                        block.y,
                        block.z,
                        shared_bytes,
                        stream,
                        parameters,
                        ptr::null_mut(),
                    ))
                },
                // SAFETY: 1. to 3. as above. 4. The configuration has an array of as many attributes as it says,
                // each with the field of its kind set; the events among them are alive, and the driver keeps none
                // of the array.
                Prepared::Extended(config) => unsafe {
                    let function = self.function.raw();
                    answer!(cuLaunchKernelEx(config, function, parameters, ptr::null_mut()))
                },
            })
        })
    }

    // In a call of its own, all of the launch would be written to memory first, as for `enqueue`.
    #[inline(always)]
    fn refused(&self, answer: Answer, key: usize) -> Result {
        // A copy of the shape that is made here, and the rest in parts: what is passed by the reference that it came by is
        // written to memory by each launch.
        let spec = self.spec;
        why(self.function, &spec, self.args.count(), answer.call, answer.code, key)
    }
}

impl<S: Spec, A: Operands> NodeOperation for Launch<'_, S, A> {
    const ADD: &'static str = name!(cuGraphAddKernelNode_v2);
    const ENTERS: bool = true;

    #[inline]
    fn no_node(&self) -> Option<&'static str> {
        self.spec.no_node()
    }

    #[inline]
    fn node_is_of(&self, key: usize) -> bool {
        self.is_of(key)
    }

    unsafe fn add(&self, slot: Slot, _: CUcontext) -> Answer {
        let Slot { node, graph, before, count } = slot;
        let add = |params| {
            // SAFETY: `params` leads to one value for each argument, which the driver reads before it returns. The
            // arguments are those of the kernel (`new`). The rest is the caller's obligations 1 and 2.
            unsafe { answer!(cuGraphAddKernelNode_v2(node, graph, before, count, params)) }
        };
        // A node belongs to no stream.
        self.spec.prepared(ptr::null_mut(), |prepared| {
            let config = match prepared {
                Prepared::Plain(config) => return self.with_params(config, add),
                Prepared::Extended(config) => config,
            };
            let added = self.with_params(plain(config), add);
            if added.code != ffi::CUDA_SUCCESS {
                return added;
            }
            // SAFETY: the driver has written the handle of the new node, at a place that is valid for it (obligation 1).
            let node = unsafe { *node };
            // SAFETY: both are alive, and the kernel may run with the attributes (`new`).
            unsafe { set_attributes(node, config, added) }
        })
    }
}

/// Returns the extents of a launch with attributes.
fn plain(config: &CUlaunchConfig) -> LaunchConfig {
    LaunchConfig {
        grid: Dim3 { x: config.gridDimX, y: config.gridDimY, z: config.gridDimZ },
        block: Dim3 { x: config.blockDimX, y: config.blockDimY, z: config.blockDimZ },
        shared_bytes: config.sharedMemBytes,
    }
}

/// Gives a kernel node the attributes of a launch. Returns the first answer that is no success, or `added`.
///
/// # Safety
/// 1. The node is a kernel node that is alive. The kernel may run with the attributes.
/// 2. The list of the attributes is alive.
unsafe fn set_attributes(node: CUgraphNode, config: &CUlaunchConfig, added: Answer) -> Answer {
    for index in 0..config.numAttrs as usize {
        // SAFETY: one of as many attributes, whose list is alive (obligation 2).
        let attribute = unsafe { &*config.attrs.wrapping_add(index) };
        let (id, value) = (attribute.id, &raw const attribute.value);
        // SAFETY: the node is alive, and `value` leads to a value of the attribute, which is copied (F554). No context
        // need be current, and captures do not refuse it.
        let set = unsafe { answer!(cuGraphKernelNodeSetAttribute(node, id, value)) };
        if set.code != ffi::CUDA_SUCCESS {
            return set;
        }
    }
    added
}

impl<A: Operands> Launch<'_, LaunchConfig, A> {
    /// Changes a kernel node to this launch.
    ///
    /// # Safety
    /// 1. The graph is alive, nothing runs it, and this is one of its kernel nodes. The function's context is current
    ///    ([F217](crate::driver_facts#F217)).
    /// 2. Whenever the graph runs, what [`enqueue`](Operation::enqueue) asks for holds.
    pub(crate) unsafe fn set(&self, to: NodeToSet) -> Answer {
        let NodeToSet { node, exec } = to;
        self.with_params(self.spec, |params| match exec {
            // SAFETY: `params` leads to one value for each argument, which the driver reads before it returns. The
            // arguments are those of the kernel (`new`). The rest is the caller's obligations 1 and 2.
            Some(exec) => unsafe { answer!(cuGraphExecKernelNodeSetParams_v2(exec, node, params)) },
            // SAFETY: as above.
            None => unsafe { answer!(cuGraphKernelNodeSetParams_v2(node, params)) },
        })
    }
}

impl<S: Spec, A: Operands> Launch<'_, S, A> {
    /// Calls `f` with the parameters of a kernel node.
    #[inline]
    fn with_params<R>(
        &self,
        config: LaunchConfig,
        f: impl FnOnce(*const CUDA_KERNEL_NODE_PARAMS) -> R,
    ) -> R {
        let LaunchConfig { grid, block, shared_bytes } = config;
        self.args.with_pointers(|pointers| {
            f(&CUDA_KERNEL_NODE_PARAMS {
                func: self.function.raw(),
                gridDimX: grid.x,
                gridDimY: grid.y,
                gridDimZ: grid.z,
                blockDimX: block.x,
                blockDimY: block.y,
                blockDimZ: block.z,
                sharedMemBytes: shared_bytes,
                kernelParams: parameters(pointers),
                extra: ptr::null_mut(),
                kern: ptr::null_mut(),
                ctx: ptr::null_mut(),
            })
        })
    }
}

/// Returns the error of a launch with so many arguments, on a stream of the context with this [key](crate::Context::key).
/// The driver refuses a function of another context ([F32](crate::driver_facts#F32)), also in a capture
/// ([F146](crate::driver_facts#F146)), just as it refuses an invalid handle.
#[cold]
#[inline(never)]
fn why(
    function: &FunctionInner,
    spec: &impl Spec,
    arguments: usize,
    call: &'static str,
    code: CUresult,
    key: usize,
) -> Result {
    if code == ffi::CUDA_ERROR_INVALID_HANDLE {
        same_context(call, function.key() == key)?;
    }
    let limits = Limits(function);
    Answer::new(call, code).explain(|code| limits.launch(spec.details(), arguments, code))
}

/// Returns the parameters in the driver's form: null, not an empty list. A kernel that has parameters then returns
/// an error ([F93](crate::driver_facts#F93)).
#[inline]
fn parameters(pointers: &mut [*mut c_void]) -> *mut *mut c_void {
    if pointers.is_empty() { ptr::null_mut() } else { pointers.as_mut_ptr() }
}
