//! Kernels that are C++ templates, found by name expression.
//! `cargo run --features nvrtc --example templates`
#![forbid(unsafe_code)]

use cuscope::nvrtc::{self, Compiled, Program};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Element, LaunchConfig, PushedGuard, Result,
    Stream, driver_kind, driver_version,
};

const SOURCE: &str = "
namespace math {
    template <typename T, int N> __global__ void power(unsigned n, const T *x, T *y) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        T product = 1;
        for (int k = 0; k < N; ++k) product *= x[i];
        y[i] = product;
    }
}
";

/// A type of Rust, and its name in C++.
trait Number: Element + PartialEq {
    const NAME: &str;
    fn from_index(index: u32) -> Self;
    fn power(self, n: u32) -> Self;
}

macro_rules! number {
    ($($ty:ident $name:literal $power:expr;)*) => { $(
        impl Number for $ty {
            const NAME: &str = $name;
            fn from_index(index: u32) -> Self {
                (index % 50) as $ty
            }
            fn power(self, n: u32) -> Self {
                (0..n).fold(1 as $ty, |product, _| $power(product, self))
            }
        }
    )* };
}
number! {
    f32 "float" |a, b| a * b;
    f64 "double" |a, b| a * b;
    i32 "int" i32::wrapping_mul;
    u64 "unsigned long long" u64::wrapping_mul;
}

/// The kernel's name in C++, for a type and a power.
fn expression<T: Number>(power: u32) -> String {
    format!("math::power<{}, {power}>", T::NAME)
}

fn check<'ctx, T: Number>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    compiled: &Compiled,
    power: u32,
) -> Result {
    let expression = expression::<T>(power);
    let name = compiled.lowered_name(&expression)?;
    let kernel = gpu.load_guarded(compiled.ptx()?)?.kernel::<(u32, &[T], &mut [T])>(name)?;

    let n = 1000_u32;
    let x: Vec<T> = (0..n).map(T::from_index).collect();
    let mut y = x.clone();
    let mut x_dev = gpu.alloc(x.len())?;
    let mut y_dev = gpu.alloc(y.len())?;
    gpu.on(stream).upload(&x, &mut x_dev)?;
    let config = LaunchConfig::for_num_elems(n as usize)?;
    gpu.on(stream).launch(&kernel, config, (n, &x_dev, &mut y_dev))?;
    gpu.on(stream).download(&y_dev, &mut y)?;

    let wrong = y.iter().zip(&x).filter(|&(&y, &x)| y != x.power(power)).count();
    println!("{expression}: {} as {name}", if wrong == 0 { "right" } else { "WRONG" });
    assert_eq!(wrong, 0, "{wrong} of {n} elements are wrong");
    Ok(())
}

fn main() -> Result {
    let device = Device::get(0)?;
    println!("driver: {} (CUDA {}), {}", driver_kind(), driver_version()?, device.name()?);

    let compiled = Program::new("power.cu", SOURCE)
        .name_expression(expression::<f32>(3))
        .name_expression(expression::<f64>(4))
        .name_expression(expression::<i32>(5))
        .name_expression(expression::<u64>(12))
        .compile(&nvrtc::options_for(device)?)?;

    let context = Context::create(device, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let stream = gpu.stream()?;
    check::<f32>(&gpu, &stream, &compiled, 3)?;
    check::<f64>(&gpu, &stream, &compiled, 4)?;
    check::<i32>(&gpu, &stream, &compiled, 5)?;
    check::<u64>(&gpu, &stream, &compiled, 12)
}
