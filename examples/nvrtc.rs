//! CUDA C++ in a string, compiled at run time and checked. `cargo run --features nvrtc --example nvrtc`
#![forbid(unsafe_code)]

use cuscope::nvrtc::{self, Program};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
};

const HEADER: &str = "
template <typename T> __device__ T horner(const T *c, int degree, T x) {
    T sum = c[degree];
    while (degree-- > 0) sum = sum * x + c[degree];
    return sum;
}
";

const SOURCE: &str = r#"
#include "horner.h"

__constant__ double coefficients[DEGREE + 1] = { 1.0, -2.0, 0.5, 3.0 };

extern "C" __global__ void polynomial(unsigned n, const double *x, double *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = horner(coefficients, DEGREE, x[i]);
}
"#;

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);
    println!("NVRTC {}, for {:?}", nvrtc::version()?, nvrtc::supported_archs()?);

    // the same rounding as on the host: no fused multiplication and addition
    let options = nvrtc::options_for(device)?.fmad(false).define("DEGREE", 3);
    let program = Program::new("polynomial.cu", SOURCE).header("horner.h", HEADER);
    let compiled = program.compile(&options)?;
    println!("compiled with {options}");

    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    let module = gpu.load_guarded(compiled.ptx()?)?;
    let polynomial = module.kernel::<(u32, &[f64], &mut [f64])>("polynomial")?;

    let n = 10_000_u32;
    let x: Vec<f64> = (0..n).map(|i| f64::from(i) / 1000.0).collect();
    let mut y = vec![0.0_f64; x.len()];
    let mut x_dev = gpu.alloc(x.len())?;
    let mut y_dev = gpu.alloc(y.len())?;
    gpu.on(&stream).upload(&x, &mut x_dev)?;
    let config = LaunchConfig::for_num_elems(n as usize)?;
    gpu.on(&stream).launch(&polynomial, config, (n, &x_dev, &mut y_dev))?;
    gpu.on(&stream).download(&y_dev, &mut y)?;

    let expected = |x: f64| ((3.0 * x + 0.5) * x - 2.0) * x + 1.0;
    let wrong = y.iter().zip(&x).filter(|&(&y, &x)| y != expected(x)).count();
    println!("polynomial of {n} elements: {}", if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} of {n} elements are wrong");

    // A mistake is an error that shows the line.
    let broken = SOURCE.replace("x[i]);", "x[j]);");
    let broken = Program::new("broken.cu", broken).header("horner.h", HEADER);
    let error = broken.compile(&options).expect_err("there is no `j`");
    println!("\na mistake: {error}");
    Ok(())
}
