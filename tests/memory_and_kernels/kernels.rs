//! Kernels that NVRTC 13 compiled give the same results on every driver: compared with the host,
//! and bit by bit with what an H200 computed.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{downloaded, kernel, uploaded, with_stream};
use cuscope::{Element, LaunchConfig};

macro_rules! ptx {
    ($name:literal) => {
        include_str!(concat!("../../softdriver/tests/kernels/", $name, ".ptx"))
    };
}

#[test]
fn saxpy() {
    with_stream(|gpu, stream| {
        let stream = &stream;
        let n = 10_000_u32;
        let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.25).collect();
        let y: Vec<f32> = (0..n).map(|i| 1.0 - i as f32).collect();
        let (x_dev, mut y_dev) = (uploaded(gpu, stream, &x), uploaded(gpu, stream, &y));
        let saxpy = kernel(gpu, ptx!("saxpy"), "saxpy");
        let config = LaunchConfig::for_num_elems(n as usize).unwrap();
        // SAFETY: saxpy(unsigned n, float a, const float *x, float *y) over n elements.
        unsafe {
            gpu.on(stream).launch_unchecked(&saxpy, config, (n, 3.0_f32, &x_dev, &mut y_dev))
        }
        .unwrap();
        let result = downloaded(gpu, stream, &y_dev);
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 3.0_f32.mul_add(*x, *y)).collect();
        assert_eq!(result, expected);
    });
}

#[test]
fn a_grid_stride_sum_in_shared_memory_with_barriers_and_an_atomic_add() {
    with_stream(|gpu, stream| {
        let stream = &stream;
        let n = 100_000_u32;
        // Small integers: every order of the additions gives the same sum.
        let x: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let x_dev = uploaded(gpu, stream, &x);
        let mut sum = uploaded(gpu, stream, &[0.0_f32]);
        let reduce = kernel(gpu, ptx!("reduce"), "reduce");
        // SAFETY: reduce(unsigned n, const float *x, float *out) in blocks of 256, over n elements.
        unsafe {
            gpu.on(stream).launch_unchecked(
                &reduce,
                LaunchConfig::new(20, 256),
                (n, &x_dev, &mut sum),
            )
        }
        .unwrap();
        assert_eq!(downloaded(gpu, stream, &sum), [x.iter().sum::<f32>()]);
    });
}

#[test]
fn a_tiled_matrix_product() {
    with_stream(|gpu, stream| {
        let stream = &stream;
        let n = 50_u32; // not a multiple of the tile
        let at = |i: u32, j: u32| (i * n + j) as usize;
        let a: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32 - 2.0).collect();
        let b: Vec<f32> = (0..n * n).map(|i| (i % 3) as f32).collect();
        let (a_dev, b_dev) = (uploaded(gpu, stream, &a), uploaded(gpu, stream, &b));
        let mut c_dev = gpu.alloc::<f32>(a.len()).unwrap();
        let matmul = kernel(gpu, ptx!("matmul"), "matmul");
        let config = LaunchConfig::new((n.div_ceil(16), n.div_ceil(16)), (16, 16));
        // SAFETY: matmul(unsigned n, const float *a, const float *b, float *c) in blocks of 16 x 16,
        // over n x n elements each.
        unsafe {
            gpu.on(stream).launch_unchecked(&matmul, config, (n, &a_dev, &b_dev, &mut c_dev))
        }
        .unwrap();
        let c = downloaded(gpu, stream, &c_dev);
        for i in 0..n {
            for j in 0..n {
                let expected: f32 = (0..n).map(|k| a[at(i, k)] * b[at(k, j)]).sum();
                assert_eq!(c[at(i, j)], expected, "element {i}, {j}");
            }
        }
    });
}

#[test]
fn a_warp_sum_by_shuffles() {
    with_stream(|gpu, stream| {
        let stream = &stream;
        let n = 1000_u32;
        let x: Vec<u32> = (0..n).map(|i| i * i).collect();
        let x_dev = uploaded(gpu, stream, &x);
        let mut sums = gpu.alloc::<u32>(32).unwrap();
        let warp_sum = kernel(gpu, ptx!("warp_sum"), "warp_sum");
        // SAFETY: warp_sum(unsigned n, const unsigned *x, unsigned *out): one result for each of the
        // 32 warps of the grid.
        unsafe {
            gpu.on(stream).launch_unchecked(
                &warp_sum,
                LaunchConfig::new(4, 256),
                (n, &x_dev, &mut sums),
            )
        }
        .unwrap();
        let expected: Vec<u32> = x.chunks(32).map(|warp| warp.iter().sum()).collect();
        assert_eq!(downloaded(gpu, stream, &sums), expected);
    });
}

