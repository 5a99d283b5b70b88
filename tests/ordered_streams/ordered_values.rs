//! Ordered values without a lifetime: in one struct, made from a context, and used on any thread without a guard.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{new_context, new_context_on, with_gpu};
use crate::common::kernels::{SAXPY, SPIN};
use crate::common::{fewer, longer};
use crate::{common, fresh, skip};
use cuscope::graph::Graph;
use cuscope::ordered::{OrderedOptions, OrderedPitchedBuffer, PendingVec};
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling, SharedTexture};
use cuscope::{
    Context, ContextStack, Device, Error, Event, In, Kernel, LaunchConfig, OrderedBuffer,
    OrderedStream, Out, Result, SharedBuffer, current_context, ffi,
};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::time::Duration;

const LEN: usize = 64;

/// All that a program keeps: no field has a lifetime.
struct Kept {
    stream: OrderedStream,
    saxpy: Kernel<(u32, f32, In<f32>, Out<f32>)>,
    x: OrderedBuffer<f32>,
    rows: OrderedPitchedBuffer<f32>,
    weights: SharedBuffer<f32>,
    table: SharedTexture,
    step: Graph<'static>,
    done: Event<'static>,
}

impl Kept {
    fn new(context: &Context) -> Result<Kept> {
        let stream = context.ordered_stream()?;
        let saxpy: Kernel<(u32, f32, In<f32>, Out<f32>)> =
            context.load_ptx(SAXPY)?.kernel("saxpy")?;
        let mut x = stream.from_slice(&[1.0; LEN])?;
        let weights = stream.from_slice(&[2.0; LEN])?.share();
        let rows = stream.alloc_pitched((8, 8))?;
        let (step, table) = context.with(|gpu| {
            let mut captured = gpu.stream()?;
            let step =
                gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold_ordered(&mut x), 4.0))?;
            let mut row = gpu.alloc_array(ArrayShape::D1 { width: 2 }, ArrayFlags::empty())?;
            gpu.on(&captured).upload(&[1.0_f32, 2.0], &mut row)?;
            Ok((step.into_static(), gpu.texture(row, Sampling::default())?.share()))
        })?;
        Ok(Kept { stream, saxpy, x, rows, weights, table, step, done: context.event()? })
    }

    fn run(&mut self) -> Result<Vec<f32>> {
        let Kept { stream, saxpy, x, rows, weights, step, done, .. } = self;
        stream.replay(step, &mut *x)?; // 4
        let config = LaunchConfig::new(1, LEN as u32);
        // SAFETY: the kernel uses the first `LEN` elements of `weights` and `x`, and both have as many.
        unsafe { stream.launch_unchecked(saxpy, config, (LEN as u32, 10.0, &*weights, &mut *x)) }?; // 24
        stream.copy(x, rows)?;
        let copy = stream.duplicate(rows)?;
        stream.record(done)?;
        let all = stream.to_vec_later(&copy)?;
        drop(copy);
        done.synchronize()?;
        all.wait()
    }
}

#[test]
fn they_live_in_one_struct_and_need_no_guard() {
    let context = new_context();
    let mut kept = Kept::new(&context).unwrap();
    assert!(current_context().unwrap().is_none(), "nothing stays pushed");
    assert_eq!(kept.run().unwrap(), [24.0; LEN]);
    // On a thread that has no context, and under a guard of another one.
    let mut kept = std::thread::spawn(move || {
        assert_eq!(kept.run().unwrap(), [24.0; LEN]);
        kept
    })
    .join()
    .unwrap();
    let (other, mut stack) = (new_context(), ContextStack::current_thread().unwrap());
    let gpu = stack.push(&other).unwrap();
    assert_eq!(kept.run().unwrap(), [24.0; LEN]);
    assert_eq!(kept.table.context(), &context);
    assert!(kept.stream.stream(&gpu).is_err() && other.is_current().unwrap());
    gpu.pop().unwrap();
    drop(stack);
    // They own their context, which ends with the last of them.
    drop(kept);
    context.try_destroy().expect("nothing else owns it").unwrap();
}

