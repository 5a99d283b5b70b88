//! A program without `unsafe` uses the GPU from end to end. `cargo run --example safe`
#![forbid(unsafe_code)]

use cuscope::kernel::GuardedKernel;
use cuscope::{
    Context, Device, Error, In, LaunchConfig, OrderedBuffer, OrderedStream, Out, Result,
};

/// Sums that stay on the device.
struct Accumulator {
    stream: OrderedStream,
    saxpy: GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    sum: OrderedBuffer<f32>,
}

impl Accumulator {
    fn new(context: &Context, len: usize) -> Result<Self> {
        let stream = context.ordered_stream()?;
        // Each access to memory is compared with the arguments, on the device.
        let saxpy = context.load_guarded(include_str!("kernels/saxpy.ptx"))?.kernel("saxpy")?;
        let sum = stream.zeroed(len)?;
        Ok(Accumulator { stream, saxpy, sum })
    }

    /// Adds `a` times `x`, which should be as long as the sum.
    fn add(&mut self, a: f32, x: &[f32]) -> Result {
        let config = LaunchConfig::for_num_elems(x.len())?;
        let n = x.len() as u32;
        let x = self.stream.from_slice(x)?;
        self.stream.launch(&self.saxpy, config, (n, a, &x, &mut self.sum))
    }

    fn sum(&self) -> Result<Vec<f32>> {
        self.stream.to_vec(&self.sum)
    }
}

fn main() -> Result {
    let context = Context::primary(Device::get(0)?)?;
    let mut sums = Accumulator::new(&context, 1000)?;
    sums.add(2.0, &[1.0; 1000])?;
    sums.add(0.5, &[3.0; 1000])?;
    assert_eq!(sums.sum()?, [3.5; 1000]);

    // A mistake: one element more than the sum has. The kernel does not write it.
    sums.add(1.0, &[1.0; 1001])?;
    let Err(Error::OutOfBounds(error)) = sums.sum() else {
        panic!("the kernel was to leave its buffer")
    };
    println!("{error}");

    // Everything goes on.
    assert_eq!(sums.sum()?, [4.5; 1000]);
    println!("the sums are right");
    Ok(())
}
