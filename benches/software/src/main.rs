//! What kernels cost on the software driver, beside the same loops in C: `run.sh` compiles both and starts it.
//!
//! Prints for each kernel the user time of the process for C and for the software driver, and the elapsed time; the
//! best of some rounds, in which both take turns. The cores are those that the process may run on.
#![allow(unsafe_code, reason = "calls the driver, and functions of a library in C")]

use std::env;
use std::ffi::{CString, c_void};
use std::mem::zeroed;
use std::ptr::null_mut;
use std::time::Instant;

use cuscope_softdriver::*;
use cuscope_sys::{CUdeviceptr, CUmodule};

/// The kernels that `kernels.cu` has.
const KERNELS: &str = include_str!("../kernels.ptx");

/// Calls a function of the driver, which must succeed.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the arguments are handles that the driver gave, and pointers to locals of the types that it asks for.
        assert_eq!(unsafe { $name($($argument),*) }.0, 0, stringify!($name))
    };
}

/// The times of one way to do it, in seconds: the least of each.
#[derive(Clone, Copy)]
struct Times {
    user: f64,
    elapsed: f64,
}

impl Times {
    const NONE: Self = Self { user: f64::INFINITY, elapsed: f64::INFINITY };

    /// Does it once more.
    fn take(&mut self, f: impl FnOnce()) {
        let (user, start) = (user_time(), Instant::now());
        f();
        self.elapsed = self.elapsed.min(start.elapsed().as_secs_f64());
        self.user = self.user.min(user_time() - user);
    }
}

/// The seconds that this process has computed.
fn user_time() -> f64 {
    // SAFETY: a plain structure of integers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { zeroed() };
    // SAFETY: the pointer leads to the structure that is asked for.
    let answer = unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    assert_eq!(answer, 0);
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 * 1e-6
}

/// The library of the loops in C.
struct Loops(*mut c_void);

impl Loops {
    fn open(path: &str) -> Self {
        let path = CString::new(path).expect("a path");
        // SAFETY: a library that only defines functions.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "{path:?} cannot be opened");
        Self(handle)
    }

    fn find(&self, name: &str) -> *mut c_void {
        let symbol = CString::new(name).expect("a name");
        // SAFETY: the handle of an open library and a name.
        let found = unsafe { libc::dlsym(self.0, symbol.as_ptr()) };
        assert!(!found.is_null(), "{name} is missing");
        found
    }

    /// A function of a number of elements, and what it reads, reads or writes, and writes.
    fn call(&self, name: &str, n: u32, arrays: &mut [Vec<f32>]) {
        type Two = unsafe extern "C" fn(u32, *const f32, *mut f32);
        type Three = unsafe extern "C" fn(u32, *const f32, *const f32, *mut f32);
        type Saxpy = unsafe extern "C" fn(u32, f32, *const f32, *mut f32);
        let f = self.find(name);
        match arrays {
            [x, y] if name == "saxpy" => {
                // SAFETY: its type in baseline.c.
                let f: Saxpy = unsafe { std::mem::transmute(f) };
                // SAFETY: both arrays have n elements.
                unsafe { f(n, FACTOR, x.as_ptr(), y.as_mut_ptr()) }
            }
            [from, to] => {
                // SAFETY: its type in baseline.c.
                let f: Two = unsafe { std::mem::transmute(f) };
                // SAFETY: the arrays have what n elements take.
                unsafe { f(n, from.as_ptr(), to.as_mut_ptr()) }
            }
            [a, b, c] => {
                // SAFETY: its type in baseline.c.
                let f: Three = unsafe { std::mem::transmute(f) };
                // SAFETY: the arrays have n times n elements.
                unsafe { f(n, a.as_ptr(), b.as_ptr(), c.as_mut_ptr()) }
            }
            _ => unreachable!("two or three arrays"),
        }
    }
}

/// What saxpy multiplies with.
const FACTOR: f32 = 0.5;

/// A kernel with its sizes.
struct Case {
    name: &'static str,
    n: u32,
    grid: [u32; 2],
    block: [u32; 2],
    /// The elements of each array, the last of which is written.
    arrays: &'static [usize],
    /// How far a result may be from that in C, relative to it; 0: its bits are the same.
    near: f32,
}

