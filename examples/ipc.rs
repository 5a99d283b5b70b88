//! Two processes that work on one buffer. `cargo run --example ipc`
//!
//! The program starts itself a second time, and sends that process a handle. The processes take turns: the first one
//! waits for the end of the second one.
#![allow(unsafe_code, reason = "imports memory of another process")]

use cuscope::ipc::MemoryHandle;
use cuscope::{Context, ContextStack, Device, LaunchConfig, driver_kind, driver_version};
use std::error::Error;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

const LEN: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::get(0)?;
    let context = Context::primary(device)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;

    if std::env::args().nth(1).as_deref() == Some("second") {
        let mut bytes = [0; MemoryHandle::SIZE];
        std::io::stdin().read_exact(&mut bytes)?;
        // SAFETY: 1. The first process sent it. 2. and 3. It waits for the end of this one. 4. Imported once.
        let mut y = unsafe { gpu.import_buffer::<f32>(&MemoryHandle::from_bytes(bytes)) }?;
        println!("second process: {} elements of the first one at {:#x}", y.len(), y.address());
        let x = gpu.on(&stream).from_slice(&[2.0_f32; LEN])?;
        let module = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?;
        let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
        let (launch, n) = (LaunchConfig::for_num_elems(LEN)?, LEN as u32);
        gpu.on(&stream).launch(&saxpy, launch, (n, 3.0, &x, &mut y))?;
        return Ok(());
    }

    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    let mut y = gpu.alloc::<f32>(LEN)?;
    gpu.on(&stream).fill(&mut y, 1.0)?;
    println!("first process: {} elements at {:#x}", y.len(), y.address());
    let handle = match gpu.export_buffer(&y) {
        Ok(handle) => handle,
        Err(error) => {
            println!("no memory goes to other processes here: {error}");
            return Ok(());
        }
    };
    let mut second = Command::new(std::env::current_exe()?);
    let mut second = second.arg("second").stdin(Stdio::piped()).spawn()?;
    second.stdin.take().ok_or("it has a pipe")?.write_all(&handle.to_bytes())?;
    let ended = second.wait()?;
    assert!(ended.success(), "the second process failed: {ended}");
    let values = gpu.on(&stream).to_vec(&y)?;
    assert!(values.iter().all(|&value| value == 7.0));
    println!("first process: every element is {}", values[0]);
    Ok(())
}
