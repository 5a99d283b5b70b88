//! A sum over all devices by NCCL: from one thread for all of them, and from a thread for each. Checked.
//! `NCCL_LIBRARY_PATH=folder cargo run --example nccl`. Skipped where there is no GPU or no NCCL.
#![allow(unsafe_code, reason = "calls NCCL")]

mod libraries;

use cuscope::detached::Branded;
use cuscope::{
    Context, ContextStack, Detached, Device, OrderedBuffer, OrderedStream, PushContext, Result, ffi,
};
use libraries::{Library, check};
use std::ffi::{c_int, c_void};
use std::{ptr, thread};

const LEN: usize = 1 << 20;

/// A device among all that sum.
type Comm = *mut c_void;
/// `ncclFloat32` and `ncclSum`.
const FLOAT32: c_int = 7;
const SUM: c_int = 0;

/// What all devices of a sum have in common.
#[derive(Clone, Copy)]
#[repr(C)]
struct Id([u8; 128]);

#[derive(Clone, Copy)]
struct Nccl {
    init_all: unsafe extern "C" fn(*mut Comm, c_int, *const c_int) -> c_int,
    unique_id: unsafe extern "C" fn(*mut Id) -> c_int,
    init_rank: unsafe extern "C" fn(*mut Comm, c_int, Id, c_int) -> c_int,
    all_reduce: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        usize,
        c_int,
        c_int,
        Comm,
        ffi::CUstream,
    ) -> c_int,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    destroy: unsafe extern "C" fn(Comm) -> c_int,
}

impl Nccl {
    fn new(library: Library) -> Nccl {
        // SAFETY: its type, from `nccl.h`; so are the others.
        let init_all = unsafe { library.function("ncclCommInitAll") };
        // SAFETY: as above.
        let unique_id = unsafe { library.function("ncclGetUniqueId") };
        // SAFETY: as above.
        let init_rank = unsafe { library.function("ncclCommInitRank") };
        // SAFETY: as above.
        let all_reduce = unsafe { library.function("ncclAllReduce") };
        // SAFETY: as above.
        let group_start = unsafe { library.function("ncclGroupStart") };
        // SAFETY: as above.
        let group_end = unsafe { library.function("ncclGroupEnd") };
        // SAFETY: as above.
        let destroy = unsafe { library.function("ncclCommDestroy") };
        Nccl { init_all, unique_id, init_rank, all_reduce, group_start, group_end, destroy }
    }

    /// Enqueues the sum of `LEN` elements over all devices, in place; inside a group, at its end.
    ///
    /// # Safety
    /// The stream and the memory are of the device of `comm`, and work in the stream may write the memory.
    unsafe fn sum(&self, comm: Comm, stream: ffi::CUstream, x: ffi::CUdeviceptr) {
        let x = x as *mut c_void;
        // SAFETY: the caller's; `comm` is alive.
        check("ncclAllReduce", unsafe { (self.all_reduce)(x, x, LEN, FLOAT32, SUM, comm, stream) });
    }

    /// # Safety
    /// `comm` is alive, and not used again. Its work is done.
    unsafe fn destroy(&self, comm: Comm) {
        // SAFETY: the caller's.
        check("ncclCommDestroy", unsafe { (self.destroy)(comm) });
    }
}

/// A device of the thread that drives all.
struct Rank {
    context: Context,
    comm: Comm,
    memory: Detached<(OrderedStream, OrderedBuffer<f32>)>,
}

/// Sums over all ranks. NCCL enqueues when the group ends, and so all of `foreign` are open until then: each rank's is
/// inside the one before.
fn sum_all(nccl: &Nccl, outer: &mut impl PushContext, ranks: &mut [Rank]) -> Result {
    let Some((rank, rest)) = ranks.split_first_mut() else {
        // SAFETY: the group was started on this thread.
        check("ncclGroupEnd", unsafe { (nccl.group_end)() });
        return Ok(());
    };
    let mut gpu = outer.push(&rank.context)?;
    let (ordered, x) = gpu.bind_mut(&mut rank.memory)?;
    let (ordered, comm) = (&*ordered, rank.comm);
    let work = |stream, (x,): (ffi::CUdeviceptr,)| {
        // SAFETY: the stream and the memory that `foreign` passes.
        unsafe { nccl.sum(comm, stream, x) };
        sum_all(nccl, &mut gpu, rest)
    };
    // SAFETY: 1. and 2. One sum of `x`, in the stream, which is enqueued when the group inside ends. 3. NCCL sets the
    // context of each device, and restores the one that it found.
    unsafe { ordered.foreign((x,), work) }?
}

