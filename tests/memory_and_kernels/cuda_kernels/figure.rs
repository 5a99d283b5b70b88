//! How fast the software driver runs a kernel.

use crate::common::gpu::{kernel, with_stream};
use crate::common::system::processor_time;
use crate::{common, fresh, skip};
use cuscope::LaunchConfig;
use std::time::{Duration, Instant};

/// A second of a processor, whatever else the machine does.
#[test]
fn saxpy_of_a_million_elements_takes_less_than_a_second() {
    if std::env::var_os("CUSCOPE_TEST_RUNNER").is_some() {
        skip!("measures a processor, which is emulated here");
    }
    if !common::software() {
        skip!("the figure of the software driver");
    }
    fresh!(saxpy_of_a_million_elements_takes_less_than_a_second, { measure() });
}

fn measure() {
    const N: u32 = 1_000_000;
    const LAUNCHES: u32 = 5;
    const PTX: &str = include_str!("../../../softdriver/tests/kernels/saxpy.ptx");
    with_stream(|gpu, stream| {
        let on = gpu.on(&stream);
        let saxpy = kernel(gpu, PTX, "saxpy");
        let x = on.from_slice(&vec![2.0_f32; N as usize]).unwrap();
        let mut y = on.from_slice(&vec![1.0_f32; N as usize]).unwrap();
        let config = LaunchConfig::for_num_elems(N as usize).unwrap();
        // The best of a few: other programs run at the same time.
        let (mut best, mut least) = (Duration::MAX, Duration::MAX);
        for _ in 0..LAUNCHES {
            let (start, before) = (Instant::now(), processor_time());
            // SAFETY: saxpy(unsigned n, float a, const float *x, float *y) over n elements.
            unsafe { on.launch_unchecked(&saxpy, config, (N, 3.0_f32, &x, &mut y)) }.unwrap();
            stream.synchronize().unwrap();
            best = best.min(start.elapsed());
            least = least.min(processor_time() - before);
        }
        let expected = 1.0 + 6.0 * LAUNCHES as f32;
        assert!(on.to_vec(&y).unwrap().iter().all(|&y| y == expected));
        // Every thread but the last few runs every instruction once.
        let instructions = PTX.lines().filter(|line| is_instruction(line)).count() as f64;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let rate = instructions * f64::from(N) / best.as_secs_f64() / 1e6;
        println!(
            "saxpy of {N} elements: {best:?}, {rate:.0} million instructions a second, {:.0} for each of \
             {cores} cores",
            rate / cores as f64
        );
        assert!(least < Duration::from_secs(1), "saxpy took {least:?} of a processor");
    });
}

fn is_instruction(line: &str) -> bool {
    let line = line.trim();
    line.ends_with(';') && !line.starts_with('.') && !line.starts_with("//")
}
