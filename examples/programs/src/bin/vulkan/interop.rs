//! The CUDA side, and the order of the turns.

#[path = "device.rs"]
mod device;

use ash::vk;
use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
use cuscope::{Context, ContextStack, Device, LaunchConfig, driver_kind, driver_version};
use device::Vulkan;
use std::error::Error;

const LEN: usize = 1 << 20;
const BYTES: u64 = (LEN * size_of::<f32>()) as u64;

/// The values of the semaphore: what has been done.
const FILLED: u64 = 1;
const COMPUTED: u64 = 2;
const COPIED: u64 = 3;

pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    let vulkan = match Vulkan::new(device.uuid()?.0) {
        Ok(vulkan) => vulkan,
        Err(reason) => {
            println!("skipped: {reason}");
            return Ok(());
        }
    };
    println!("Vulkan device: {}", vulkan.name());

    // What Vulkan exports lives until the process ends.
    let shared = vulkan.exported_buffer(BYTES)?;
    let host = vulkan.host_buffer(BYTES)?;
    let turns = vulkan.exported_timeline()?;

    let context = Context::primary(device)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    let handle = MemoryHandle::OpaqueFd(vulkan.memory_fd(&shared)?);
    // SAFETY: 1. The memory was allocated with this size, for this buffer alone.
    let memory =
        unsafe { gpu.import_external_memory(handle, shared.bytes(), MemoryFlags::DEDICATED) }?;
    // SAFETY: 1. Vulkan writes before it signals FILLED, and reads after it has waited for COMPUTED. 2. The only mapping.
    let mut y = unsafe { gpu.map_external_buffer::<f32>(&memory, 0, LEN) }?;
    let handle = SemaphoreHandle::TimelineFd(vulkan.semaphore_fd(turns)?);
    // SAFETY: 1. A timeline semaphore. 2. Its values increase.
    let semaphore = unsafe { gpu.import_external_semaphore(handle) }?;
    println!("imported {} bytes at {:#x}, and a semaphore", memory.size_bytes(), y.address());

    // Vulkan's first turn. The stream waits for it on the device.
    vulkan.submit(turns, None, FILLED, |device, commands| {
        // SAFETY: the commands are being recorded, and the buffer is alive and holds so many bytes.
        unsafe { device.cmd_fill_buffer(commands, shared.raw(), 0, BYTES, 1.0_f32.to_bits()) }
    })?;

    // Vulkan's second turn is submitted before the kernel: it waits on the device, too.
    let copy = [vk::BufferCopy::default().size(BYTES)];
    vulkan.submit(turns, Some(COMPUTED), COPIED, |device, commands| {
        // SAFETY: the commands are being recorded, and both buffers are alive and hold so many bytes.
        unsafe { device.cmd_copy_buffer(commands, shared.raw(), host.raw(), &copy) }
    })?;

    let mut x = gpu.on(&stream).from_slice(&[2.0_f32; LEN])?;
    let ptx = include_str!("../../../../kernels/saxpy.ptx");
    let saxpy = gpu.load_guarded(ptx)?.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;
    let (launch, n) = (LaunchConfig::for_num_elems(LEN)?, LEN as u32);
    gpu.scope(|s| {
        let (run, x, mut y) = (s.on(&stream), s.hold(&mut x), s.hold(&mut y));
        run.wait_semaphores(&[(&semaphore, FILLED)])?;
        run.launch(&saxpy, launch, (n, 3.0, &x, &mut y))?;
        run.signal_semaphores(&[(&semaphore, COMPUTED)])
    })?;

    vulkan.wait(turns, COPIED)?;
    let values = vulkan.read(&host, LEN)?;
    assert!(values.iter().all(|&value| value == 7.0), "{:?} …", &values[..4]);
    println!("Vulkan reads that every element is {}", values[0]);
    Ok(())
}
