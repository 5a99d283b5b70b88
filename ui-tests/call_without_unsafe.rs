//! A function of the driver takes handles and pointers that nothing has checked, so `call!` hides no `unsafe`: the
//! call stands in a block of it, with a comment that says why its obligations hold.

use cuscope::{Context, Result};

fn misuse(context: &Context) -> Result<u64> {
    let mut id = 0;
    cuscope::call!(cuCtxGetId(context.raw(), &raw mut id))?;
    cuscope::call!(cuCtxSynchronize_v2()(context.raw()))?;
    Ok(id)
}

fn main() {}
