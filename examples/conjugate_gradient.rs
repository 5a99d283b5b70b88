//! Solves equations by the method of conjugate gradients in one graph, which stops on the device when the rest is small
//! enough. `cargo run --example conjugate_gradient`
#![allow(
    unsafe_code,
    reason = "trusts the kernel that decides: a guarded one does not set conditions"
)]

use cuscope::kernel::ConditionHandle;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Result, driver_kind, driver_version,
    ffi,
};

/// Unknowns.
const LEN: u32 = 256;
/// The most passes of the loop.
const MOST: u32 = 2 * LEN;

fn main() -> Result {
    let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    println!("{} driver, CUDA {}", driver_kind(), driver_version()?);
    if let Err(needs) = ffi::cuGraphConditionalHandleCreate() {
        println!("skipped: {needs}");
        return Ok(());
    }

    let module = gpu.load_guarded(include_str!("kernels/conjugate_gradient.ptx"))?;
    let multiply = module.kernel::<(u32, &[f32], &mut [f32])>("multiply")?;
    let dot = module.kernel::<(u32, &[f32], &[f32], &mut [f32])>("dot")?;
    let add_part = module.kernel::<(u32, f32, &[f32], &[f32], &[f32], &mut [f32])>("add_part")?;
    let direction = module.kernel::<(u32, &[f32], &[f32], &[f32], &mut [f32])>("direction")?;
    let plain = gpu.load_ptx(include_str!("kernels/conjugate_gradient.ptx"))?;
    let decide =
        plain.kernel::<(f32, u32, &[f32], &mut [f32], &mut [u32], ConditionHandle)>("decide")?;
    // SAFETY: it uses one element of each memory, in the one thread that it is launched with.
    let decide = unsafe {
        decide.trust(|_, (_, _, new, rest, passes, _)| {
            [new.len(), rest.len(), passes.len()].iter().all(|&len| len >= 1)
        })
    };

    let stream = gpu.stream()?;
    // The right-hand side is the rest at first, as the solution begins at zero.
    let b = vec![1.0_f32; LEN as usize];
    let mut x = gpu.on(&stream).zeroed::<f32>(b.len())?;
    let mut r = gpu.on(&stream).from_slice(&b)?;
    let mut p = gpu.on(&stream).from_slice(&b)?;
    let mut rest = gpu.on(&stream).from_slice(&[LEN as f32])?; // of all ones, squared
    let mut passes = gpu.on(&stream).zeroed::<u32>(1)?;
    let enough = 1e-10 * LEN as f32;

    let (all, one) = (LaunchConfig::for_num_elems(LEN as usize)?, LaunchConfig::new(1, 1));
    let (graph, ()) = gpu.build_graph(|g| {
        let (mut x, mut r, mut p) = (g.hold(&mut x), g.hold(&mut r), g.hold(&mut p));
        let (mut rest, mut passes) = (g.hold(&mut rest), g.hold(&mut passes));
        let mut q = g.scratch::<f32>(b.len())?;
        let (mut pq, mut new) = (g.scratch::<f32>(1)?, g.scratch::<f32>(1)?);
        let more = g.condition(1)?;
        g.while_node(&[], more, |more| {
            // The memory that they use orders the nodes: no dependency is named.
            g.fill(&[], &mut pq, 0.0)?;
            g.fill(&[], &mut new, 0.0)?;
            g.kernel(&[], &multiply, all, (LEN, &p, &mut q))?;
            g.kernel(&[], &dot, all, (LEN, &p, &q, &mut pq))?;
            g.kernel(&[], &add_part, all, (LEN, 1.0, &rest, &pq, &p, &mut x))?;
            g.kernel(&[], &add_part, all, (LEN, -1.0, &rest, &pq, &q, &mut r))?;
            g.kernel(&[], &dot, all, (LEN, &r, &r, &mut new))?;
            g.kernel(&[], &direction, all, (LEN, &new, &rest, &r, &mut p))?;
            let args = (enough, MOST, &new, &mut rest, &mut passes, more);
            g.kernel(&[], &decide, one, args).map(drop)
        })
        .map(drop)
    })?;
    gpu.on(&stream).replay(&graph, (&mut x, &mut r, &mut p, &mut rest, &mut passes))?;

    let (x, passes) = (gpu.on(&stream).to_vec(&x)?, gpu.on(&stream).to_vec(&passes)?[0]);
    // The solution for ones is known.
    let exact = |i: usize| ((i + 1) * (b.len() - i)) as f32 / 2.0;
    let error = x.iter().enumerate().map(|(i, x)| (x - exact(i)).abs() / exact(i));
    let worst = error.fold(0.0, f32::max);
    println!("{LEN} equations: {passes} passes in one replay, largest relative error {worst:.1e}");
    assert!(passes < MOST && worst < 1e-3, "solved");
    Ok(())
}
