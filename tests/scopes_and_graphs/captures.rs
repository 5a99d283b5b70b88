//! Foreign code captures a stream, on this thread or another one, while the crate waits and drops: the
//! waits wait, the drops free, and the capture is not spoiled (F100, F101, F141).
#![allow(unsafe_code, reason = "plays foreign code that captures a stream")]

use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::{SPIN, STORE};
use crate::{aborts, fresh, skip_under_miri};
use cuscope::{
    ContextStack, Error, Function, LaunchConfig, PushedGuard, Result, ScopedStream, Stream, ffi,
};
use std::sync::mpsc;
use std::thread;

fn begin(stream: &Stream<'_>, mode: ffi::CUstreamCaptureMode) {
    // SAFETY: the stream is alive, and ends its capture in `end`.
    assert_eq!(unsafe { ffi::cuStreamBeginCapture_v2(stream.raw(), mode) }, ffi::CUDA_SUCCESS);
}

/// Ends the capture; whether it was not spoiled.
fn end(stream: &Stream<'_>) -> bool {
    let mut graph = std::ptr::null_mut();
    // SAFETY: the stream is alive; writes one handle to `graph`.
    let code = unsafe { ffi::cuStreamEndCapture(stream.raw(), &raw mut graph) };
    if !graph.is_null() {
        // SAFETY: made above, and not used again.
        assert_eq!(unsafe { ffi::cuGraphDestroy(graph) }, ffi::CUDA_SUCCESS);
    }
    code == ffi::CUDA_SUCCESS
}

/// Uses of this crate by a program, with a kernel that takes a while, and everything dropped.
fn work(gpu: &PushedGuard<'_>) -> Result {
    let stream = gpu.stream()?;
    let module = gpu.load_ptx(STORE)?;
    let (store, spin) = (module.function("store")?, gpu.load_ptx(SPIN)?.function("spin")?);
    let mut buffer = gpu.alloc::<u32>(4)?;
    let dropped = gpu.alloc::<u32>(1 << 20)?;
    RUNNING.with(|running| running.send(()).unwrap());
    let on = gpu.on(&stream);
    let one = LaunchConfig::new(1, 1);
    for value in 0..3 {
        // SAFETY: the kernels are spin(u64) and store(u32 *, u32); the launch that follows in the same
        // stream waits, and `spin` uses no memory.
        unsafe { on.launch_unscoped(&spin, one, (20_000_000_u64,)) }?;
        // SAFETY: as above; it writes one element.
        unsafe { on.launch_unchecked(&store, one, (&mut buffer, value)) }?;
        let mut host = [9; 4];
        on.download(&buffer, &mut host)?;
        assert_eq!(host[0], value, "the wait did not wait");
    }
    stream.synchronize()?;
    drop((dropped, buffer, module, store, spin));
    Ok(())
}

thread_local! {
    /// Told once all is allocated: that alone would be refused under a capture.
    static RUNNING: Running = const { Running(std::cell::RefCell::new(None)) };
}

struct Running(std::cell::RefCell<Option<(mpsc::Sender<()>, mpsc::Receiver<()>)>>);

impl Running {
    /// Says that the work begins, and waits for the capture to have begun.
    fn send(&self, (): ()) -> Result<(), mpsc::RecvError> {
        match &*self.0.borrow() {
            Some((allocated, begun)) => {
                allocated.send(()).unwrap();
                begun.recv()
            }
            None => Ok(()),
        }
    }
}

/// Returns how much memory and how many modules are alive, where that is counted.
fn alive() -> (usize, usize) {
    let live = cuscope_softdriver::control::live();
    (live.allocations, live.modules)
}

/// A1 and A12: a library captures in global mode on another thread.
#[test]
fn global_capture_elsewhere() {
    fresh!(global_capture_elsewhere, {
        let (own, foreign) = (new_context(), new_context());
        let (allocated, wait_for_allocation) = mpsc::channel();
        let (begun, wait_for_capture) = mpsc::channel();
        let before = alive();
        let worker = thread::spawn(move || {
            RUNNING.with(|r| *r.0.borrow_mut() = Some((allocated, wait_for_capture)));
            let mut stack = ContextStack::current_thread()?;
            let gpu = stack.push(&own)?;
            work(&gpu)?;
            gpu.pop()
        });
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&foreign).unwrap();
        let stream = gpu.stream().unwrap();
        wait_for_allocation.recv().unwrap();
        begin(&stream, ffi::CU_STREAM_CAPTURE_MODE_GLOBAL);
        begun.send(()).unwrap();
        worker.join().unwrap().unwrap();
        assert_eq!(alive(), before, "what was dropped under the capture is freed");
        assert!(end(&stream), "the capture was spoiled");
    });
}

