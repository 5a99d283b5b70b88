//! A function of the driver takes handles and pointers that nothing has checked, so `call!` hides no `unsafe`.
//!
//! **Why:** Nothing checks that the handles are alive, and the pointers valid.
//!
//! **Mend:** Write the block, and the comment. See `ui-tests/mended/call_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{Context, Result};

fn misuse(context: &Context) -> Result<u64> {
    let mut id = 0;
    cuscope::call!(cuCtxGetId(context.raw(), &raw mut id))?;
    cuscope::call!(cuCtxSynchronize_v2()(context.raw()))?;
    Ok(id)
}

fn main() {}
