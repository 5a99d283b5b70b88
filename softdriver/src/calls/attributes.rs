//! The driver functions about [`attributes`](crate::model::attributes).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::usable;
use crate::sync;
use cuscope_sys::*;

driver! {
    /// One attribute of a stream; 1 for what streams do not have (F153).
    fn cuStreamGetAttribute(
        hStream: CUstream,
        attr: CUstreamAttrID,
        value: *mut CUstreamAttrValue,
    ) [host_fn] {
        let target = usable::target(hStream)?;
        let attributes = *sync::lock(&target.queue.attributes);
        attributes.tell(attr, value)
    }
    /// Sets an attribute of a stream; a value that is none changes nothing (F154, F155).
    fn cuStreamSetAttribute(
        hStream: CUstream,
        attr: CUstreamAttrID,
        param: *const CUstreamAttrValue,
    ) [host_fn] {
        let target = usable::target(hStream)?;
        sync::lock(&target.queue.attributes).take(attr, param)
    }
    /// Copies all attributes between streams of one context (F156).
    fn cuStreamCopyAttributes(dstStream: CUstream, srcStream: CUstream) [host_fn] {
        let (to, from) = (usable::target(dstStream)?, usable::target(srcStream)?);
        if !to.life.is(&from.life) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let attributes = *sync::lock(&from.queue.attributes);
        *sync::lock(&to.queue.attributes) = attributes;
        Ok(())
    }
}
