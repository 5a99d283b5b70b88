//! The mend of `ui-tests/context_by_number.rs`. Write `Context::primary(Device::get(0)?)`.

use cuscope::{Context, Device, Result};

fn right() -> Result<Context> {
    Context::primary(Device::get(0)?)
}

fn main() {}
