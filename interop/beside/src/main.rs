//! cuscope works on a stream and on memory of cudarc, which works only if both use one driver.

use cudarc::driver::{CudaContext, DevicePtrMut};
use cuscope::{Context, ContextStack, Device};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let theirs = CudaContext::new(0)?;
    let stream = theirs.new_stream()?;
    let mut x = stream.clone_htod(&[1.0_f32; 64])?;

    // The primary context of the device is one for all who use the driver. That of another driver has the same number.
    let context = Context::primary(Device::get(0)?)?;
    println!("{} driver", cuscope::driver_kind());
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    // SAFETY: the stream lives as long as the value that is kept, and nothing captures it.
    let ours = unsafe { gpu.stream_from_raw(stream.cu_stream().cast(), stream.clone()) }?;
    let len = x.len();
    let (address, used) = x.device_ptr_mut(&stream);
    // SAFETY: `x` lives longer than the buffer, and is not used meanwhile.
    let mut y = unsafe { gpu.buffer_from_raw::<f32>(address, len, ()) }?;
    gpu.on(&ours).fill(&mut y.slice_mut(..32)?, 2.0)?;
    drop((y, ours, used));
    gpu.pop()?;

    let host = stream.clone_dtoh(&x)?;
    assert_eq!((host[31], host[32]), (2.0, 1.0));
    assert_eq!(context.raw().addr(), theirs.cu_ctx().addr());
    println!("cudarc reads what cuscope wrote");
    Ok(())
}
