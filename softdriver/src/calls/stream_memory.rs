//! The driver functions about [`stream_memory`](crate::model::stream_memory).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::label::{Class, Label};
use crate::model::graph::batch::Batch;
use crate::model::graph::node::Work;
use crate::model::stream::Target;
use crate::model::stream_memory::{INVALID, MOST, Operation, Ready, wait, write};
use crate::model::{capture, usable};
use core::ffi::c_uint;
use cuscope_sys::*;

/// Enqueues operations; in a capture they become a node.
fn enqueue(target: &Target, params: Vec<CUstreamBatchMemOpParams>) -> Answer {
    let operations = Operation::all(&params, &target.life)?;
    if capture::takes(target)? {
        return capture::add(target, Work::Batch(Batch::new(&target.life, params, operations)));
    }
    let waits = operations.iter().any(Operation::waits);
    let ready = operations.iter().map(|one| one.ready(&target.life));
    let ready = ready.collect::<Answer<Vec<_>>>()?;
    let label =
        if waits { Label::new(Class::Wait, || "wait for a value") } else { Label::of_call() };
    let work = move || {
        ready.iter().for_each(Ready::run);
        Ok(())
    };
    target.submit_as(label, work).map(drop)
}

driver! {
    /// Waits until a 32-bit value compares as asked for.
    fn cuStreamWaitValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint) [
        host_fn,
        zero_is_current(0),
    ] {
        let target = usable::target(stream)?;
        enqueue(&target, vec![wait(CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value.into(), flags)])
    }
    /// Waits until a 64-bit value compares as asked for.
    fn cuStreamWaitValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint) [
        host_fn,
        zero_is_current(0),
    ] {
        let target = usable::target(stream)?;
        enqueue(&target, vec![wait(CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags)])
    }
    /// Writes a 32-bit value.
    fn cuStreamWriteValue32_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint32_t, flags: c_uint) [
        host_fn,
        zero_is_current(0),
    ] {
        let target = usable::target(stream)?;
        enqueue(&target, vec![write(CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value.into(), flags)])
    }
    /// Writes a 64-bit value.
    fn cuStreamWriteValue64_v2(stream: CUstream, addr: CUdeviceptr, value: cuuint64_t, flags: c_uint) [
        host_fn,
        zero_is_current(0),
    ] {
        let target = usable::target(stream)?;
        enqueue(&target, vec![write(CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags)])
    }
    /// Waits, writes and barriers, all or none.
    fn cuStreamBatchMemOp_v2(
        stream: CUstream,
        count: c_uint,
        paramArray: *mut CUstreamBatchMemOpParams,
        flags: c_uint,
    ) [zero_is_current(0)] {
        let target = usable::target(stream)?;
        if count > MOST || flags != 0 {
            return Err(INVALID);
        }
        let one = |index| entry::element(paramArray.cast_const(), index);
        enqueue(&target, (0..count as usize).map(one).collect::<Answer<Vec<_>>>()?)
    }
}
