//! A Fourier transform of cuFFT and its inverse, on two streams that a scope orders: checked on the host.
//! `CUFFT_LIBRARY_PATH=folder cargo run --example cufft`. Skipped where there is no GPU or no cuFFT.
#![allow(unsafe_code, reason = "calls cuFFT")]

mod libraries;

use cuscope::{Context, ContextStack, Device, Result, ffi};
use libraries::{Library, check};
use std::f32::consts::TAU;
use std::ffi::c_int;

/// A complex number.
type Complex = [f32; 2];

/// Complex numbers to complex numbers.
const C2C: c_int = 0x29;
const FORWARD: c_int = -1;
const INVERSE: c_int = 1;

/// A plan in the context that was current.
struct Plan {
    plan: c_int,
    set_stream: unsafe extern "C" fn(c_int, ffi::CUstream) -> c_int,
    transform: unsafe extern "C" fn(c_int, *mut Complex, *mut Complex, c_int) -> c_int,
    destroy: unsafe extern "C" fn(c_int) -> c_int,
}

impl Plan {
    fn new(library: Library, len: usize) -> Plan {
        let mut plan = 0;
        // SAFETY: its type, from `cufft.h`.
        let create: unsafe extern "C" fn(*mut c_int, c_int, c_int, c_int) -> c_int =
            unsafe { library.function("cufftPlan1d") };
        let len = c_int::try_from(len).expect("a small transform");
        // SAFETY: writes one handle to `plan`, which is valid for it.
        check("cufftPlan1d", unsafe { create(&raw mut plan, len, C2C, 1) });
        // SAFETY: as above.
        let set_stream = unsafe { library.function("cufftSetStream") };
        // SAFETY: as above.
        let transform = unsafe { library.function("cufftExecC2C") };
        // SAFETY: as above.
        let destroy = unsafe { library.function("cufftDestroy") };
        Plan { plan, set_stream, transform, destroy }
    }

    /// Enqueues a transform.
    ///
    /// # Safety
    /// The addresses are of as many elements as the plan has, which work in the stream may use and nothing else writes.
    /// An earlier transform of the plan is in the stream, or waited for there.
    unsafe fn run(&self, stream: ffi::CUstream, from: u64, to: u64, direction: c_int) {
        // SAFETY: the plan and the stream are alive, and of one context.
        check("cufftSetStream", unsafe { (self.set_stream)(self.plan, stream) });
        let (from, to) = (from as *mut Complex, to as *mut Complex);
        // SAFETY: the caller's; with two buffers, the first is only read.
        check("cufftExecC2C", unsafe { (self.transform)(self.plan, from, to, direction) });
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: the plan is alive, and not used again.
        unsafe { (self.destroy)(self.plan) };
    }
}

fn main() -> Result {
    let sets: &[&[&str]] = if cfg!(windows) {
        &[&["cufft64_12.dll"], &["cufft64_11.dll"]]
    } else {
        &[&["libcufft.so.12"], &["libcufft.so.11"]]
    };
    let Some(library) = Library::open("cufft", "CUFFT_LIBRARY_PATH", sets) else { return Ok(()) };
    let device = Device::get(0)?;
    let context = Context::primary(device)?; // the one that cuFFT works in
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;

    let (n, tone) = (4096, 37);
    let plan = Plan::new(library, n);
    let wave = |i: usize| (TAU * (i * tone % n) as f32 / n as f32).sin_cos();
    let input: Vec<Complex> = (0..n).map(|i| [wave(i).1, wave(i).0]).collect();
    let (mut spectrum, mut output) = (vec![[0.0; 2]; n], vec![[0.0; 2]; n]);

    let (one, two) = (gpu.stream()?, gpu.stream()?);
    let (mut x, mut y, mut z) = (gpu.alloc(n)?, gpu.alloc(n)?, gpu.alloc(n)?);
    gpu.scope(|s| {
        let (one, two) = (s.on(&one), s.on(&two));
        let (mut x, mut y, mut z) = (s.hold(&mut x), s.hold(&mut y), s.hold(&mut z));
        one.upload(&input, &mut x)?;
        // SAFETY: the stream and the memory that `foreign` passes; this is the first transform of the plan.
        let forward = |stream, (x, y)| unsafe { plan.run(stream, x, y, FORWARD) };
        // SAFETY: 1., 2. and 4. One transform from x to y, in the stream. 3. cuFFT changes neither.
        unsafe { one.foreign((&mut x, &mut y), forward) }?;
        // SAFETY: as above. The stream waits for the first transform, which wrote y.
        let inverse = |stream, (y, z)| unsafe { plan.run(stream, y, z, INVERSE) };
        // SAFETY: 1. to 4. as above, from y to z.
        unsafe { two.foreign((&mut y, &mut z), inverse) }?;
        one.download(&y, &mut spectrum)?;
        two.download(&z, &mut output)
    })?;
    drop(plan);
    gpu.pop()?;

    // One tone is one line; and forward and inverse together multiply by n.
    let size = n as f32;
    let far = |a: Complex, b: Complex| (a[0] - b[0]).hypot(a[1] - b[1]);
    let line = |at| if at == tone { [size, 0.0] } else { [0.0; 2] };
    let of_spectrum = (0..n).filter(|&at| far(spectrum[at], line(at)) > 1e-3 * size);
    let of_output = (0..n).filter(|&at| far(output[at].map(|v| v / size), input[at]) > 1e-4);
    let wrong = of_spectrum.count() + of_output.count();
    println!("cufft on {}: {n}: {}", device.name()?, if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} elements are wrong");
    Ok(())
}