const CASES: &[Case] = &[
    Case {
        name: "saxpy",
        n: 1 << 24,
        grid: [1 << 16, 1],
        block: [256, 1],
        arrays: &[1 << 24, 1 << 24],
        near: 0.0,
    },
    Case {
        name: "matmul",
        n: 512,
        grid: [32, 32],
        block: [16, 16],
        arrays: &[1 << 18, 1 << 18, 1 << 18],
        near: 0.0,
    },
    Case {
        name: "tiled",
        n: 512,
        grid: [32, 32],
        block: [16, 16],
        arrays: &[1 << 18, 1 << 18, 1 << 18],
        near: 0.0,
    },
    Case {
        name: "bodies",
        n: 4096,
        grid: [16, 1],
        block: [256, 1],
        arrays: &[1 << 14, 1 << 14],
        near: 1e-3,
    },
    Case {
        name: "reduce",
        n: 1 << 24,
        grid: [256, 1],
        block: [256, 1],
        arrays: &[1 << 24, 256],
        near: 0.02,
    },
];

/// Values between 0 and 1 that look random.
fn values(count: usize, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..count).map(|_| next()).collect()
}

fn measure(case: &Case, module: CUmodule, loops: &Loops, rounds: usize) {
    let seeds = 1u32..;
    let start: Vec<Vec<f32>> =
        case.arrays.iter().zip(seeds).map(|(&count, seed)| values(count, seed)).collect();
    let (mut by_c, mut on_driver) = (Times::NONE, Times::NONE);
    let mut function = null_mut();
    let name = CString::new(case.name).expect("a name");
    call!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
    let mut pointers: Vec<CUdeviceptr> = Vec::new();
    for array in &start {
        let mut pointer = 0;
        call!(cuMemAlloc_v2(&raw mut pointer, size_of_val(&array[..])));
        pointers.push(pointer);
    }
    let (mut expected, mut found) = (start.clone(), start.clone());
    for round in 0..rounds {
        for ((expected, start), &pointer) in expected.iter_mut().zip(&start).zip(&pointers) {
            expected.copy_from_slice(start);
            call!(cuMemcpyHtoD_v2(pointer, start.as_ptr().cast(), size_of_val(&start[..])));
        }
        by_c.take(|| loops.call(case.name, case.n, &mut expected));
        let (mut n, mut factor) = (case.n, FACTOR);
        let mut params: Vec<*mut c_void> = vec![(&raw mut n).cast()];
        if case.name == "saxpy" {
            params.push((&raw mut factor).cast());
        }
        params.extend(pointers.iter_mut().map(|pointer| std::ptr::from_mut(pointer).cast()));
        on_driver.take(|| {
            let ([x, y], [tx, ty]) = (case.grid, case.block);
            let (stream, params) = (null_mut(), params.as_mut_ptr());
            call!(cuLaunchKernel(function, x, y, 1, tx, ty, 1, 0, stream, params, null_mut()));
            call!(cuCtxSynchronize());
        });
        if round > 0 {
            continue;
        }
        let (expected, found) = (expected.last_mut(), found.last_mut());
        let (Some(expected), Some(found)) = (expected, found) else { unreachable!("arrays") };
        let from = pointers[pointers.len() - 1];
        call!(cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), from, size_of_val(&found[..])));
        if case.name == "reduce" {
            found[0] = found.iter().sum();
            found.truncate(1);
        }
        for (at, (found, expected)) in found.iter().zip(&*expected).enumerate() {
            let same = found.to_bits() == expected.to_bits();
            let near = (found - expected).abs() <= case.near * expected.abs().max(1.0);
            assert!(same || near, "{} at {at}: {found} rather than {expected}", case.name);
        }
    }
    for pointer in pointers {
        call!(cuMemFree_v2(pointer));
    }
    println!(
        "{} {:.4} {:.4} {:.4} {:.4}",
        case.name, by_c.user, on_driver.user, by_c.elapsed, on_driver.elapsed
    );
}

fn main() {
    let mut arguments = env::args().skip(1);
    let (Some(library), Some(rounds)) = (arguments.next(), arguments.next()) else {
        panic!("usage: cuscope-software-times LOOPS.so ROUNDS [KERNEL]");
    };
    let rounds = rounds.parse().expect("a number of rounds");
    let only = arguments.next();
    let loops = Loops::open(&library);
    call!(cuInit(0));
    let mut context = null_mut();
    call!(cuCtxCreate_v2(&raw mut context, 0, 0));
    let text = CString::new(KERNELS).expect("text");
    let mut module = null_mut();
    call!(cuModuleLoadData(&raw mut module, text.as_ptr().cast()));
    for case in CASES.iter().filter(|case| only.as_deref().is_none_or(|only| only == case.name)) {
        measure(case, module, &loops, rounds);
    }
    call!(cuCtxDestroy_v2(context));
}
