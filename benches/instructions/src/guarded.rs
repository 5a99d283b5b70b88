//! Launches of guarded kernels, in a build of their own: what they cost beyond plain ones is held to a limit.

use crate::operations::{CONFIG, LEN, Raw, done, ok};
use cuscope::ffi;
use cuscope::kernel::GuardedKernel;
use cuscope::{
    DeviceBuffer, In, OrderedStream, Out, ScopedBuffer, ScopedStream, SharedBuffer, SyncStream,
};
use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;

/// Each operation, the one of plain kernels that it is compared with, and how many instructions more it may cost. One that
/// waits takes a word for its own failures, and gives it back.
pub(crate) const BESIDE: &[(&str, &str, i64)] = &[
    ("guarded_wait", "launch_wait", 60),
    ("guarded_scope", "scope_launch_typed", 60),
    ("guarded_ordered", "ordered_step_kept", 60),
];

/// What a user of guarded kernels has.
pub(crate) struct Ours<'s, 'ctx> {
    pub(crate) on: SyncStream<'s, 'ctx>,
    pub(crate) scoped: ScopedStream<'s, 'ctx>,
    pub(crate) ordered: &'s OrderedStream,
    pub(crate) kernel: &'s GuardedKernel<(u32, f32, In<f32>, Out<f32>)>,
    pub(crate) x: &'s DeviceBuffer<'ctx, f32>,
    pub(crate) y: &'s mut DeviceBuffer<'ctx, f32>,
    pub(crate) held: ScopedBuffer<'s, f32>,
    pub(crate) shared: &'s SharedBuffer<f32>,
}

operations! {
    guarded_wait "`SyncStream::launch`, a `GuardedKernel` of 4 parameters"
        |r| {
            launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]);
            by_hand!(cuStreamSynchronize(r.stream))
        },
        |o| done(o.on.launch(o.kernel, CONFIG(), (LEN, 2.0, o.x, &mut *o.y)));
    guarded_scope "`ScopedStream::launch`, a `GuardedKernel` of 4 parameters"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| done(o.scoped.launch(o.kernel, CONFIG(), (LEN, 2.0, o.x, &mut o.held)));
    guarded_ordered "`OrderedStream`: `alloc`, `launch` of a `GuardedKernel`, dropped, with kept blocks"
        |r| launch!(r, [a: LEN, b: 2.0_f32, c: r.x, d: r.y]),
        |o| {
            let mut x = done(o.ordered.alloc::<f32>(LEN as usize));
            done(o.ordered.launch(o.kernel, CONFIG(), (LEN, 2.0, o.shared, &mut x)));
        };
}
