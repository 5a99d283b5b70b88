//! The three uses of a context stack, on whichever driver answers: one thread on many devices, a
//! library with a context of its own, code that any thread may call. What is current is asked of the
//! driver, not of the crate.
#![allow(unsafe_code, reason = "launches kernels, is called by C, and plays foreign code")]

mod floating;
mod library;
mod many_devices;
mod plugin;
mod pool;

use crate::common::UNWINDS;
use crate::common::foreign::current;
use crate::common::gpu::new_context;
use crate::common::kernels::STORE;
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextStack, Detached, DeviceBuffer, Function, LaunchConfig, PushContext, Result,
    Stream,
};

cuscope::handles! {
    struct Handles<'ctx> {
        stream: Stream<'ctx>,
        store: Function<'ctx>,
        data: DeviceBuffer<'ctx, u32>,
        stores: u32,
    }
}

const LEN: usize = 4;

/// The state that all three uses have in common: a context, and handles in it that are kept between calls.
struct Kept {
    context: Context,
    handles: Detached<Handles<'static>>,
}

/// The next step of a call when it is in the middle of things.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Then {
    Succeed,
    Fail,
    /// Fail with another guard pushed on top.
    FailCovered,
    Leak,
    Panic,
}

impl Kept {
    fn new(stack: &mut impl PushContext, context: Context) -> Result<Kept> {
        let gpu = stack.push(&context)?;
        let stream = gpu.stream()?;
        let store = gpu.load_ptx(STORE)?.function("store")?;
        let mut data = gpu.alloc(LEN)?;
        gpu.on(&stream).fill(&mut data, 0)?;
        let handles = Handles { stream, store, data, stores: 0 }.detach();
        gpu.pop()?;
        Ok(Kept { context, handles })
    }

    /// Adds 1 to the number of stores, stores it by a kernel, and reads it back.
    fn next(&mut self, stack: &mut impl PushContext, then: Then) -> Result<[u32; LEN]> {
        let mut gpu = stack.push(&self.context)?;
        assert_eq!(current(), self.context.raw());
        let Handles { stream, store, data, stores } = gpu.bind_mut(&mut self.handles)?;
        *stores += 1;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe {
            gpu.on(stream).launch_unchecked(store, LaunchConfig::new(1, 1), (&mut *data, *stores))
        }?;
        let mut host = [9; LEN];
        gpu.on(stream).download(data, &mut host)?;
        match then {
            Then::Succeed => gpu.pop()?,
            Then::Fail => gpu.on(stream).upload(&[1], data)?,
            Then::FailCovered => {
                let covering = new_context();
                let inner = gpu.push(&covering)?;
                inner.alloc::<u8>(1 << 50)?; // more than any device has
            }
            Then::Leak => std::mem::forget(gpu),
            Then::Panic => panic!("in the middle of a call"),
        }
        Ok(host)
    }
}

/// In the middle of a call, if a panic does not end the process.
const PANIC: Then = if UNWINDS { Then::Panic } else { Then::Fail };
const THENS: [Then; 5] = [Then::Succeed, Then::Fail, Then::FailCovered, PANIC, Then::Succeed];

#[test]
fn the_uses_leave_nothing_behind() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(the_uses_leave_nothing_behind, {
        use cuscope_softdriver::control::{Live, live, stack_depth};
        let context = new_context();
        pool::jobs_on(&context);
        let host = plugin::Host::open(&context);
        host.call_in_every_way();
        drop(host);
        let mut stack = ContextStack::current_thread().unwrap();
        let mut kept = Kept::new(&mut stack, context).unwrap();
        library::call_in_every_way(&mut kept, &mut stack, &mut 0);
        drop(kept);
        assert_eq!((live(), stack_depth()), (Live::default(), 0));
    });
}
