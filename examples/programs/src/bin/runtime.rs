//! A small runtime at work: a server thread, pools, kernels that are written while it runs, a graph over several messages,
//! and two devices if there are. `cargo run -p cuscope-examples --bin runtime`
//!
//! With the feature `nvrtc`, and a libnvrtc on the machine, it also compiles CUDA C++.
#![allow(unsafe_code, reason = "vouches for kernels")]

use cuscope::{Device, Result, driver_kind};
use cuscope_examples::runtime::kernels::Source;
use cuscope_examples::runtime::{Argument, Client, Handle, ordered};

const LEN: u32 = 1 << 16;

/// The bytes of numbers.
fn bytes(numbers: impl Iterator<Item = f32>) -> Vec<u8> {
    numbers.flat_map(f32::to_le_bytes).collect()
}

/// The first number.
fn first(bytes: &[u8]) -> f32 {
    f32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
}

fn launch(client: &Client, device: usize, op: &str, [out, x, y]: [&Handle; 3]) {
    let memory = |handle: &Handle| Argument::Memory(handle.clone());
    let arguments = vec![memory(out), memory(x), memory(y), Argument::U32(LEN)];
    // SAFETY: 1. Such a kernel has three arrays of so many numbers, and their number.
    unsafe { client.launch(device, &Source::binary(op), (LEN.div_ceil(256), 256), arguments) };
}

fn main() -> Result {
    let devices = Device::all()?;
    let client = Client::start(&devices)?;
    println!("{} devices, {} driver", devices.len(), driver_kind());

    let x = client.create(0, bytes((0..LEN).map(|i| i as f32)))?;
    let y = client.create(0, bytes((0..LEN).map(|_| 2.0)))?;
    let z = client.empty(0, x.len())?;
    launch(&client, 0, "add", [&z, &x, &y]);
    launch(&client, 0, "mul", [&z, &z, &y]);
    println!("(0 + 2) * 2 = {}", first(&client.read(&z)?));

    // A graph, whose launches come in messages of their own.
    client.begin_capture(0);
    launch(&client, 0, "add", [&z, &z, &y]);
    launch(&client, 0, "add", [&z, &z, &y]);
    let graph = client.end_capture(0)?;
    (0..10).for_each(|_| client.replay(graph));
    client.fence(0)?.wait()?;
    println!("... + 10 * (2 + 2) = {}", first(&client.read(&z)?));

    let last = devices.len() - 1;
    let there = client.copy_to(&z, last)?;
    launch(&client, last, "add", [&there, &there, &there]);
    println!("... twice that, on device {last}: {}", first(&client.read(&there)?));

    #[cfg(feature = "nvrtc")]
    if cuscope::nvrtc::version().is_ok() {
        let text = "extern \"C\" __global__ void negate(float *x, unsigned n) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = -x[i]; }";
        let arguments = vec![Argument::Memory(z.clone()), Argument::U32(LEN)];
        // SAFETY: 1. Its parameters are an array of so many numbers, and their number.
        unsafe {
            client.launch(0, &Source::cuda("negate", text), (LEN.div_ceil(256), 256), arguments)
        };
        println!("... in CUDA C++: {}", first(&client.read(&z)?));
    }

    // The same on an ordered stream.
    let mut runtime = ordered::Runtime::new(devices[0])?;
    let x = runtime.create(&bytes((0..LEN).map(|_| 3.0)))?;
    let memory = |handle: &ordered::Handle| ordered::Argument::Memory(handle.clone());
    let arguments = [memory(&x), memory(&x), memory(&x), ordered::Argument::U32(LEN)];
    // SAFETY: 1. As above.
    unsafe { runtime.launch(&Source::binary("mul"), (LEN.div_ceil(256), 256), &arguments) }?;
    println!("3 * 3, on an ordered stream: {}", first(&runtime.read(&x)?.wait()?));
    Ok(())
}