fn spin_for_20_ms<'ctx>(stream: ScopedStream<'_, 'ctx>, spin: &Function<'ctx>) -> Result {
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { stream.launch_unchecked(spin, LaunchConfig::new(1, 1), (20_000_000_u64,)) }
}

/// A1: a scope under a capture of the same thread, in the modes that make a plain wait return at once.
#[test]
fn scope_inside_capture() {
    fresh!(scope_inside_capture, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let spin = kernel(&gpu, SPIN, "spin");
        let (captured, first, second) =
            (gpu.stream().unwrap(), gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut buffer = gpu.alloc::<u32>(64).unwrap();
        for mode in [
            ffi::CU_STREAM_CAPTURE_MODE_GLOBAL,
            ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            ffi::CU_STREAM_CAPTURE_MODE_RELAXED,
        ] {
            let (mut host, mut staged) = ([0; 64], [0; 64]);
            begin(&captured, mode);
            gpu.scope(|s| {
                let (first, second) = (s.on(&first), s.on(&second));
                let (mut held, mut staged) = (s.hold(&mut buffer), s.stage(&mut staged));
                spin_for_20_ms(first, &spin)?;
                first.fill(&mut held, 5)?;
                second.download_staged(&held, &mut staged)?;
                assert_eq!(staged.access()?[63], 5, "{mode:?}: `access` did not wait");
                spin_for_20_ms(second, &spin)?;
                second.fill(&mut held, 6)?;
                first.download(&held, &mut host)
            })
            .unwrap();
            assert_eq!(host, [6; 64], "{mode:?}: the scope did not wait");
            assert!(end(&captured), "{mode:?}: the capture was spoiled");
        }
    });
}

/// F103: foreign code captures a stream of a scope: its memory cannot be given back.
#[test]
fn a_scope_that_cannot_wait_aborts() {
    skip_under_miri!("it looks at a process that aborts");
    aborts!(a_scope_that_cannot_wait_aborts, ["cuStreamSynchronize", "without waiting"], {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut buffer = gpu.alloc::<u32>(64).unwrap();
        begin(&stream, ffi::CU_STREAM_CAPTURE_MODE_RELAXED);
        let _ = gpu.scope(|s| {
            let _other = s.on(&other);
            s.on(&stream).fill(&mut s.hold(&mut buffer), 7)
        });
        panic!("the scope returned");
    });
}

/// A12: the same thread captures, in the modes that forbid frees to it.
#[test]
fn drop_inside_capture() {
    fresh!(drop_inside_capture, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let captured = gpu.stream().unwrap();
        for mode in [
            ffi::CU_STREAM_CAPTURE_MODE_GLOBAL,
            ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            ffi::CU_STREAM_CAPTURE_MODE_RELAXED,
        ] {
            let before = alive();
            let (stream, event) = (gpu.stream().unwrap(), gpu.event().unwrap());
            let mut buffer = gpu.alloc::<u32>(64).unwrap();
            let module = gpu.load_ptx(STORE).unwrap();
            begin(&captured, mode);
            gpu.on(&stream).fill(&mut buffer, 7).unwrap();
            gpu.on(&stream).record(&event).unwrap();
            event.synchronize().unwrap();
            drop((buffer, module, event, stream));
            assert_eq!(alive(), before, "{mode:?}");
            assert!(end(&captured), "{mode:?}: the capture was spoiled");
        }
    });
}

/// A12: the same thread captures, in the modes that forbid allocation to it.
#[test]
fn allocation_inside_a_capture() {
    fresh!(allocation_inside_a_capture, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (captured, stream) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        for mode in [
            ffi::CU_STREAM_CAPTURE_MODE_GLOBAL,
            ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            ffi::CU_STREAM_CAPTURE_MODE_RELAXED,
        ] {
            begin(&captured, mode);
            drop((gpu.alloc::<u8>(64).unwrap(), gpu.pinned::<u8>(64).unwrap()));
            drop(gpu.on(&stream).alloc::<u8>(64).unwrap());
            assert!(stream.query().is_ok());
            assert!(end(&captured), "{mode:?}: the capture was spoiled");
        }
    });
}

