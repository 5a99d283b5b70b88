//! Copies in batches (F426).
#![allow(unsafe_code, reason = "exported functions")]

use super::copy::copy;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::{capture, stack, stream};
use cuscope_sys::*;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;
/// What is written for an error of no copy.
const NONE: usize = usize::MAX;

/// A copy: where to, where from, and how many bytes.
type Ends = (CUdeviceptr, CUdeviceptr, usize);

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
            let known = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM.0..=CU_MEMCPY_SRC_ACCESS_ORDER_ANY.0;
            let in_order = if kind == 0 { first == 0 } else { first >= next };
            if !known.contains(&order.0) || !in_order || first >= self.count {
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
        if matches!(hStream.addr(), 0 | 1) || stack::current().is_err() {
            return Err(whole(INVALID));
        }
        let target = stream::target(hStream).map_err(whole)?;
        if capture::takes(&target).map_err(whole)? {
            return Err(whole(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
        }
        let copies = self.copies().map_err(whole)?;
        for (index, &(to, from, bytes)) in copies.iter().enumerate() {
            // Memory that the driver does not know is the host's.
            let ends = [to, from].map(|at| match state().space.find(at, 1) {
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
}
