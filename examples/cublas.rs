//! A matrix product of cuBLAS, on a stream that owns the order of its memory: checked against the host.
//! `CUBLAS_LIBRARY_PATH=folder cargo run --example cublas`. Skipped where there is no GPU or no cuBLAS.
#![allow(unsafe_code, reason = "calls cuBLAS")]

mod libraries;

use cuscope::{Context, ContextStack, Device, Result, ffi};
use libraries::{Library, check};
use std::ffi::{c_int, c_void};
use std::ptr;

type Handle = *mut c_void;
type Sgemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    *const f32,
    *mut f32,
    c_int,
) -> c_int;

/// A matrix is not transposed.
const N: c_int = 0;

/// cuBLAS in the context that was current.
struct Blas {
    handle: Handle,
    set_stream: unsafe extern "C" fn(Handle, ffi::CUstream) -> c_int,
    sgemm: Sgemm,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
}

impl Blas {
    fn new(library: Library) -> Blas {
        let mut handle = ptr::null_mut();
        // SAFETY: its type, from `cublas_v2.h`.
        let create: unsafe extern "C" fn(*mut Handle) -> c_int =
            unsafe { library.function("cublasCreate_v2") };
        // SAFETY: writes one handle to `handle`, which is valid for it.
        check("cublasCreate", unsafe { create(&raw mut handle) });
        // SAFETY: as above.
        let set_stream = unsafe { library.function("cublasSetStream_v2") };
        // SAFETY: as above.
        let sgemm = unsafe { library.function("cublasSgemm_v2") };
        // SAFETY: as above.
        let destroy = unsafe { library.function("cublasDestroy_v2") };
        Blas { handle, set_stream, sgemm, destroy }
    }

    /// Enqueues c = a b + c, for square matrices by columns.
    ///
    /// # Safety
    /// The addresses are of `n * n` elements that work in the stream may use, and nothing else writes.
    unsafe fn multiply(&self, stream: ffi::CUstream, n: usize, [a, b, c]: [ffi::CUdeviceptr; 3]) {
        let (n, one) = (c_int::try_from(n).expect("a small matrix"), 1.0_f32);
        // SAFETY: the handle and the stream are alive, and of one context.
        check("cublasSetStream", unsafe { (self.set_stream)(self.handle, stream) });
        let (a, b, c) = (a as *const f32, b as *const f32, c as *mut f32);
        // SAFETY: the caller's; `one` is read before the call returns.
        check("cublasSgemm", unsafe {
            (self.sgemm)(
                self.handle,
                N,
                N,
                n,
                n,
                n,
                &raw const one,
                a,
                n,
                b,
                n,
                &raw const one,
                c,
                n,
            )
        });
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: the handle is alive, and not used again. Its end waits for its work.
        unsafe { (self.destroy)(self.handle) };
    }
}

fn main() -> Result {
    let sets: &[&[&str]] = if cfg!(windows) {
        &[&["cublasLt64_13.dll", "cublas64_13.dll"], &["cublasLt64_12.dll", "cublas64_12.dll"]]
    } else {
        &[&["libcublasLt.so.13", "libcublas.so.13"], &["libcublasLt.so.12", "libcublas.so.12"]]
    };
    let Some(library) = Library::open("cublas", "CUBLAS_LIBRARY_PATH", sets) else { return Ok(()) };
    let device = Device::get(0)?;
    let context = Context::primary(device)?; // the one that cuBLAS works in
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let blas = Blas::new(library);

    // Small whole numbers, so that the result is exact.
    let n = 192;
    let value = |i: usize| (i * 7 % 9) as f32 - 4.0;
    let a: Vec<f32> = (0..n * n).map(value).collect();
    let b: Vec<f32> = (0..n * n).map(|i| value(i + 3)).collect();

    let ordered = gpu.ordered_stream()?;
    let result = {
        let (x, y) = (ordered.from_slice(&a)?, ordered.from_slice(&b)?);
        let mut z = ordered.zeroed::<f32>(n * n)?;
        for _ in 0..2 {
            // SAFETY: the stream and the memory that `foreign` passes.
            let work = |stream, (x, y, z)| unsafe { blas.multiply(stream, n, [x, y, z]) };
            // SAFETY: 1. and 2. One product of the three, in the stream. 3. cuBLAS changes neither.
            unsafe { ordered.foreign((&x, &y, &mut z), work) }?;
        }
        drop((x, y)); // freed behind the products
        ordered.to_vec(&z)?
    };
    drop(blas);
    gpu.pop()?;

    let wrong = (0..n * n).filter(|&at| {
        let (row, column) = (at % n, at / n);
        let dot: f32 = (0..n).map(|k| a[row + k * n] * b[k + column * n]).sum();
        result[at] != 2.0 * dot
    });
    let wrong = wrong.count();
    println!(
        "cublas on {}: {n} x {n}: {}",
        device.name()?,
        if wrong == 0 { "right" } else { "WRONG" }
    );
    assert_eq!(wrong, 0, "{wrong} elements are wrong");
    Ok(())
}
