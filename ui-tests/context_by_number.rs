//! A context is made for a device: `Context::primary(Device::get(0)?)`. No `new` guesses which kind.

use cuscope::{Context, Result};

fn misuse() -> Result<Context> {
    Context::new(0)
}

fn main() {}
