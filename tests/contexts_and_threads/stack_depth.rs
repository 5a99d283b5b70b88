//! How much of a thread's stack operations take: `docs/safety-manual.md` has the figures. Each operation runs on a thread whose
//! stack is memory of the test, which has a pattern, and afterwards the lowest byte that lost it tells the depth.
#![cfg(target_os = "linux")] // pthread_attr_setstack, and where the memory of a thread lies in its stack
#![allow(unsafe_code, reason = "threads with a stack of the test")]

use cuscope::{Context, Device, PushedGuard, Result, driver_kind};
use std::ffi::{c_int, c_void};
use std::ptr;

/// More than any operation takes, and small enough to be read often.
const SIZE: usize = 4 << 20;
const PATTERN: u8 = 0xa5;

/// The bytes of stack that `f` takes on a thread that does nothing else, the start of the thread included.
fn depth_of(f: impl FnOnce() + Send) -> usize {
    let run: Box<dyn FnOnce() + Send + '_> = Box::new(f);
    let mut run = Box::new(Some(run));
    extern "C" fn begin(argument: *mut c_void) -> *mut c_void {
        // SAFETY: the `Option` in the box of `depth_of`, which waits for the end of this thread.
        let run = unsafe { &mut *argument.cast::<Option<Box<dyn FnOnce() + Send>>>() };
        run.take().expect("it runs once")();
        ptr::null_mut()
    }
    let layout = std::alloc::Layout::from_size_align(SIZE, 4096).unwrap();
    // SAFETY: the size is not 0.
    let stack = unsafe { std::alloc::alloc(layout) };
    assert!(!stack.is_null());
    // SAFETY: `stack` is valid for `SIZE` bytes.
    unsafe { stack.write_bytes(PATTERN, SIZE) };
    let ok = |code: c_int| assert_eq!(code, 0);
    // SAFETY: all zero is a value of this struct of numbers, which `pthread_attr_init` writes anew.
    let mut attributes: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    // SAFETY: `attributes` is valid for writes.
    ok(unsafe { libc::pthread_attr_init(&raw mut attributes) });
    // SAFETY: `stack` is aligned to pages, and valid for `SIZE` bytes until the thread has ended.
    ok(unsafe { libc::pthread_attr_setstack(&raw mut attributes, stack.cast(), SIZE) });
    let mut thread = 0;
    let argument = ptr::from_mut(&mut *run).cast();
    // SAFETY: the attributes are initialised, and `argument` stays until the thread is joined.
    ok(unsafe { libc::pthread_create(&raw mut thread, &raw const attributes, begin, argument) });
    // SAFETY: it was created above, and is joined once.
    ok(unsafe { libc::pthread_join(thread, ptr::null_mut()) });
    // SAFETY: initialised above.
    ok(unsafe { libc::pthread_attr_destroy(&raw mut attributes) });
    let kept = (0..SIZE).take_while(|&at| {
        // SAFETY: all of the memory was written, no thread uses it any more, and `at` is inside of it.
        unsafe { *stack.wrapping_add(at) == PATTERN }
    });
    let depth = SIZE - kept.count();
    // SAFETY: allocated above with this layout.
    unsafe { std::alloc::dealloc(stack, layout) };
    assert!(run.is_none(), "it ran");
    depth
}

/// Operations, each with what it needs made before on the same thread, so that its depth counts too.
type Operation = (&'static str, fn(&mut PushedGuard<'_>) -> Result);

const OPERATIONS: &[Operation] = &[
    ("push a context, and pop it", |gpu| {
        let context = gpu.context().clone();
        gpu.push(&context)?.pop()
    }),
    ("allocate, fill, download and free", |gpu| {
        let stream = gpu.stream()?;
        let on = gpu.on(&stream);
        let mut x = on.alloc::<u32>(64)?;
        on.fill(&mut x, 1)?;
        on.to_vec(&x).map(drop)
    }),
    ("a scope over two streams", |gpu| {
        let (one, two) = (gpu.stream()?, gpu.stream()?);
        let mut x = gpu.alloc::<u32>(64)?;
        gpu.scope(|s| {
            let mut x = s.hold(&mut x);
            s.on(&one).fill(&mut x, 1)?;
            s.on(&two).fill(&mut x, 2)
        })
    }),
    ("an ordered stream", |gpu| {
        let ordered = gpu.ordered_stream()?;
        let mut x = ordered.alloc::<u32>(64)?;
        ordered.fill(&mut x, 1)?;
        ordered.to_vec(&x).map(drop)
    }),
    ("capture a graph, and replay it", |gpu| {
        let mut stream = gpu.stream()?;
        let mut x = gpu.alloc::<u32>(64)?;
        let graph = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 1))?;
        gpu.on(&stream).replay(&graph, &mut x)
    }),
    ("load a module", |gpu| {
        gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?.function("saxpy").map(drop)
    }),
    ("an error that is printed", |gpu| {
        let refused = gpu.alloc::<u8>(usize::MAX / 2).unwrap_err();
        println!("{refused}: {refused:?}");
        Ok(())
    }),
];

#[test]
fn no_operation_takes_more_of_the_stack_than_the_manual_says() {
    let context = Context::primary(Device::get(0).unwrap()).unwrap();
    let nothing = depth_of(|| {});
    let pushed = depth_of(|| context.with(|_| Ok(())).unwrap());
    println!(
        "| a thread that does nothing | {nothing} |\n| `Context::with` around nothing | {pushed} |"
    );
    for (name, operation) in OPERATIONS {
        let depth = depth_of(|| context.with(operation).unwrap());
        println!("| {name} | {depth} |");
        // NVIDIA's driver has frames of its own, of which this crate knows nothing.
        let most = if driver_kind() == "software" { 64 << 10 } else { 1 << 20 };
        assert!(depth <= most, "{name} takes {depth} bytes of stack");
    }
}

/// The measurement itself: a frame of 64 KiB is seen.
#[test]
fn a_deep_call_is_measured() {
    #[inline(never)]
    fn deep() -> u8 {
        let mut frame = [1_u8; 64 << 10];
        std::hint::black_box(&mut frame);
        frame[1]
    }
    let (nothing, deep) = (depth_of(|| {}), depth_of(|| assert_eq!(deep(), 1)));
    let frame = 64 << 10;
    assert!((frame..frame + nothing + 4096).contains(&deep), "{deep} beside {nothing}");
}
