//! Resetting a primary context destroys what every other user of it in the process still has; events of it
//! crash the driver (F42, F89). So it is `unsafe`: say why nobody uses it.

use cuscope::{Device, Result};

fn misuse(device: Device) -> Result {
    device.reset_primary_context()
}

fn main() {}
