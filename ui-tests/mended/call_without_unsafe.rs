//! The mend of `ui-tests/call_without_unsafe.rs`. Write the block, and the comment.

use cuscope::{Context, Result};

fn right(context: &Context) -> Result<u64> {
    let mut id = 0;
    // SAFETY: the handle of a context that is alive, and a place for one `u64`.
    unsafe { cuscope::call!(cuCtxGetId(context.raw(), &raw mut id)) }?;
    // SAFETY: as above.
    unsafe { cuscope::call!(cuCtxSynchronize_v2()(context.raw())) }?;
    Ok(id)
}

fn main() {}
