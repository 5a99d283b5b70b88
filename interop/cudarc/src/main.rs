//! The software driver under cudarc, which finds `libcuda` by name at run time.

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

/// `y[i] += a * x[i]` for `i` below `n`.
const SAXPY: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 n) {
    .reg .pred %p;
    .reg .f32 %f<4>;
    .reg .u32 %r<4>;
    .reg .u64 %d<8>;
    ld.param.f32 %f0, [a];
    ld.param.u64 %d0, [x];
    ld.param.u64 %d1, [y];
    ld.param.u64 %d2, [n];
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    cvt.u64.u32 %d3, %r3;
    setp.ge.u64 %p, %d3, %d2;
    @%p ret;
    shl.b64 %d4, %d3, 2;
    add.u64 %d5, %d0, %d4;
    add.u64 %d6, %d1, %d4;
    ld.global.f32 %f1, [%d5];
    ld.global.f32 %f2, [%d6];
    fma.rn.f32 %f3, %f0, %f1, %f2;
    st.global.f32 [%d6], %f3;
    ret;
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = CudaContext::device_count()?;
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let module = context.load_module(Ptx::from_src(SAXPY))?;
    let saxpy = module.load_function("saxpy")?;
    let host: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let x = stream.clone_htod(&host)?;
    let mut y = stream.clone_htod(&vec![1.0f32; host.len()])?;
    let (a, n) = (3.0f32, host.len());
    let mut launch = stream.launch_builder(&saxpy);
    launch.arg(&a).arg(&x).arg(&mut y).arg(&n);
    // SAFETY: the arguments are those of the kernel, which stays within `n` values of both arrays.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n as u32))? };
    let result = stream.clone_dtoh(&y)?;
    let expected: Vec<f32> = host.iter().map(|x| a * x + 1.0).collect();
    assert_eq!(result, expected);
    let zeros = stream.alloc_zeros::<u8>(64)?;
    assert_eq!(stream.clone_dtoh(&zeros)?, [0; 64]);
    context.synchronize()?;
    println!("cudarc: {count} devices, the first is {}", context.name()?);
    Ok(())
}