#[test]
fn values_of_another_context_are_refused() {
    let (a, b) = (new_context(), new_context());
    let (mut own, mut other) = (Kept::new(&a).unwrap(), Kept::new(&b).unwrap());
    let refused = |result: Result| {
        let error = result.unwrap_err();
        let other = matches!(error, Error::OtherStream { .. } | Error::OtherContext { .. });
        assert!(other || matches!(error, Error::GraphBuffers { .. }), "{error}");
    };
    let stream = &own.stream;
    let config = LaunchConfig::new(1, LEN as u32);
    let n = LEN as u32;
    refused(stream.copy(&other.weights, &mut own.x));
    refused(stream.fill(&mut other.x, 1.0));
    refused(stream.duplicate(&other.rows).map(drop));
    refused(stream.to_vec_later(&other.x).map(drop));
    refused(stream.record(&other.done));
    refused(stream.replay(&other.step, &mut other.x));
    refused(stream.replay(&other.step, &mut own.x));
    refused(stream.replay(&own.step, &mut other.x));
    // SAFETY: none of them is launched.
    refused(unsafe {
        stream.launch_unchecked(&other.saxpy, config, (n, 1.0, &own.weights, &mut own.x))
    });
    // SAFETY: as above.
    refused(unsafe {
        stream.launch_unchecked(&own.saxpy, config, (n, 1.0, &other.weights, &mut own.x))
    });
    // SAFETY: as above.
    refused(unsafe {
        stream.launch_unchecked(&own.saxpy, config, (n, 1.0, &own.weights, &mut other.x))
    });
    // Under a guard too, where kernels and memory meet branded values.
    a.with(|gpu| {
        let plain = gpu.stream()?;
        let (x, mut y) = (gpu.alloc::<f32>(LEN)?, gpu.alloc::<f32>(LEN)?);
        // SAFETY: as above.
        refused(unsafe {
            gpu.on(&plain).launch_unchecked(&other.saxpy, config, (n, 1.0, &x, &mut y))
        });
        // SAFETY: as above.
        refused(unsafe {
            gpu.on_legacy_default().launch_unchecked(&other.saxpy, config, (n, 1.0, &x, &mut y))
        });
        refused(gpu.scope(|s| {
            let mut y = s.hold(&mut y);
            // SAFETY: as above.
            unsafe { s.on(&plain).launch_unchecked(&other.saxpy, config, (n, 1.0, &x, &mut y)) }
        }));
        refused(gpu.scope(|s| s.hold_ordered(&mut other.x).map(drop)));
        let mut captured = gpu.stream()?;
        let capture =
            gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold_ordered(&mut other.x), 1.0));
        refused(capture.map(drop));
        refused(
            gpu.build_graph(|g| {
                let mut y = g.hold(&mut y);
                // SAFETY: as above.
                unsafe { g.kernel_unchecked(&[], &other.saxpy, config, (n, 1.0, &x, &mut y)) }
                    .map(drop)
            })
            .map(drop),
        );
        Ok(())
    })
    .unwrap();
    assert_eq!(own.run().unwrap(), [24.0; LEN]);
    assert_eq!(other.run().unwrap(), [24.0; LEN]);
}

#[test]
fn copies_go_on_while_a_context_of_another_device_is_current() {
    let [first, second, ..] = Device::all().unwrap()[..] else {
        skip!("there is one device");
    };
    let (context, elsewhere) = (new_context_on(first), new_context_on(second));
    let stream = context.ordered_stream().unwrap();
    let (mut x, mut y) = (stream.zeroed::<u32>(LEN).unwrap(), stream.zeroed::<u32>(LEN).unwrap());
    elsewhere
        .with(|gpu| {
            stream.upload(&[7; LEN], &mut x)?;
            stream.copy(&x, &mut y)?;
            assert_eq!(stream.to_vec(&y)?, [7; LEN]);
            assert_eq!(stream.to_vec_later(&y)?.wait()?, [7; LEN]);
            assert!(gpu.context().is_current()?, "what was current is current again");
            Ok(())
        })
        .unwrap();
    // A refusal for another reason is as before, and changes nothing.
    if common::software() {
        let (result, calls) = record(|| stream.copy(&x, &mut y));
        result.unwrap();
        assert_eq!(calls, ["cuMemcpyDtoDAsync_v2"], "one call where it is current, or none is");
    }
}