/// The calling thread's mode of capture, which becomes this one.
fn exchange(mut mode: ffi::CUstreamCaptureMode) -> ffi::CUstreamCaptureMode {
    // SAFETY: swaps `mode`, a valid one, with the calling thread's.
    let code = unsafe { ffi::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
    assert_eq!(code, ffi::CUDA_SUCCESS);
    mode
}

/// Foreign code lifts its own bans no more: all is released and waited for, at the price of its capture.
#[test]
fn a_mode_that_foreign_code_set_costs_its_capture_and_nothing_of_ours() {
    fresh!(a_mode_that_foreign_code_set_costs_its_capture_and_nothing_of_ours, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let captured = gpu.stream().unwrap();
        let before = alive();
        let spin = kernel(&gpu, SPIN, "spin");
        let mut buffer = gpu.alloc::<u32>(64).unwrap();
        let stream = gpu.stream().unwrap();
        let mode = exchange(ffi::CU_STREAM_CAPTURE_MODE_GLOBAL);
        assert_eq!(mode, ffi::CU_STREAM_CAPTURE_MODE_RELAXED);
        begin(&captured, ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        let mut host = [0; 64];
        gpu.scope(|s| {
            let (stream, mut held) = (s.on(&stream), s.hold(&mut buffer));
            spin_for_20_ms(stream, &spin)?;
            stream.fill(&mut held, 3)?;
            stream.download(&held, &mut host)
        })
        .unwrap();
        assert_eq!(host, [3; 64], "the scope did not wait");
        drop((spin, buffer));
        assert_eq!(alive(), before);
        assert!(!end(&captured));
        assert_eq!(exchange(mode), ffi::CU_STREAM_CAPTURE_MODE_GLOBAL, "is as it was set");
    });
}

/// A capture of this crate forbids nothing to the thread, whatever its mode.
#[test]
fn a_capture_of_this_crate_lets_the_thread_allocate_in_every_mode() {
    fresh!(a_capture_of_this_crate_lets_the_thread_allocate_in_every_mode, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let mut captured = gpu.stream().unwrap();
        for mode in [ffi::CU_STREAM_CAPTURE_MODE_GLOBAL, ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL] {
            let graph = gpu.capture(&mut captured, |_| {
                let (before, mut memory) = (exchange(mode), 0);
                // SAFETY: writes one address to `memory`.
                let code = unsafe { ffi::cuMemAlloc_v2(&raw mut memory, 4) };
                assert_eq!(code, ffi::CUDA_SUCCESS, "{mode:?}");
                // SAFETY: allocated above, and not used.
                assert_eq!(unsafe { ffi::cuMemFree_v2(memory) }, ffi::CUDA_SUCCESS);
                assert_eq!(exchange(before), mode);
                Ok(())
            });
            assert_eq!(graph.unwrap().nodes(), Ok(0));
        }
    });
}

/// The thread has its mode back with its stack, or what foreign code set meanwhile.
#[test]
fn the_mode_of_the_thread_is_given_back_with_its_stack() {
    fresh!(the_mode_of_the_thread_is_given_back_with_its_stack, {
        cuscope::init().unwrap();
        let (global, local, relaxed) = (
            ffi::CU_STREAM_CAPTURE_MODE_GLOBAL,
            ffi::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            ffi::CU_STREAM_CAPTURE_MODE_RELAXED,
        );
        let now = move || {
            let mode = exchange(relaxed);
            assert_eq!(exchange(mode), relaxed);
            mode
        };
        for before in [global, local, relaxed] {
            exchange(before);
            let stack = ContextStack::current_thread().unwrap();
            assert_eq!(now(), relaxed);
            assert_eq!(ContextStack::current_thread().unwrap_err(), Error::StackTaken);
            assert_eq!(now(), relaxed);
            assert_eq!(thread::spawn(now).join().unwrap(), global, "another thread");
            drop(stack);
            assert_eq!(now(), before);
        }
        let stack = ContextStack::current_thread().unwrap();
        assert_eq!(exchange(local), relaxed);
        drop(stack);
        assert_eq!(now(), local);
    });
}

/// F103: foreign code captures a stream of this crate, which then cannot wait for its memory: the process
/// ends rather than to give the memory back.
#[test]
fn a_wait_that_cannot_wait_aborts() {
    skip_under_miri!("it looks at a process that aborts");
    aborts!(a_wait_that_cannot_wait_aborts, ["cuStreamSynchronize", "without waiting"], {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let stream = gpu.stream().unwrap();
        let mut buffer = gpu.alloc::<u32>(64).unwrap();
        begin(&stream, ffi::CU_STREAM_CAPTURE_MODE_RELAXED);
        let _ = gpu.on(&stream).fill(&mut buffer, 7);
        panic!("the operation returned");
    });
}
