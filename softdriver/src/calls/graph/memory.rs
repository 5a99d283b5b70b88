//! The driver functions about [`memory`](crate::model::graph::memory).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::pools::has_pools;
use crate::entry::Answer;
use crate::model::graph::add::add;
use crate::model::graph::memory::{Memory, Params, USAGE, owner};
use crate::model::graph::node::Work;
use crate::model::graph::query::node;
use crate::model::life::Life;
use crate::model::memory::allocation::Kind;
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::{capture, device};
use crate::{entry, sync};
use core::ffi::{c_int, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Frees by a call what a launch left allocated; none if the address is not of such memory.
pub(crate) fn leave(address: u64) -> Option<impl FnOnce() + Send + use<>> {
    let allocation = SPACE.exactly(address, Kind::Graph).ok()?;
    let memory = owner(address).ok();
    match &memory {
        Some(memory) => memory.left.swap(false, Ordering::AcqRel).then_some(())?,
        None => SPACE.retire(&allocation).ok()?,
    }
    Some(move || match memory {
        Some(memory) => memory.end(),
        None => SPACE.take(&allocation),
    })
}

/// Checks the parameters of an allocation node.
fn check(params: &CUDA_MEM_ALLOC_NODE_PARAMS) -> Answer<usize> {
    let props = &params.poolProps;
    let invalid = props.allocType == CU_MEM_ALLOCATION_TYPE_INVALID
        || props.location.r#type == CU_MEM_LOCATION_TYPE_INVALID
        || props.reserved != [0; 53]
        || params.bytesize == 0;
    if invalid {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let plain = props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED
        && props.location.r#type == CU_MEM_LOCATION_TYPE_DEVICE
        && props.handleTypes == CU_MEM_HANDLE_TYPE_NONE
        && params.accessDescCount == 0;
    if !plain {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    // SAFETY: every member of the union is numbers, of which any bits are a value.
    let id = unsafe { props.location.anonymous.id };
    let device = device::device(id).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    has_pools(device)?;
    Ok(device.ordinal)
}

/// The memory of a node, with its address in the parameters.
fn memory(mut params: CUDA_MEM_ALLOC_NODE_PARAMS) -> Answer<Arc<Memory>> {
    let device = check(&params)?;
    let space = &*SPACE;
    // It belongs to no context.
    let life = Life::new(device, 0);
    params.dptr = space.allocate(&life, params.bytesize, Kind::Graph)?;
    let allocation = space.at(params.dptr).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let params = Params(params);
    Ok(Arc::new(Memory { allocation, params, left: AtomicBool::new(false) }))
}

/// Captures an allocation on a device, and gives its address.
pub(crate) fn capture_allocation(
    target: &Target,
    device: usize,
    bytes: usize,
) -> Answer<CUdeviceptr> {
    let id = device as c_int;
    let location = CUmemLocation {
        r#type: CU_MEM_LOCATION_TYPE_DEVICE,
        anonymous: CUmemLocation_v1_anonymous { id },
    };
    let pool = CUmemPoolProps {
        allocType: CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: CU_MEM_HANDLE_TYPE_NONE,
        location,
        win32SecurityAttributes: ptr::null_mut(),
        maxSize: 0,
        usage: 0,
        gpuDirectRDMACapable: 0,
        reserved: [0; 53],
    };
    let memory = memory(CUDA_MEM_ALLOC_NODE_PARAMS {
        poolProps: pool,
        accessDescs: ptr::null(),
        accessDescCount: 0,
        bytesize: bytes,
        dptr: 0,
    })?;
    let address = memory.address();
    capture::add(target, Work::Alloc(memory))?;
    Ok(address)
}

/// Captures a free of what a node of any graph allocates, once in a graph.
pub(crate) fn capture_free(target: &Target, address: CUdeviceptr) -> Answer {
    let memory = owner(address)?;
    if capture::frees(target, address) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    capture::add(target, Work::Free(memory))
}

driver! {
    /// Adds an allocation; its address is known from here on, and memory is there while a run has it.
    fn cuGraphAddMemAllocNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        nodeParams: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |_| {
            let mut params = entry::read(nodeParams)?;
            params.dptr = 0;
            entry::write(nodeParams, params)?;
            let memory = memory(params)?;
            entry::write(nodeParams, memory.params.0)?;
            Ok((None, Work::Alloc(memory)))
        })
    }
    /// Gives the parameters that an allocation node was made with.
    fn cuGraphMemAllocNodeGetParams(
        hNode: CUgraphNode,
        params_out: *mut CUDA_MEM_ALLOC_NODE_PARAMS,
    ) {
        match &*node(hNode)?.work {
            Work::Alloc(memory) => entry::write(params_out, memory.params.0),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Adds a free of what a node of any graph allocates, once in a graph.
    fn cuGraphAddMemFreeNode(
        phGraphNode: *mut CUgraphNode,
        hGraph: CUgraph,
        dependencies: *const CUgraphNode,
        numDependencies: usize,
        dptr: CUdeviceptr,
    ) {
        add(phGraphNode, hGraph, dependencies, numDependencies, |graph| {
            let memory = owner(dptr)?;
            if graph.frees(dptr) {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            Ok((None, Work::Free(memory)))
        })
    }
    /// The address that a node frees.
    fn cuGraphMemFreeNodeGetParams(hNode: CUgraphNode, dptr_out: *mut CUdeviceptr) {
        match &*node(hNode)?.work {
            Work::Free(memory) => entry::write(dptr_out, memory.address()),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Gives back what no run holds.
    fn cuDeviceGraphMemTrim(device: CUdevice) [after_fault] {
        let device = device::device(device)?.ordinal;
        sync::lock(&USAGE)[device].now = 0;
        Ok(())
    }
    /// Gives how much memory the graphs of a device hold.
    fn cuDeviceGetGraphMemAttribute(
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut c_void,
    ) [after_fault] {
        let usage = sync::lock(&USAGE)[device::device(device)?.ordinal];
        let bytes = match attr {
            CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT | CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT => usage.now,
            CU_GRAPH_MEM_ATTR_USED_MEM_HIGH | CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH => usage.high,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        entry::write(value.cast::<cuuint64_t>(), bytes as u64)
    }
    /// Forgets the highest use: the high marks can be set to 0 only.
    fn cuDeviceSetGraphMemAttribute(
        device: CUdevice,
        attr: CUgraphMem_attribute,
        value: *mut c_void,
    ) [after_fault] {
        let device = device::device(device)?.ordinal;
        let value = entry::read(value.cast::<cuuint64_t>())?;
        let high = attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attr == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
        if !high || value != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let usage = &mut sync::lock(&USAGE)[device];
        usage.high = usage.now;
        Ok(())
    }
}