/// Only a refusal that another context explains is tried again, under the stream's own.
#[test]
fn a_refused_copy_is_tried_again_only_while_another_context_is_current() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    let (context, other) = (new_context(), new_context());
    let stream = context.ordered_stream().unwrap();
    let (x, mut y) = (stream.zeroed::<u32>(LEN).unwrap(), stream.zeroed::<u32>(LEN).unwrap());
    let mut copies = || {
        [ffi::CUDA_ERROR_INVALID_VALUE, ffi::CUDA_ERROR_OUT_OF_MEMORY].map(|code| {
            let which = Which::Named("cuMemcpyDtoDAsync_v2");
            let fault = Fault { which, code, performed: false };
            let (failed, calls) = with_fault(fault, || stream.copy(&x, &mut y));
            assert_eq!(failed.unwrap_err().code(), Some(code));
            calls.len()
        })
    };
    assert_eq!(copies(), [1, 1], "no context is current");
    assert_eq!(other.with(|_| Ok(copies())), Ok([2, 1]));
    assert_eq!(context.with(|_| Ok(copies())), Ok([1, 1]));
}

#[test]
fn a_download_returns_at_once_and_uses_its_memory_again() {
    with_gpu(|gpu| {
        let stream = gpu.ordered_stream().unwrap();
        let spin = gpu.load_ptx(SPIN).unwrap().function("spin").unwrap();
        let long = longer(Duration::from_millis(20));
        let x = stream.from_slice(&(0..LEN as u32).collect::<Vec<_>>()).unwrap();
        // SAFETY: the kernel is spin(u64), and uses no memory.
        unsafe {
            stream.launch_unchecked(&spin, LaunchConfig::new(1, 1), (long.as_nanos() as u64,))
        }
        .unwrap();
        let mut later = stream.to_vec_later(&x.slice(3..).unwrap()).unwrap();
        if let Some(early) = later.try_get().unwrap() {
            assert!(stream.query().unwrap(), "it was early because the device was done");
            assert_eq!(early.len(), LEN - 3);
        } else {
            assert_eq!(later.wait().unwrap(), (3..LEN as u32).collect::<Vec<_>>());
        }
        // Several at once, dropped and waited for in any order; afterwards none allocates.
        let pending: Vec<PendingVec<u32>> =
            (0..fewer(12, 6)).map(|_| stream.to_vec_later(&x).unwrap()).collect();
        for (number, one) in pending.into_iter().enumerate() {
            if number % 2 == 0 {
                assert_eq!(one.wait().unwrap()[LEN - 1], LEN as u32 - 1);
            }
        }
        if common::software() {
            let (all, calls) = record(|| stream.to_vec_later(&x).unwrap().wait());
            assert_eq!(all.unwrap().len(), LEN);
            assert_eq!(calls, ["cuMemcpyDtoHAsync_v2", "cuEventRecord", "cuEventSynchronize"]);
        }
        let none = stream.alloc::<u32>(0).unwrap();
        assert!(stream.to_vec_later(&none).unwrap().wait().unwrap().is_empty());
    });
}

#[test]
fn downloads_of_many_sizes_keep_four_blocks_at_most() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(downloads_of_many_sizes_keep_four_blocks_at_most, {
        with_gpu(|gpu| {
            let part = fewer(1, 16);
            let options = OrderedOptions::new().staging((1 << 16) / part);
            let stream = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
            let before = cuscope_softdriver::control::live().registrations;
            for len in [1, 5_000, 20_000, 100, 60_000, 300_000, 3, 17_000_usize] {
                let len = len.div_ceil(part);
                let x = stream.zeroed::<u8>(len).unwrap();
                let both = [stream.to_vec_later(&x).unwrap(), stream.to_vec_later(&x).unwrap()];
                for one in both {
                    assert_eq!(one.wait().unwrap(), vec![0; len]);
                }
                let kept = cuscope_softdriver::control::live().registrations - before;
                assert!(kept <= 4, "{kept} after {len}");
            }
            drop(stream);
            assert!(cuscope_softdriver::control::live().registrations < before, "all went with it");
        });
    });
}
