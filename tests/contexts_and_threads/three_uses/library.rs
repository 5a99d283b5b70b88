//! A library with a context of its own.

use super::{Kept, LEN, THENS, Then};
use crate::common::foreign::{self, current};
use crate::common::gpu::new_context;
use cuscope::{ContextStack, Error, PushContext, ffi};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a library in every way of ending, from one place on the stack, and checks its answers.
/// `stores` is how many calls were made before.
pub(super) fn call_in_every_way(
    library: &mut Kept,
    stack: &mut impl PushContext,
    stores: &mut u32,
) {
    let before = current();
    for then in THENS {
        *stores += 1;
        let answer = catch_unwind(AssertUnwindSafe(|| library.next(stack, then)));
        assert_eq!(current(), before, "{then:?}");
        match then {
            Then::Panic => assert!(answer.is_err()),
            Then::Fail => assert_eq!(
                answer.unwrap().unwrap_err(),
                Error::LengthMismatch { call: "cuMemcpyHtoDAsync_v2", from: 1, to: LEN }
            ),
            Then::FailCovered => {
                assert_eq!(answer.unwrap().unwrap_err().code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY))
            }
            Then::Succeed | Then::Leak => assert_eq!(answer.unwrap(), Ok([*stores, 0, 0, 0])),
        }
    }
}

#[test]
fn a_library_leaves_what_was_current_however_it_ends() {
    let (mine, foreign) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut library = Kept::new(&mut stack, new_context()).unwrap();
    assert!(current().is_null());
    let mut stores = 0;

    call_in_every_way(&mut library, &mut stack, &mut stores);
    assert!(current().is_null());

    let mut gpu = stack.push(&mine).unwrap();
    let stream = gpu.stream().unwrap();
    let mut buffer = gpu.alloc::<u32>(2).unwrap();
    call_in_every_way(&mut library, &mut gpu, &mut stores);
    assert_eq!(current(), mine.raw());

    ContextStack::reentrant(|nested| {
        call_in_every_way(&mut library, nested, &mut stores);
        let mut inner = nested.push(&mine)?;
        call_in_every_way(&mut library, &mut inner, &mut stores);
        Ok(())
    })
    .unwrap();
    assert_eq!(current(), mine.raw());

    // Inside the library's own context too: it may call itself.
    let own = library.context.clone();
    call_in_every_way(&mut library, &mut gpu.push(&own).unwrap(), &mut stores);
    assert_eq!(current(), mine.raw());

    // A leaked guard is popped when the caller's is next used.
    stores += 1;
    assert_eq!(library.next(&mut gpu, Then::Leak), Ok([stores, 0, 0, 0]));
    assert_eq!(current(), library.context.raw());
    gpu.event().unwrap();
    assert_eq!(current(), mine.raw());

    // The caller's handles were good all the while.
    let mut host = [0; 2];
    gpu.on(&stream).fill(&mut buffer, 6).unwrap();
    gpu.on(&stream).download(&buffer, &mut host).unwrap();
    assert_eq!(host, [6, 6]);
    drop((buffer, stream));
    gpu.pop().unwrap();
    drop(stack);

    // A caller that knows nothing of this crate.
    foreign::push(foreign.raw());
    let mut stack = ContextStack::current_thread().unwrap();
    call_in_every_way(&mut library, &mut stack, &mut stores);
    ContextStack::reentrant(|nested| {
        call_in_every_way(&mut library, nested, &mut stores);
        Ok(())
    })
    .unwrap();
    assert_eq!(foreign::pop(), foreign.raw());
    assert!(current().is_null());
}
