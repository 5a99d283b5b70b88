//! Kernels in Rust for `reach.py`, as programs have them: slices whose indices are checked, iterators, structs, closures,
//! atomics, arrays of a thread, panics. `rust_kernels.py` compiles them with rustc.
#![no_std]
#![feature(abi_ptx, stdarch_nvptx)]
#![allow(improper_ctypes_definitions)]

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _syncthreads, _thread_idx_x};
use core::slice;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { core::arch::nvptx::trap() }
}

fn index() -> usize {
    unsafe { (_block_idx_x() * _block_dim_x() + _thread_idx_x()) as usize }
}

fn threads() -> usize {
    unsafe { (_grid_dim_x() * _block_dim_x()) as usize }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Body {
    at: [f32; 3],
    mass: f32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    data: *mut f32,
    rows: usize,
    columns: usize,
}

#[repr(u8)]
#[derive(Clone, Copy)]
pub enum Operation {
    Add,
    Multiply,
    Maximum,
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
    let i = index();
    if i < n as usize {
        unsafe { *y.add(i) += a * *x.add(i) }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy_slices(a: f32, x: *const f32, x_len: usize, y: *mut f32, y_len: usize) {
    let (x, y) = unsafe { (slice::from_raw_parts(x, x_len), slice::from_raw_parts_mut(y, y_len)) };
    let i = index();
    y[i] += a * x[i];
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy_get(a: f32, x: *const f32, y: *mut f32, len: usize) {
    let (x, y) = unsafe { (slice::from_raw_parts(x, len), slice::from_raw_parts_mut(y, len)) };
    if let (Some(x), Some(y)) = (x.get(index()), y.get_mut(index())) {
        *y += a * x;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matmul(n: usize, a: *const f32, b: *const f32, c: *mut f32) {
    let (a, b) = unsafe { (slice::from_raw_parts(a, n * n), slice::from_raw_parts(b, n * n)) };
    let (row, column) = (index() / n, index() % n);
    let row_of_a = &a[row * n..][..n];
    let sum: f32 = row_of_a.iter().zip(b[column..].iter().step_by(n)).map(|(x, y)| x * y).sum();
    unsafe { *c.add(index()) = sum }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn grid_stride_sum(x: *const f64, len: usize, out: *mut f64) {
    let x = unsafe { slice::from_raw_parts(x, len) };
    let sum: f64 = x.iter().skip(index()).step_by(threads()).sum();
    unsafe { *out.add(index()) = sum }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn histogram(data: *const u8, len: usize, bins: *const AtomicU32) {
    let (data, bins) = unsafe { (slice::from_raw_parts(data, len), slice::from_raw_parts(bins, 256)) };
    for byte in data.iter().skip(index()).step_by(threads()) {
        bins[usize::from(*byte)].fetch_add(1, Relaxed);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn ticket(next: &AtomicU64, out: *mut u64) {
    let mine = next.fetch_add(1, SeqCst);
    unsafe { *out.add(index()) = mine }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn compare_exchange(best: &AtomicU32, values: *const u32) {
    let value = unsafe { *values.add(index()) };
    let mut old = best.load(Relaxed);
    while value > old {
        match best.compare_exchange_weak(old, value, Relaxed, Relaxed) {
            Ok(_) => break,
            Err(now) => old = now,
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn bodies(all: *const Body, len: usize, force: *mut [f32; 3]) {
    let all = unsafe { slice::from_raw_parts(all, len) };
    let own = all[index()];
    let force_of = |other: &Body| {
        let d = [other.at[0] - own.at[0], other.at[1] - own.at[1], other.at[2] - own.at[2]];
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
        d.map(|one| one * other.mass / square)
    };
    let sum = all.iter().map(force_of).fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    unsafe { *force.add(index()) = sum }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn by_struct(view: View, scale: f32) {
    let i = index();
    if i < view.rows * view.columns {
        unsafe { *view.data.add(i) *= scale }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn struct_in_memory(views: *const View, count: usize) {
    for view in unsafe { slice::from_raw_parts(views, count) } {
        if index() < view.columns {
            unsafe { *view.data.add(index()) = 0.0 }
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn stencil(from: *const f32, to: *mut f32, len: usize) {
    let from = unsafe { slice::from_raw_parts(from, len) };
    if let Some([left, middle, right]) = from.get(index()..index() + 3) {
        unsafe { *to.add(index()) = (left + middle + right) / 3.0 }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sort_of_a_thread(data: *mut u32) {
    let own = unsafe { slice::from_raw_parts_mut(data.add(index() * 16), 16) };
    let mut copy = [0; 16];
    copy.copy_from_slice(own);
    for i in 1..16 {
        let mut j = i;
        while j > 0 && copy[j - 1] > copy[j] {
            copy.swap(j - 1, j);
            j -= 1;
        }
    }
    own.copy_from_slice(&copy);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn table_of_a_thread(data: *mut u32, steps: u32) {
    let mut table = [0_u32; 64];
    let own = unsafe { &mut *data.add(index()) };
    for step in 0..steps {
        table[(*own as usize ^ step as usize) % 64] += step;
    }
    *own = table.iter().fold(0, |a, b| a ^ b);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn binary_search(sorted: *const i64, len: usize, keys: *const i64, found: *mut usize) {
    let sorted = unsafe { slice::from_raw_parts(sorted, len) };
    let at = sorted.binary_search(unsafe { &*keys.add(index()) }).unwrap_or_else(|at| at);
    unsafe { *found.add(index()) = at }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn by_operation(operation: Operation, x: *const f32, y: *mut f32) {
    let (x, y) = unsafe { (*x.add(index()), &mut *y.add(index())) };
    *y = match operation {
        Operation::Add => *y + x,
        Operation::Multiply => *y * x,
        Operation::Maximum => y.max(x),
    };
}

fn twice(x: f32) -> f32 {
    x + x
}

fn square(x: f32) -> f32 {
    x * x
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn by_function(which: u32, x: *mut f32) {
    let functions: [fn(f32) -> f32; 2] = [twice, square];
    unsafe { *x.add(index()) = functions[which as usize % 2](*x.add(index())) }
}

trait Shape {
    fn area(&self) -> f32;
}

impl Shape for f32 {
    fn area(&self) -> f32 {
        self * self
    }
}

impl Shape for (f32, f32) {
    fn area(&self) -> f32 {
        self.0 * self.1
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn by_trait_object(x: *mut f32, square: bool) {
    let own = unsafe { &mut *x.add(index()) };
    let (one, two) = (*own, (*own, 2.0));
    let shape: &dyn Shape = if square { &one } else { &two };
    *own = core::hint::black_box(shape).area();
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn wide_numbers(x: *const u64, y: *mut u128) {
    unsafe { *y.add(index()) = u128::from(*x.add(index())) * u128::from(*x) / 7 }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn random_walk(seed: u64, steps: u32, out: *mut i32) {
    let mut state = seed ^ index() as u64;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state & 1 == 0 { 1 } else { -1 }
    };
    unsafe { *out.add(index()) = (0..steps).map(step).sum() }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn copy_of_bytes(from: *const u8, to: *mut u8, len: usize) {
    unsafe { core::ptr::copy_nonoverlapping(from.add(index() * len), to.add(index() * len), len) }
}

static PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];
static COUNT: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn by_static(x: *mut u32) {
    let own = unsafe { &mut *x.add(index()) };
    *own %= PRIMES[*own as usize % 8];
    COUNT.fetch_add(1, Relaxed);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn with_a_barrier(x: *mut f32) {
    let i = index();
    let next = unsafe { *x.add(i ^ 1) };
    unsafe { _syncthreads() }
    unsafe { *x.add(i) = next }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn utf8(bytes: *const u8, len: usize, valid: *mut u32) {
    let bytes = unsafe { slice::from_raw_parts(bytes.add(index() * len), len) };
    unsafe { *valid.add(index()) = core::str::from_utf8(bytes).is_ok().into() }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn number_of_text(text: *const u8, len: usize, value: *mut i64) {
    let bytes = unsafe { slice::from_raw_parts(text.add(index() * len), len) };
    let number = core::str::from_utf8(bytes).ok().and_then(|text| text.trim().parse().ok());
    unsafe { *value.add(index()) = number.unwrap_or(-1) }
}