/// One thread drives all devices.
fn from_one_thread(nccl: &Nccl, devices: &[Device]) -> Result<bool> {
    let mut stack = ContextStack::current_thread()?;
    let mut comms = vec![ptr::null_mut(); devices.len()];
    let count = c_int::try_from(devices.len()).expect("few devices");
    // SAFETY: writes one handle for each of the first `count` devices.
    check("ncclCommInitAll", unsafe { (nccl.init_all)(comms.as_mut_ptr(), count, ptr::null()) });
    let mut ranks = Vec::new();
    for (at, (&device, &comm)) in devices.iter().zip(&comms).enumerate() {
        let context = Context::primary(device)?; // the one that NCCL works in
        let gpu = stack.push(&context)?;
        let ordered = gpu.ordered_stream()?;
        let x = ordered.from_slice(&vec![at as f32 + 1.0; LEN])?;
        let memory = (ordered, x).detach();
        gpu.pop()?;
        ranks.push(Rank { context, comm, memory });
    }
    // SAFETY: no obligations. `sum_all` ends the group.
    check("ncclGroupStart", unsafe { (nccl.group_start)() });
    sum_all(nccl, &mut stack, &mut ranks)?;
    let mut right = true;
    for Rank { context, comm, memory } in &ranks {
        let gpu = stack.push(context)?;
        let (ordered, x) = gpu.bind(memory)?;
        right &= is_sum(&ordered.to_vec(x)?, ranks.len());
        // SAFETY: its work was waited for, and it is not used again.
        unsafe { nccl.destroy(*comm) };
        gpu.pop()?;
    }
    Ok(right)
}

/// A thread drives its device.
fn on_thread(nccl: &Nccl, id: Id, (device, rank, all): (Device, usize, usize)) -> Result<bool> {
    let context = Context::primary(device)?;
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(&context)?;
    let mut comm = ptr::null_mut();
    let (count, number) = (all as c_int, rank as c_int);
    // SAFETY: writes one handle to `comm`, which is valid for it. As many threads call this as there are ranks.
    check("ncclCommInitRank", unsafe { (nccl.init_rank)(&raw mut comm, count, id, number) });
    let ordered = gpu.ordered_stream()?;
    let mut x = ordered.from_slice(&vec![rank as f32 + 1.0; LEN])?;
    // SAFETY: the stream and the memory that `foreign` passes.
    let work = |stream, (x,): (ffi::CUdeviceptr,)| unsafe { nccl.sum(comm, stream, x) };
    // SAFETY: 1. and 2. One sum of `x`, in the stream. 3. NCCL restores the context that it found.
    unsafe { ordered.foreign((&mut x,), work) }?;
    let right = is_sum(&ordered.to_vec(&x)?, all);
    // SAFETY: its work was waited for, and it is not used again.
    unsafe { nccl.destroy(comm) };
    gpu.pop()?;
    Ok(right)
}

/// A thread for each device.
fn from_threads(nccl: &Nccl, devices: &[Device]) -> Result<bool> {
    let mut id = Id([0; 128]);
    // SAFETY: writes one value to `id`, which is valid for it.
    check("ncclGetUniqueId", unsafe { (nccl.unique_id)(&raw mut id) });
    let all = devices.len();
    thread::scope(|s| {
        let start = |(rank, &device)| s.spawn(move || on_thread(nccl, id, (device, rank, all)));
        let threads: Vec<_> = devices.iter().enumerate().map(start).collect();
        threads
            .into_iter()
            .try_fold(true, |right, thread| Ok(right & thread.join().expect("a thread panicked")?))
    })
}

/// Whether all elements are 1 + 2 + ... + ranks.
fn is_sum(x: &[f32], ranks: usize) -> bool {
    x.iter().all(|&x| x == (ranks * (ranks + 1) / 2) as f32)
}

fn main() -> Result {
    let Some(library) = Library::open("nccl", "NCCL_LIBRARY_PATH", &[&["libnccl.so.2"]]) else {
        return Ok(());
    };
    let nccl = Nccl::new(library);
    let devices = Device::all()?;
    for (name, right) in [
        ("one thread", from_one_thread(&nccl, &devices)?),
        ("a thread each", from_threads(&nccl, &devices)?),
    ] {
        let word = if right { "right" } else { "WRONG" };
        println!("nccl, {} devices, {name}: {word}", devices.len());
        assert!(right);
    }
    Ok(())
}
