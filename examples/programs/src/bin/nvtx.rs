//! Ranges of NVTX, which Nsight Systems shows above the driver's calls: those of the program, and one for each context
//! that it pushes. cuscope's feature `tracing` makes the spans, and the layer of NVIDIA's crate `nvtx` the ranges.
//! `cargo run -p cuscope-examples --features nvtx --bin nvtx`
//!
//! The crate needs libclang to build, and the headers of a C compiler. Where the system has no libclang, PyPI does, but
//! without these headers:
//!
//! ```sh
//! pip install --target target/libclang libclang
//! export LIBCLANG_PATH=$PWD/target/libclang/clang/native
//! export BINDGEN_EXTRA_CLANG_ARGS="-I$(cc -print-file-name=include)"
//! cargo build -p cuscope-examples --features nvtx --bin nvtx
//! nsys profile --trace=cuda,nvtx target/debug/nvtx
//! ```

use cuscope::{Context, ContextFlags, ContextStack, Device, Result, driver_kind};
use nvtx::tracing::NvtxLayer;
use tracing::info_span;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

fn main() -> Result {
    tracing_subscriber::registry().with(NvtxLayer::default()).init();
    println!("{} driver", driver_kind());

    // The target of a span is the domain of its range. Colour, category and payload are fields.
    let whole = info_span!(target: "example", "whole", color = "green").entered();
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?; // begins the range `context` in the domain `cuscope`
    let stream = gpu.stream()?;
    let mut x = gpu.alloc::<u32>(1 << 20)?;
    for value in 0..3_u32 {
        // Waits, so the range is as long as the fill.
        let fill = || gpu.on(&stream).fill(&mut x, value);
        info_span!(target: "example", "fill", color = "orange", payload = value).in_scope(fill)?;
    }
    assert!(gpu.on(&stream).to_vec(&x)?.iter().all(|&value| value == 2));
    gpu.pop()?; // ends the range
    drop(whole);
    Ok(())
}
