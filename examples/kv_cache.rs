//! A cache of keys that grows with each token, without a copy. `cargo run --example kv_cache`
//!
//! A language model keeps the keys of all tokens of a conversation, and nobody knows how long that will be. A buffer of
//! the longest one would waste the device's memory, and a larger buffer from time to time would copy all keys. This one
//! reserves addresses for the longest conversation, and physical memory for the tokens that there are.
#![forbid(unsafe_code)]

use cuscope::{Context, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version};

/// The numbers of the key of a token.
const WIDTH: usize = 4096;
/// The tokens of the longest conversation.
const MOST: usize = 1 << 20;
/// The tokens of a prompt, and of what is added at a time.
const PROMPT: usize = 300;
const STEP: usize = 100;

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);

    let context = Context::primary(device)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    let module = gpu.load_guarded(include_str!("kernels/saxpy.ptx"))?;
    let saxpy = module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy")?;

    let mut keys = gpu.alloc_growable::<f32>(MOST * WIDTH)?;
    println!("addresses for {} MiB at {:#x}", (keys.capacity() * 4) >> 20, keys.address());
    let address = keys.address();
    let mut tokens = 0;
    for added in [PROMPT, STEP, STEP, STEP] {
        keys.grow((tokens + added) * WIDTH)?;
        let new = vec![(tokens + 1) as f32; added * WIDTH];
        gpu.on(&stream).upload(&new, &mut keys.slice_mut(tokens * WIDTH..)?)?;
        tokens += added;
        println!("{tokens:4} tokens: {:2} MiB of memory", keys.mapped_bytes() >> 20);
        // The addresses stay, so whatever knows them goes on to be right.
        assert_eq!(keys.address(), address);
    }

    // Work on all keys as on one buffer, whichever pieces of memory they lie in: sum = 2 * keys + sum.
    let mut sum = gpu.on(&stream).zeroed::<f32>(keys.len())?;
    let launch = LaunchConfig::for_num_elems(keys.len())?;
    gpu.on(&stream).launch(&saxpy, launch, (keys.len() as u32, 2.0, &keys, &mut sum))?;
    let sum = gpu.on(&stream).to_vec(&sum)?;
    let first = |token: usize| sum[token * WIDTH];
    let found = [0, PROMPT, PROMPT + STEP].map(first);
    assert_eq!(found, [2.0, 602.0, 802.0]);

    // The next conversation begins with the same prompt.
    keys.truncate(PROMPT * WIDTH)?;
    println!("{PROMPT:4} tokens: {:2} MiB of memory", keys.mapped_bytes() >> 20);
    Ok(())
}
