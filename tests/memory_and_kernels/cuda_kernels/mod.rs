//! Kernels in CUDA C++, compiled by NVRTC for three architectures (`.ci/kernels`), give the same results
//! on every driver: bit by bit what an H200 gave where IEEE arithmetic decides, and what the host computes.
//!
//! `CUSCOPE_KERNELS` names the folder of the PTX, `target/kernels` is found without it.
//! `CUSCOPE_KERNELS_RECORD=<file>`, on a GPU, writes what `digests.txt` holds, and
//! `CUSCOPE_KERNELS_RESULTS=<folder>` writes all results, to compare those of two drivers.
#![allow(unsafe_code, reason = "launches kernels")]

mod accepted;
mod case;
mod digests;
mod figure;
mod print;
mod run;
mod tables;

use crate::skip;
use case::Case;

/// The architectures that `.ci/kernels` compiles for.
const ARCHITECTURES: [&str; 3] = ["compute_75", "compute_80", "compute_90"];

/// A test for each source: all of its kernels, for all architectures.
macro_rules! sources {
    ($($source:ident)*) => {
        $(
            #[test]
            fn $source() {
                let Some(folder) = run::folder() else {
                    skip!("no PTX: run .ci/kernels and set CUSCOPE_KERNELS to what it prints");
                };
                run::all(&folder, stringify!($source), &tables::$source::cases());
            }
        )*

        const SOURCES: &[(&str, fn() -> Vec<Case>)] =
            &[$((stringify!($source), tables::$source::cases)),*];
    };
}
sources! {
    approximate assembly atomics blas block flow flushed functions grid half hash histogram integer matrix physics
    random reduce rounding scan signal sort spaces stencil warp
}

#[test]
fn every_kernel_has_a_row_and_every_row_a_digest() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/memory_and_kernels/cuda_kernels");
    let mut kernels = 0;
    for (source, cases) in SOURCES {
        let cases = cases();
        let Ok(text) = std::fs::read_to_string(format!("{folder}/{source}.cu")) else {
            skip!("the sources are elsewhere");
        };
        for line in text.lines().filter(|line| line.starts_with("extern \"C\" __global__")) {
            let name = line.split(['(', ' ']).nth(4).unwrap();
            assert!(cases.iter().any(|case| case.name == name), "{source}: {name} has no row");
            kernels += 1;
        }
        for case in &cases {
            for architecture in ARCHITECTURES {
                let recorded = digests::recorded(case.name, architecture).is_some();
                assert_eq!(recorded, case.check.has_digest(), "{source}: {}", case.name);
            }
        }
    }
    assert!(kernels >= 60, "only {kernels} kernels");
}
