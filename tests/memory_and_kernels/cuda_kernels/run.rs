//! Runs the kernels of a source, and compares.

use super::case::Case;
use super::{ARCHITECTURES, digests};
use crate::common::gpu::with_stream;
use bytemuck::{Pod, Zeroable};
use cuscope::{DeviceBuffer, Function, Module, PushedGuard, Stream, ffi};
use std::error::Error;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// The folder of the PTX.
pub(crate) fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("CUSCOPE_KERNELS").filter(|folder| !folder.is_empty());
    let folder = named.map(PathBuf::from).or_else(|| {
        // target/<profile>/deps/<this binary>
        let binary = std::env::current_exe().ok()?;
        Some(binary.ancestors().nth(3)?.join("kernels"))
    })?;
    folder.join("done").exists().then_some(folder)
}

/// Runs the kernels of a source for every architecture; panics with all that is wrong.
pub(crate) fn all(folder: &Path, source: &str, cases: &[Case]) {
    let mut problems = Vec::new();
    for architecture in ARCHITECTURES {
        with_stream(|gpu, stream| {
            let path = folder.join(architecture).join(source).with_extension("ptx");
            let module = match gpu.load_ptx_file(&path) {
                Ok(module) => module,
                Err(error) => return problems.push(format!("{architecture}: {error}")),
            };
            for case in cases {
                if let Some(problem) = one(gpu, &stream, &module, architecture, case) {
                    problems.push(format!("{architecture}: {}: {problem}", case.name));
                }
            }
        });
    }
    assert!(problems.is_empty(), "{source}:\n{}", problems.join("\n"));
}

/// Returns the differences in the results of a kernel.
fn one<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    module: &Module<'ctx>,
    architecture: &'static str,
    case: &Case,
) -> Option<String> {
    let input = case.input.words();
    let result = match results(gpu, stream, module, case, &input) {
        Ok(result) => result,
        Err(error) => return Some(error.to_string()),
    };
    if let Some(folder) = std::env::var_os("CUSCOPE_KERNELS_RESULTS") {
        let file = PathBuf::from(folder).join(format!("{}.{architecture}", case.name));
        std::fs::write(file, bytemuck::cast_slice(&result)).unwrap();
    }
    if let Some(problem) = case.check.problem(&input, case.n, &result) {
        return Some(problem);
    }
    if !case.check.has_digest() {
        return None;
    }
    let digest = digests::digest(&result);
    if let Some(path) = digests::record_to() {
        digests::record(&path, case.name, architecture, digest);
        return None;
    }
    let expected = digests::recorded(case.name, architecture);
    (expected != Some(digest)).then(|| {
        format!("the digest is {digest:016x}, an H200 gave {:016x}", expected.unwrap_or(0))
    })
}

fn results<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    module: &Module<'ctx>,
    case: &Case,
    input: &[u32],
) -> Result<Vec<u32>, Box<dyn Error>> {
    let function = module.function(case.name)?;
    let on = gpu.on(stream);
    let input = on.from_slice(input)?;
    let mut out = on.zeroed::<u32>(case.out)?;
    if case.cooperative {
        launch_cooperative(stream, &function, case, &input, &out)?;
    } else if case.with_struct {
        // SAFETY: the kernel has these parameters, and reads and writes what the table says.
        unsafe {
            on.launch_unchecked(&function, case.config, (&input, &mut out, case.n, SETTINGS))
        }?;
    } else {
        // SAFETY: the kernel has these parameters, and reads and writes what the table says.
        unsafe { on.launch_unchecked(&function, case.config, (&input, &mut out, case.n)) }?;
    }
    Ok(on.to_vec(&out)?)
}

/// The struct of `struct_by_value`.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
struct Settings {
    scale: f32,
    mask: u32,
    offsets: [i16; 3],
    tag: u8,
    unused: u8,
    bias: f64,
    steps: [i32; 3],
    unused_too: [u32; 3],
}

const SETTINGS: Settings = Settings {
    scale: 1.75,
    mask: 0x00ff_0ff0,
    offsets: [-3, 1000, 77],
    tag: b'x',
    unused: 0,
    bias: -12.125,
    steps: [5, -6, 70_000],
    unused_too: [0; 3],
};

/// A launch whose blocks all run at once, which this crate does not have.
fn launch_cooperative(
    stream: &Stream<'_>,
    function: &Function<'_>,
    case: &Case,
    input: &DeviceBuffer<'_, u32>,
    out: &DeviceBuffer<'_, u32>,
) -> Result<(), String> {
    let (mut from, mut to, mut n) = (input.address(), out.address(), case.n);
    let mut parameters: [*mut c_void; 3] =
        [(&raw mut from).cast(), (&raw mut to).cast(), (&raw mut n).cast()];
    let (grid, block) = (case.config.grid, case.config.block);
    // SAFETY: the handles are alive, the parameters are those of the kernel, which reads and writes
    // what the table says; the context of all is current.
    let code = unsafe {
        ffi::cuLaunchCooperativeKernel(
            function.raw(),
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            case.config.shared_bytes,
            stream.raw(),
            parameters.as_mut_ptr(),
        )
    };
    if code == ffi::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(format!("cuLaunchCooperativeKernel gave {code:?}"))
    }
}
