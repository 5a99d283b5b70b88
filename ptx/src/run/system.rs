//! Functions of the device's runtime: `vprintf`, `__assertfail`, `malloc`, `free` and
//! `cudaGraphSetConditional`.

use super::super::code::{CallOp, Place, System};
use super::super::ops::lanes::lanes;
use super::block::Shared;
use super::format::{Arguments, format};
use super::warp::Warp;
use super::{Fault, access};

/// The most bytes of a text.
const LONGEST: usize = 1 << 12;

/// Runs a function on some lanes.
pub(super) fn call(
    warp: &mut Warp,
    shared: &mut Shared<'_>,
    which: System,
    call: &CallOp,
    mask: u32,
) -> Result<(), Fault> {
    // All threads of the warp say so (F241).
    let mut failed = false;
    for lane in lanes(mask) {
        let argument = |index: usize| match call.arguments.get(index) {
            Some(&Place::Value(src)) => warp.value(shared.kernel, lane, src),
            Some(&Place::Local(at, size)) => local(warp, lane, at, size),
            None => 0,
        };
        let result = match which {
            System::Print => {
                let text = access::text(warp, shared, lane, argument(0), LONGEST)?;
                let arguments = Arguments { warp, shared, lane, at: argument(1) };
                let (line, count) = format(&text, arguments)?;
                shared.launch.output.print(&line);
                count
            }
            System::Assert => {
                let text = |at| access::text(warp, shared, lane, at, LONGEST);
                let (message, file, function) =
                    (text(argument(0))?, text(argument(1))?, text(argument(3))?);
                let [x, y, z] = shared.ctaid;
                let [tx, ty, tz] = warp.tid[lane];
                let line = format!(
                    "{}:{}: {}: block: [{x},{y},{z}], thread: [{tx},{ty},{tz}] Assertion `{}` failed.\n",
                    String::from_utf8_lossy(&file),
                    argument(2) as u32,
                    String::from_utf8_lossy(&function),
                    String::from_utf8_lossy(&message),
                );
                shared.launch.output.complain(&line);
                failed = true;
                0
            }
            System::Allocate => shared.launch.memory.allocate(argument(0)).unwrap_or(0),
            System::Free => {
                let address = argument(0);
                if address != 0 {
                    shared.launch.memory.release(address)?;
                }
                0
            }
            System::SetNumber => {
                shared.launch.memory.set_number(argument(0), argument(1) as u32)?;
                0
            }
        };
        match call.results.first() {
            Some(&Place::Value(src)) => {
                if let Ok(slot) = src.split() {
                    warp.set(lane, slot, result);
                }
            }
            Some(&Place::Local(at, size)) => {
                let at = (warp.local_base[lane] + at) as usize;
                let size = size.min(8) as usize;
                if let Some(place) = warp.local[lane].get_mut(at..at + size) {
                    place.copy_from_slice(&result.to_le_bytes()[..size]);
                }
            }
            None => {}
        }
    }
    if failed { Err(Fault::Assert) } else { Ok(()) }
}

/// A word of a lane's frame.
fn local(warp: &Warp, lane: usize, at: u32, size: u32) -> u64 {
    let at = (warp.local_base[lane] + at) as usize;
    let size = size.min(8) as usize;
    let mut word = [0; 8];
    if let Some(bytes) = warp.local[lane].get(at..at + size) {
        word[..size].copy_from_slice(bytes);
    }
    u64::from_le_bytes(word)
}