/// FNV-1a over the bytes.
fn digest<T: Element>(values: &[T]) -> u64 {
    bytemuck::cast_slice::<T, u8>(values)
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Reproducible numbers of every magnitude.
fn noise(n: u32) -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..n).map(move |i| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> (i % 64)
    })
}

const N: u32 = 512;

/// Runs a kernel `(unsigned n, const T *a, const T *b, T *out)` that writes `rows` rows of results.
fn arithmetic<T: Element>(name: &str, rows: u32, value: impl Fn(u64) -> T) -> u64 {
    let mut result = 0;
    with_stream(|gpu, stream| {
        let stream = &stream;
        let a: Vec<T> = noise(N).map(&value).collect();
        let b: Vec<T> = noise(N + 77).skip(77).map(&value).collect();
        let (a_dev, b_dev) = (uploaded(gpu, stream, &a), uploaded(gpu, stream, &b));
        let mut out = gpu.alloc::<T>((N * rows) as usize).unwrap();
        gpu.on(stream).zero(&mut out).unwrap();
        let function = kernel(gpu, ptx!("arith"), name);
        let config = LaunchConfig::for_num_elems(N as usize).unwrap();
        // SAFETY: the kernel has these parameters, and writes `rows` rows of N elements of `out`.
        unsafe {
            gpu.on(stream).launch_unchecked(&function, config, (N, &a_dev, &b_dev, &mut out))
        }
        .unwrap();
        result = digest(&downloaded(gpu, stream, &out));
    });
    result
}

#[test]
fn arithmetic_of_32_bit_integers() {
    assert_eq!(arithmetic("arith_i32", 29, |v| v as i32), GOLDEN_I32);
}

#[test]
fn arithmetic_of_64_bit_integers() {
    assert_eq!(arithmetic("arith_i64", 23, |v| v as i64), GOLDEN_I64);
}

#[test]
fn arithmetic_of_f32() {
    assert_eq!(arithmetic("arith_f32", 24, |v| v as i32 as f32 / 1024.0), GOLDEN_F32);
}

#[test]
fn arithmetic_of_f64() {
    assert_eq!(arithmetic("arith_f64", 18, |v| v as i32 as f64 / 65_536.0), GOLDEN_F64);
}

#[test]
fn branches_that_diverge() {
    with_stream(|gpu, stream| {
        let stream = &stream;
        let x: Vec<i32> = noise(N).map(|v| v as i32 % 1000).collect();
        let x_dev = uploaded(gpu, stream, &x);
        let mut out = gpu.alloc::<i32>(x.len()).unwrap();
        let branches = kernel(gpu, ptx!("branches"), "branches");
        let config = LaunchConfig::for_num_elems(N as usize).unwrap();
        // SAFETY: branches(unsigned n, const int *x, int *out) over n elements.
        unsafe { gpu.on(stream).launch_unchecked(&branches, config, (N, &x_dev, &mut out)) }
            .unwrap();
        assert_eq!(digest(&downloaded(gpu, stream, &out)), GOLDEN_BRANCHES);
    });
}

#[test]
fn operations_of_a_whole_warp() {
    with_stream(|gpu, stream| {
        let stream = &stream;
        let x: Vec<u32> = noise(32).map(|v| v as u32 % 1200).collect();
        let x_dev = uploaded(gpu, stream, &x);
        let mut out = gpu.alloc::<u32>(9 * 32).unwrap();
        gpu.on(stream).zero(&mut out).unwrap();
        let warp_ops = kernel(gpu, ptx!("warp_sum"), "warp_ops");
        // SAFETY: warp_ops(const unsigned *x, unsigned *out): one warp, 9 rows of 32 results.
        unsafe {
            gpu.on(stream).launch_unchecked(&warp_ops, LaunchConfig::new(1, 32), (&x_dev, &mut out))
        }
        .unwrap();
        let mut rows = downloaded(gpu, stream, &out);
        // How the two sides of the branch meet is the scheduler's affair: `__activemask` may differ.
        rows.truncate(8 * 32);
        assert_eq!(digest(&rows), GOLDEN_WARP);
    });
}

// Computed by an NVIDIA H200, driver 580.159.04.
const GOLDEN_I32: u64 = 12_792_849_980_585_276_915;
const GOLDEN_I64: u64 = 2_496_713_794_623_301_467;
const GOLDEN_F32: u64 = 8_303_603_489_292_749_065;
const GOLDEN_F64: u64 = 3_612_748_653_513_746_428;
const GOLDEN_BRANCHES: u64 = 1_252_031_075_678_264_504;
const GOLDEN_WARP: u64 = 16_902_403_974_804_440_855;
