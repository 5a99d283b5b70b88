//! Copies in batches (F426, F490, F491).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::copy::copy;
use crate::calls::memory::rows::copy_described;
use crate::entry::{self, Answer};
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::transfer::Described;
use crate::model::{capture, stack, usable};
use cuscope_sys::*;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;
/// The index that is written for an error of no copy.
const NONE: usize = usize::MAX;

/// A copy: where to, where from, and how many bytes.
type Ends = (CUdeviceptr, CUdeviceptr, usize);

/// The stream of a batch: a created one, or the one of the thread, that is not captured.
fn stream_of(hStream: CUstream) -> Answer<Target> {
    if matches!(hStream.addr(), 0 | 1) || stack::current().is_err() {
        return Err(INVALID);
    }
    let target = usable::target(hStream)?;
    if capture::takes(&target)? {
        return Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    Ok(target)
}

/// Whether a copy may read its source so.
fn is_order(order: CUmemcpySrcAccessOrder) -> bool {
    (CU_MEMCPY_SRC_ACCESS_ORDER_STREAM.0..=CU_MEMCPY_SRC_ACCESS_ORDER_ANY.0).contains(&order.0)
}

/// Enqueues copies of boxes. An error tells the number of a copy that is none, or `NONE`; nothing about the null stream
/// and captures (F490, F491). What is wrong with addresses shows when the copies before are enqueued.
fn enqueue_boxes(
    list: *mut CUDA_MEMCPY3D_BATCH_OP,
    count: usize,
    flags: u64,
    hStream: CUstream,
) -> Result<(), (CUresult, Option<usize>)> {
    let whole = |code| (code, Some(NONE));
    if hStream.is_null() {
        return Err((INVALID, None));
    }
    entry::wanted(list).map_err(whole)?;
    if count == 0 || flags != 0 {
        return Err(whole(INVALID));
    }
    let target = stream_of(hStream)
        .map_err(|code| (code, (code != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED).then_some(NONE)))?;
    let mut copies = Vec::new();
    for index in 0..count {
        let described = || {
            let one = entry::element(list.cast_const(), index)?;
            let described = Described::of_batch(&one)?;
            let flags =
                one.flags & !CUmemcpyFlags::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE.bits();
            let wrong = flags != 0 || !is_order(one.srcAccessOrder);
            if wrong || described.is_nothing() || described.rows_overlap() {
                return Err(INVALID);
            }
            Ok(described)
        };
        copies.push(described().map_err(|code| (code, Some(index)))?);
    }
    copies.into_iter().try_for_each(|one| copy_described(&target, one, true)).map_err(whole)
}

/// The lists of a batch.
struct Lists {
    to: *mut CUdeviceptr,
    from: *mut CUdeviceptr,
    sizes: *mut usize,
    count: usize,
    attributes: *mut CUmemcpyAttributes,
    firsts: *mut usize,
    kinds: usize,
}

impl Lists {
    /// The copies, if the lists are in order.
    fn copies(&self) -> Answer<Vec<Ends>> {
        entry::wanted(self.to)?;
        entry::wanted(self.from)?;
        entry::wanted(self.sizes)?;
        entry::wanted(self.attributes)?;
        entry::wanted(self.firsts)?;
        if self.count == 0 || !(1..=self.count).contains(&self.kinds) {
            return Err(INVALID);
        }
        let mut next = 0;
        for kind in 0..self.kinds {
            let first = entry::element(self.firsts.cast_const(), kind)?;
            let order = entry::element(self.attributes.cast_const(), kind)?.srcAccessOrder;
            let in_order = if kind == 0 { first == 0 } else { first >= next };
            if !is_order(order) || !in_order || first >= self.count {
                return Err(INVALID);
            }
            next = first + 1;
        }
        let ends = |index| {
            let to = entry::element(self.to.cast_const(), index)?;
            let from = entry::element(self.from.cast_const(), index)?;
            Ok((to, from, entry::element(self.sizes.cast_const(), index)?))
        };
        (0..self.count).map(ends).collect()
    }

    /// Enqueues the copies. An error of one tells its number.
    fn enqueue(&self, hStream: CUstream) -> Result<(), (CUresult, usize)> {
        let whole = |code| (code, NONE);
        let target = stream_of(hStream).map_err(whole)?;
        let copies = self.copies().map_err(whole)?;
        for (index, &(to, from, bytes)) in copies.iter().enumerate() {
            // Memory that the driver does not know is the host's.
            let ends = [to, from].map(|at| match SPACE.find(at, 1) {
                Ok(one) => one.holds(at, bytes),
                Err(_) => at != 0,
            });
            if bytes == 0 || ends.contains(&false) {
                return Err((INVALID, index));
            }
        }
        for (index, (to, from, bytes)) in copies.into_iter().enumerate() {
            copy(&target, to, from, bytes).map_err(|code| (code, index))?;
        }
        Ok(())
    }
}

driver! {
    /// Enqueues several copies, which are in no order among each other.
    fn cuMemcpyBatchAsync(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes,
        attrsIdxs: *mut usize,
        numAttrs: usize,
        failIdx: *mut usize,
        hStream: CUstream,
    ) {
        let lists = Lists {
            to: dsts, from: srcs, sizes, count, attributes: attrs, firsts: attrsIdxs, kinds: numAttrs,
        };
        let done = lists.enqueue(hStream);
        entry::write_optional(failIdx, done.map_or_else(|(_, index)| index, |()| NONE));
        done.map_err(|(code, _)| code)
    }
    /// The same, without the number of the copy that failed.
    fn cuMemcpyBatchAsync_v2(
        dsts: *mut CUdeviceptr,
        srcs: *mut CUdeviceptr,
        sizes: *mut usize,
        count: usize,
        attrs: *mut CUmemcpyAttributes,
        attrsIdxs: *mut usize,
        numAttrs: usize,
        hStream: CUstream,
    ) {
        let lists = Lists {
            to: dsts, from: srcs, sizes, count, attributes: attrs, firsts: attrsIdxs, kinds: numAttrs,
        };
        lists.enqueue(hStream).map_err(|(code, _)| code)
    }
    /// Enqueues several copies of boxes, which are in no order among each other.
    fn cuMemcpy3DBatchAsync(
        numOps: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP,
        failIdx: *mut usize,
        flags: u64,
        hStream: CUstream,
    ) {
        let done = enqueue_boxes(opList, numOps, flags, hStream);
        if let Some(index) = done.map_or_else(|(_, index)| index, |()| Some(NONE)) {
            entry::write_optional(failIdx, index);
        }
        done.map_err(|(code, _)| code)
    }
    /// The same, without the number of the copy that failed.
    fn cuMemcpy3DBatchAsync_v2(
        numOps: usize,
        opList: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: u64,
        hStream: CUstream,
    ) {
        enqueue_boxes(opList, numOps, flags, hStream).map_err(|(code, _)| code)
    }
    /// A batch of one copy.
    fn cuMemcpyWithAttributesAsync(
        dst: CUdeviceptr,
        src: CUdeviceptr,
        size: usize,
        attr: *mut CUmemcpyAttributes,
        hStream: CUstream,
    ) {
        let (mut to, mut from, mut bytes, mut first) = (dst, src, size, 0);
        let lists = Lists {
            to: &raw mut to,
            from: &raw mut from,
            sizes: &raw mut bytes,
            count: 1,
            attributes: attr,
            firsts: &raw mut first,
            kinds: 1,
        };
        lists.enqueue(hStream).map_err(|(code, _)| code)
    }
    /// A batch of one copy of a box.
    fn cuMemcpy3DWithAttributesAsync(
        op: *mut CUDA_MEMCPY3D_BATCH_OP,
        flags: u64,
        hStream: CUstream,
    ) {
        enqueue_boxes(op, 1, flags, hStream).map_err(|(code, _)| code)
    }
}
