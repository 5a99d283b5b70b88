//! The driver functions about [`limits`](crate::model::limits).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::model::limits::MAX_STACK;
use crate::{entry, sync};
use cuscope_sys::*;

driver! {
    /// A limit of the current context (F69).
    fn cuCtxGetLimit(pvalue: *mut usize, limit: CUlimit) [needs_current] {
        let home = stack::current_home()?;
        entry::wanted(pvalue)?;
        let value = sync::lock(&home.settings).limits.get(limit)?;
        entry::write(pvalue, value)
    }
    /// Sets a limit of the current context (F120). Another stack, and the part of the L2 cache, wait
    /// for all work (F122).
    fn cuCtxSetLimit(limit: CUlimit, value: usize) [needs_current] {
        let home = stack::current_home()?;
        let another_stack = sync::lock(&home.settings).limits.needs_another_stack(value);
        match limit {
            CU_LIMIT_STACK_SIZE if value <= MAX_STACK && another_stack => home.settle(),
            CU_LIMIT_MALLOC_HEAP_SIZE => home.check_work()?,
            CU_LIMIT_PERSISTING_L2_CACHE_SIZE => home.synchronize()?,
            _ => {}
        }
        sync::lock(&home.settings).limits.set(limit, value)
    }
}
