//! Tools for runtimes: handles that are shown without a guard, memory by its address, operations that return at
//! once, launches from lists, pools of page-locked memory, and code that was linked and kept.
#![allow(unsafe_code, reason = "launches kernels, and vouches for memory by its address")]

use crate::common::foreign;
use crate::common::gpu::{hold, kernel, new_context, read, with_gpu, with_stream};
use crate::common::kernels::{IGNORE, STORE};
use crate::skip;
use cuscope::tensor_map::{FloatFormat, TensorKind, TensorLayout};
use cuscope::{
    Context, Cubin, Detached, Device, DeviceBuffer, Error, Function, LaunchConfig, Ptx, Result,
    Stream, ffi, jit::JitOptions,
};
use cuscope_softdriver::control::record;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::slice_from_raw_parts_mut;
use std::sync::Arc;

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

#[track_caller]
fn invalid<R: std::fmt::Debug>(answer: Result<R>, words: &str) {
    let error = answer.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_detached_handle_shows_what_other_code_needs() {
    let context = new_context();
    let (stream, event, module, function, x, grid) = context
        .with(|gpu| {
            let module = gpu.load_ptx(STORE)?;
            let function = module.function("store")?;
            let x = gpu.alloc::<u32>(16)?;
            let grid = gpu.alloc_pitched::<f32>((100, 3))?;
            let shown = (gpu.stream()?, gpu.event()?, module, function, x, grid);
            let raw = (shown.0.raw(), shown.1.raw(), shown.2.raw(), shown.3.raw());
            let memory = (shown.4.address(), shown.5.address(), shown.5.pitch());
            let (stream, event, module, function, x, grid) = shown;
            let detached = (
                stream.detach(),
                event.detach(),
                module.detach(),
                function.detach(),
                x.detach(),
                grid.detach(),
            );
            assert_eq!(raw.0, detached.0.raw());
            assert_eq!(raw.1, detached.1.raw());
            assert_eq!(raw.2, detached.2.raw());
            assert_eq!(raw.3, detached.3.raw());
            assert_eq!(memory, (detached.4.address(), detached.5.address(), detached.5.pitch()));
            Ok(detached)
        })
        .unwrap();
    // Without a guard, and whatever is current.
    assert!(!stream.raw().is_null() && !event.raw().is_null() && !module.raw().is_null());
    assert_eq!((x.len(), x.is_empty(), grid.len()), (16, false, 300));
    assert_eq!((grid.extent().width, grid.extent().height), (100, 3));
    // Clones share the code, which stays loaded with each of them.
    let again = function.clone();
    assert_eq!(again.raw(), function.raw());
    drop((module, function));
    let mut x = x;
    context
        .with(|gpu| {
            let (stream, again) = (gpu.bind(&stream)?, gpu.bind(&again)?);
            let on = gpu.on(stream);
            // SAFETY: the kernel is store(u32 *, u32): one element.
            unsafe { on.launch_unchecked(again, ONE(), (gpu.bind_mut(&mut x)?, 5_u32)) }?;
            assert_eq!(on.to_vec(gpu.bind(&x)?)?[0], 5);
            Ok(())
        })
        .unwrap();
}

#[test]
fn handles_are_shared_by_clones_of_a_detached_arc() {
    let context = new_context();
    let shared: Detached<Arc<Stream<'static>>> =
        context.with(|gpu| Ok(Detached::new(Arc::new(gpu.stream()?)))).unwrap();
    let other = shared.clone();
    std::thread::spawn(move || {
        let context = other.context().unwrap();
        context.with(|gpu| gpu.bind(&other)?.synchronize()).unwrap();
    })
    .join()
    .unwrap();
    context.with(|gpu| gpu.bind(&shared)?.synchronize()).unwrap();
}

#[test]
fn memory_by_its_address_is_used_like_a_buffer() {
    with_stream(|gpu, stream| {
        let page = gpu.alloc::<u8>(4096).unwrap();
        let on = gpu.on(&stream);
        let store = kernel(gpu, STORE, "store");
        let part = |from: u64, len| {
            // SAFETY: 1. and 2. The parts lie apart in the page, which lives longer.
            unsafe { gpu.device_range::<u32>(page.address() + from, len) }.unwrap()
        };
        let (mut x, mut y) = (part(0, 16), part(256, 16));
        assert_eq!((x.address(), x.len(), x.is_empty()), (page.address(), 16, false));
        assert_eq!(x.context(), gpu.context());
        on.fill(&mut x, 7).unwrap();
        on.copy(&x, &mut y).unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [7; 16]);
        on.upload(&[1; 16], &mut y).unwrap();
        // SAFETY: the kernel is store(u32 *, u32): one element.
        unsafe { on.launch_unchecked(&store, ONE(), (&mut y, 9_u32)) }.unwrap();
        let mut host = [0; 16];
        on.download(&y, &mut host).unwrap();
        assert_eq!((host[0], host[1]), (9, 1));
        // With the buffer, which lies below.
        let bytes = read(gpu, &page);
        assert_eq!((bytes[0], bytes[256]), (7, 9));
    });
}

#[test]
fn rows_by_their_address_are_copied_as_rows() {
    with_stream(|gpu, stream| {
        let page = gpu.on(&stream).zeroed::<u8>(4096).unwrap();
        let on = gpu.on(&stream);
        // SAFETY: 1. and 2. The rows lie in the page, which lives longer and is not used meanwhile.
        let mut rows = unsafe { gpu.device_rows::<u16>(page.address(), 256, (3, 2)) }.unwrap();
        assert_eq!(rows.len(), 6);
        on.upload(&[1_u16, 2, 3, 4, 5, 6], &mut rows).unwrap();
        let mut back = [0_u16; 6];
        // SAFETY: 1. and 2. Nothing else uses them until the stream has been synchronized.
        unsafe { on.download_unscoped(&rows, &raw mut back) }.unwrap();
        stream.synchronize().unwrap();
        assert_eq!(back, [1, 2, 3, 4, 5, 6]);
        let bytes = read(gpu, &page);
        assert_eq!((bytes[..8].to_vec(), bytes[256]), (vec![1, 0, 2, 0, 3, 0, 0, 0], 4));
        // SAFETY: they are refused.
        let refused =
            |pitch, extent| unsafe { gpu.device_rows::<u16>(page.address(), pitch, extent) };
        invalid(refused(5, (3, 2)), "longer than the pitch");
        invalid(refused(7, (3, 2)), "no multiple of the alignment");
        invalid(refused(256, (3, usize::MAX)), "end of the address space");
        invalid(refused(usize::MAX - 1, (usize::MAX / 2, 2)), "end of the address space");
    });
}

#[test]
fn an_address_that_cannot_be_one_is_refused() {
    with_gpu(|gpu| {
        // SAFETY: they are refused, or not used.
        let range = |address, len| unsafe { gpu.device_range::<u32>(address, len) };
        invalid(range(2, 1), "not aligned");
        invalid(range(u64::MAX - 3, 2), "end of the address space");
        invalid(range(0, usize::MAX), "");
        assert!(range(0, 0).unwrap().is_empty());
        let shown = format!("{:?}", range(0x1000, 4).unwrap());
        assert!(shown.starts_with("DeviceRange<u32>(4 at 0x1000, Context"), "{shown}");
    });
}

/// A struct that the program shares between contexts mixes them by `Detached`, and that is compared. A range has the brand
/// of its guard, and here one made under a guard of the other context is passed by what foreign code gave away: a copy
/// between contexts.
#[test]
fn a_range_is_the_other_end_of_a_copy_between_contexts() {
    let (a, b) = (new_context(), new_context());
    let mut stack = cuscope::ContextStack::current_thread().unwrap();
    let mut first = stack.push(&a).unwrap();
    let x = {
        let stream = first.stream().unwrap();
        first.on(&stream).from_slice(&[5_u32; 4]).unwrap()
    };
    // SAFETY: 1. and 2. The buffer lives on, and nothing writes it.
    let range = unsafe { first.device_range::<u32>(x.address(), 4) }.unwrap();
    let second = first.push(&b).unwrap();
    let stream = second.stream().unwrap();
    let mut y = second.alloc::<u32>(4).unwrap();
    second.on(&stream).copy_from_peer(&range, &mut y).unwrap();
    assert_eq!(second.on(&stream).to_vec(&y).unwrap(), [5; 4]);
}

#[test]
fn unscoped_copies_return_before_they_are_done() {
    with_stream(|gpu, stream| {
        let on = gpu.on(&stream);
        let block = gpu.pinned_from(&[3_u32; 64]).unwrap();
        let (mut x, mut y) = (gpu.alloc::<u32>(64).unwrap(), gpu.alloc::<u32>(64).unwrap());
        let back = gpu.pinned::<u32>(64).unwrap();
        let gate = hold(&stream);
        let from = slice_from_raw_parts_mut(block.as_non_null().as_ptr(), 64).cast_const();
        let to = slice_from_raw_parts_mut(back.as_non_null().as_ptr(), 64);
        // SAFETY: 1. and 2. Nothing else uses the memory until the stream has been synchronized, as for the next two.
        unsafe { on.upload_unscoped(from, &mut x) }.unwrap();
        // SAFETY: as above.
        unsafe { on.copy_unscoped(&x, &mut y) }.unwrap();
        // SAFETY: as above.
        unsafe { on.download_unscoped(&y, to) }.unwrap();
        assert!(!stream.query().unwrap(), "they have returned all the same");
        gate.open();
        stream.synchronize().unwrap();
        assert_eq!(back[..], [3; 64]);
        // Mistakes are refused as by the operations that wait.
        let three = [1_u32; 3];
        // SAFETY: 1. and 2. They are refused.
        let short = unsafe { on.upload_unscoped(&raw const three, &mut x) };
        assert!(matches!(short.unwrap_err(), Error::LengthMismatch { from: 3, to: 64, .. }));
        // SAFETY: as above.
        let short = unsafe { on.copy_unscoped(&x, &mut y.slice_mut(..3).unwrap()) };
        assert!(matches!(short.unwrap_err(), Error::LengthMismatch { from: 64, to: 3, .. }));
    });
}

#[test]
fn a_launch_takes_a_list_of_pointers() {
    with_stream(|gpu, stream| {
        let store = kernel(gpu, STORE, "store");
        let x = gpu.on(&stream).zeroed::<u32>(4).unwrap();
        // The list is kept, and the values change behind it.
        let (address, value) = (Cell::new(x.address() + 4), Cell::new(11_u32));
        let mut parameters: Vec<*mut c_void> = vec![address.as_ptr().cast(), value.as_ptr().cast()];
        let on = gpu.on(&stream);
        // SAFETY: 1. to 3. The kernel is store(u32 *, u32): one element of the buffer, which lives on.
        unsafe { on.launch_raw(&store, ONE(), &mut parameters) }.unwrap();
        stream.synchronize().unwrap();
        assert_eq!(read(gpu, &x), [0, 11, 0, 0]);
        address.set(x.address() + 8);
        value.set(12);
        let cooperative = ONE().extended().cooperative().cluster(1);
        // SAFETY: as above.
        unsafe { on.launch_raw(&store, cooperative, &mut parameters) }.unwrap();
        stream.synchronize().unwrap();
        assert_eq!(read(gpu, &x), [0, 11, 12, 0]);
        // SAFETY: the driver refuses the extents.
        let refused = unsafe { on.launch_raw(&store, LaunchConfig::new(0, 1), &mut parameters) };
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        // SAFETY: the driver refuses a kernel that has parameters without any.
        let refused = unsafe { on.launch_raw(&store, ONE(), &mut []) };
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
    });
}

#[test]
fn a_kernel_of_another_context_is_no_kernel_of_a_list() {
    let (a, b) = (new_context(), new_context());
    let store: Detached<Function<'static>> =
        a.with(|gpu| Ok(gpu.load_ptx(STORE)?.function("store")?.detach())).unwrap();
    b.with(|gpu| {
        assert!(matches!(gpu.bind(&store).unwrap_err(), Error::OtherContext { .. }));
        Ok(())
    })
    .unwrap();
}

/// The values of a list lie side by side, whatever their sizes; a list of addresses holds nothing.
#[test]
fn a_list_takes_addresses() {
    with_stream(|gpu, stream| {
        let store = kernel(gpu, STORE, "store");
        let x = gpu.on(&stream).zeroed::<u32>(8).unwrap();
        for at in [0_u64, 5] {
            let mut list = store.arguments().unwrap();
            // SAFETY: 1. and 2. A part of the buffer, which lives on and is used by nothing else.
            let range = unsafe { gpu.device_range::<u32>(x.address() + 4 * at, 1) }.unwrap();
            list.push(range).unwrap().push(40 + at as u32).unwrap();
            assert_eq!(list.len(), 2);
            // SAFETY: the kernel is store(u32 *, u32): one element.
            unsafe { gpu.on(&stream).launch_unchecked(&store, ONE(), list) }.unwrap();
        }
        assert_eq!(read(gpu, &x), [40, 0, 0, 0, 0, 45, 0, 0]);
        // One that is too small for its parameter is refused, and the list stays as it is.
        let mut list = store.arguments::<cuscope::memory::InCall>().unwrap();
        assert!(matches!(list.push(1_u32).unwrap_err(), Error::Signature(_)));
        assert!(list.is_empty());
    });
}

/// The value that a kernel gets of each size, next to values of other sizes.
#[test]
fn values_of_every_size_arrive_from_a_list() {
    const WIDE: &str = r"
.version 7.0
.target sm_52
.address_size 64
.visible .entry wide(.param .u8 a, .param .u64 out, .param .u16 b, .param .align 16 .b8 c[48], .param .u32 d)
{
    .reg .b16 %h<3>; .reg .b32 %r<3>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u8 %h1, [a];
    cvt.u64.u16 %rd2, %h1;
    st.global.u64 [%rd1], %rd2;
    ld.param.u16 %h2, [b];
    cvt.u64.u16 %rd3, %h2;
    st.global.u64 [%rd1+8], %rd3;
    ld.param.u64 %rd4, [c+40];
    st.global.u64 [%rd1+16], %rd4;
    ld.param.u32 %r1, [d];
    cvt.u64.u32 %rd5, %r1;
    st.global.u64 [%rd1+24], %rd5;
    ret;
}
";
    with_stream(|gpu, stream| {
        let wide = kernel(gpu, WIDE, "wide");
        let mut out = gpu.on(&stream).zeroed::<u64>(4).unwrap();
        let mut list = wide.arguments().unwrap();
        list.push(200_u8).unwrap().push(&mut out).unwrap().push(60_000_u16).unwrap();
        list.push([0_u64, 1, 2, 3, 4, u64::MAX - 5]).unwrap().push(4_000_000_000_u32).unwrap();
        // SAFETY: the kernel writes four elements.
        unsafe { gpu.on(&stream).launch_unchecked(&wide, ONE(), list) }.unwrap();
        assert_eq!(read(gpu, &out), [200, 60_000, u64::MAX - 5, 4_000_000_000]);
    });
}

#[test]
fn parts_of_a_page_locked_buffer_own_their_share() {
    let context = new_context();
    let block = context.with(|gpu| gpu.pinned::<u32>(1 << 12)).unwrap();
    let start = block.as_non_null();
    let (first, rest) = block.split_at(16).unwrap();
    let (mut second, third) = rest.split_at(1000).unwrap();
    assert_eq!((first.len(), second.len(), third.len()), (16, 1000, (1 << 12) - 1016));
    assert_eq!((first.as_non_null(), first.context()), (start, &context));
    assert_eq!(second.as_non_null().as_ptr(), start.as_ptr().wrapping_add(16));
    second.fill(8);
    drop((first, third));
    // On another thread, where the last part ends the block.
    std::thread::spawn({
        let context = context.clone();
        move || {
            context
                .with(|gpu| {
                    let stream = gpu.stream()?;
                    let x = gpu.on(&stream).from_slice(&second)?;
                    assert_eq!(gpu.on(&stream).to_vec(&x)?, [8; 1000]);
                    let store = gpu.load_ptx(STORE)?.function("store")?;
                    // SAFETY: the kernel is store(u32 *, u32): one element, over the bus.
                    unsafe {
                        gpu.on(&stream).launch_unchecked(&store, ONE(), (&mut second, 9_u32))
                    }?;
                    assert_eq!(second[..2], [9, 8]);
                    gpu.scope(|s| {
                        let mut mapped = s.map(&mut second);
                        // SAFETY: as above.
                        unsafe {
                            s.on(&stream).launch_unchecked(&store, ONE(), (&mut mapped, 7_u32))
                        }
                    })?;
                    assert_eq!(second[..2], [7, 8]);
                    assert_eq!(second.device_address(gpu)?, second.as_ptr().addr() as u64);
                    Ok(())
                })
                .unwrap();
            drop(second);
        }
    })
    .join()
    .unwrap();
    context.try_destroy().expect("no part is left").unwrap();
}

#[test]
fn a_part_past_the_end_is_refused_and_an_empty_one_is_not() {
    with_gpu(|gpu| {
        let split = |at| gpu.pinned::<u64>(8).unwrap().split_at(at);
        let past = split(9).unwrap_err();
        assert!(matches!(past, Error::InvalidRange { end: 9, len: 8, .. }), "{past}");
        for at in [0, 8] {
            let (first, second) = split(at).unwrap();
            assert_eq!((first.len(), second.len()), (at, 8 - at));
        }
        let (first, second) = gpu.pinned::<u64>(0).unwrap().split_at(0).unwrap();
        assert!(first.is_empty() && second.is_empty());
        let past = gpu.pinned_pages(8).unwrap().split_at(9).unwrap_err();
        assert!(matches!(past, Error::InvalidRange { end: 9, len: 8, .. }), "{past}");
    });
}

#[test]
fn pages_of_the_driver_are_handed_out_in_parts() {
    let context = new_context();
    let pages = context.with(|gpu| gpu.pinned_pages(1 << 16)).unwrap();
    assert_eq!((pages.len(), pages.is_empty(), pages.context()), (1 << 16, false, &context));
    assert!(format!("{pages:?}").starts_with("PinnedPages(65536 bytes at 0x"), "{pages:?}");
    let (mut first, rest) = pages.split_at(64).unwrap();
    let (second, third) = rest.split_at(4).unwrap();
    let (unaligned, third) = third.split_at(8).unwrap();
    for byte in first.as_uninit_mut() {
        byte.write(5);
    }
    assert_eq!(first.as_uninit_mut().len(), 64);
    context
        .with(|gpu| {
            let stream = gpu.stream()?;
            let on = gpu.on(&stream);
            let mut x = gpu.alloc::<u8>(64)?;
            let from = slice_from_raw_parts_mut(first.as_non_null().as_ptr(), 64).cast_const();
            // SAFETY: 1. and 2. The bytes are initialised, and nothing else uses them until the stream is synchronized.
            unsafe { on.upload_unscoped(from, &mut x) }?;
            stream.synchronize()?;
            assert_eq!(on.to_vec(&x)?, [5; 64]);
            Ok(())
        })
        .unwrap();
    // A part becomes a buffer.
    invalid(unaligned.into_zeroed::<u64>(), "aligned address");
    assert!(second.into_zeroed::<u64>().unwrap().is_empty(), "no whole element");
    let (odd, third) = third.split_at(4).unwrap();
    drop(odd);
    let zeros = third.into_zeroed::<u64>().unwrap();
    assert_eq!((zeros.len(), zeros.context()), (((1 << 16) - 80) / 8, &context));
    assert!(zeros.iter().all(|&zero| zero == 0));
    drop(first);
    drop(zeros);
    context.try_destroy().expect("no part is left").unwrap();
}

/// The second part of the first one's pages has what was written there before.
#[test]
fn pages_that_were_written_are_zeroed_and_of_every_context() {
    with_gpu(|gpu| {
        let mut pages = gpu.pinned_pages(64).unwrap();
        let (mut flags, at) = (0, pages.as_non_null().as_ptr());
        // SAFETY: writes one number to `flags`, which is valid for it; a context is current, and the memory is the driver's.
        unsafe { cuscope::call!(cuMemHostGetFlags(&raw mut flags, at.cast())) }.unwrap();
        assert_eq!(flags, ffi::CU_MEMHOSTALLOC_PORTABLE | ffi::CU_MEMHOSTALLOC_DEVICEMAP);
        pages.as_uninit_mut().fill(std::mem::MaybeUninit::new(7));
        assert_eq!(pages.into_zeroed::<u64>().unwrap()[..], [0; 8]);
    });
}

/// Each part has a share of the block itself: a long row of parts is no long row of owners.
#[test]
fn a_block_is_handed_out_in_many_parts() {
    with_gpu(|gpu| {
        let count = crate::common::fewer(100_000, 100);
        let mut rest = gpu.pinned::<u8>(count).unwrap();
        for _ in 0..count {
            rest = rest.split_at(1).unwrap().1;
        }
        assert!(rest.is_empty());
        drop(rest);
    });
}

#[test]
fn an_address_of_page_locked_memory_is_asked_under_a_guard_that_is_current() {
    let other = new_context();
    with_gpu(|gpu| {
        let (part, _) = gpu.pinned::<u32>(4).unwrap().split_at(2).unwrap();
        foreign::push(other.raw());
        let refused = part.device_address(gpu);
        foreign::pop();
        assert_eq!(refused, Err(Error::NotCurrent { call: "cuMemHostGetDevicePointer_v2" }));
        assert_eq!(part.device_address(gpu), Ok(part.as_ptr().addr() as u64));
    });
}

#[test]
fn pages_of_no_bytes_are_none() {
    with_gpu(|gpu| {
        let (_, calls) = record(|| drop(gpu.pinned_pages(0).unwrap()));
        assert!(!calls.contains(&"cuMemFreeHost"), "the driver has none to free: {calls:?}");
        let mut none = gpu.pinned_pages(0).unwrap();
        assert!(none.is_empty() && none.as_uninit_mut().is_empty());
        assert!(none.into_zeroed::<u8>().unwrap().is_empty());
        invalid(gpu.pinned_pages(8).unwrap().into_zeroed::<[u8; 0]>(), "at least one byte");
    });
}

#[test]
fn an_event_of_a_context_is_recorded_in_a_stream_of_other_code() {
    let context = new_context();
    let (first, second) = (context.event().unwrap(), context.event().unwrap());
    let (stream, other) =
        context.with(|gpu| Ok((gpu.stream()?.detach(), gpu.stream()?.detach()))).unwrap();
    // SAFETY: 1. The streams live on, and nothing captures them, as for the next two.
    unsafe { first.record_in(stream.raw()) }.unwrap();
    // SAFETY: as above.
    unsafe { first.wait_in(other.raw()) }.unwrap();
    // SAFETY: as above.
    unsafe { second.record_in(other.raw()) }.unwrap();
    second.synchronize().unwrap();
    assert!(first.query().unwrap());
    let of_another = new_context().event().unwrap();
    // SAFETY: as above; the driver compares the contexts.
    let refused = unsafe { of_another.record_in(stream.raw()) }.unwrap_err();
    assert_eq!(refused.code(), Some(ffi::CUDA_ERROR_INVALID_HANDLE));
}

#[test]
fn a_tensor_is_encoded_for_an_address_and_a_type_of_the_run() {
    with_gpu(|gpu| {
        if gpu.device().compute_capability().unwrap().0 < 9 {
            skip!("the device has no tensor memory accelerator");
        }
        let x = gpu.alloc::<f32>(256 * 128).unwrap();
        let layout = TensorLayout::tiled(&[256, 128], &[8, 64]);
        let typed = gpu.tensor_map(&layout, &x).unwrap();
        let encoded = layout.encode(gpu, TensorKind::F32, x.address()).unwrap();
        assert_eq!(typed.raw().opaque, encoded.raw().opaque);
        let kinds = [
            TensorKind::U8,
            TensorKind::U16,
            TensorKind::U32,
            TensorKind::I32,
            TensorKind::U64,
            TensorKind::I64,
            TensorKind::F16,
            TensorKind::Bf16,
            TensorKind::F32,
            TensorKind::F64,
        ];
        let layout = TensorLayout::tiled(&[256, 128], &[16, 64]);
        // Memory that is not there is not touched.
        let mut maps: Vec<_> =
            kinds.map(|kind| layout.encode(gpu, kind, 0x1000).unwrap().raw().opaque).into();
        maps.sort_unstable();
        maps.dedup();
        assert_eq!(maps.len(), kinds.len(), "each is another one to the driver");
        for kind in [TensorKind::U4Packed8, TensorKind::U4Packed16, TensorKind::U6Packed16] {
            invalid(layout.encode(gpu, kind, 0x1000), "set the strides");
            let strided = TensorLayout::tiled(&[256, 128], &[128, 64]).strides(&[256]);
            match strided.encode(gpu, kind, 0x1000) {
                Err(error) => {
                    assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE), "{error}")
                }
                Ok(_) => assert!(gpu.device().compute_capability().unwrap().0 >= 10),
            }
        }
        let tf32 = layout.clone().float_format(FloatFormat::Tf32);
        invalid(tf32.encode(gpu, TensorKind::U32, 0x1000), "only elements of type `f32`");
        tf32.encode(gpu, TensorKind::F32, 0x1000).unwrap();
        invalid(
            layout.encode(gpu, TensorKind::F32, 0x1008),
            "begins at 0x1008, which is no multiple of 16 bytes",
        );
        if crate::common::software() {
            let nowhere = layout.encode(gpu, TensorKind::F32, 0).unwrap_err();
            assert!(nowhere.to_string().contains("the address is 0"), "{nowhere}");
        }
        invalid(layout.encode(gpu, TensorKind::F64, u64::MAX - 15), "larger than its memory");
    });
}

/// The kernel gets the map by value.
#[test]
fn a_launch_takes_an_encoded_map() {
    const FIRST: &str = r"
.version 7.0
.target sm_52
.address_size 64
.visible .entry first(.param .u64 out, .param .align 64 .b8 map[128])
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd1, %rd1;
    ld.param.u64 %rd2, [map+8];
    st.global.u64 [%rd1], %rd2;
    ret;
}
";
    with_stream(|gpu, stream| {
        if gpu.device().compute_capability().unwrap().0 < 9 {
            skip!("the device has no tensor memory accelerator");
        }
        let layout = TensorLayout::tiled(&[256, 128], &[8, 64]);
        let map = layout.encode(gpu, TensorKind::F32, 0x2000).unwrap();
        let first = kernel(gpu, FIRST, "first");
        let mut out = gpu.on(&stream).zeroed::<u64>(1).unwrap();
        // SAFETY: the kernel writes one element, and uses no tensor.
        unsafe { gpu.on(&stream).launch_unchecked(&first, ONE(), (&mut out, map)) }.unwrap();
        assert_eq!(read(gpu, &out), [map.raw().opaque[1]]);
        let mut list = first.arguments().unwrap();
        list.push(&mut out).unwrap().push(map).unwrap();
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_unchecked(&first, ONE(), list) }.unwrap();
    });
}

#[test]
fn linked_code_is_kept_and_loaded_again() {
    let context = new_context();
    let kept = context
        .with(|gpu| {
            let linker = gpu.linker(&JitOptions::new())?;
            Ok(linker.add(&Ptx::new(STORE)?, "store")?.finish()?.cubin.bytes().to_vec())
        })
        .unwrap();
    // Another run of the program.
    let another = new_context();
    another
        .with(|gpu| {
            let stream = gpu.stream()?;
            let module = gpu.load(&Cubin::from_linked(&kept)?)?;
            let mut x = gpu.on(&stream).zeroed::<u32>(1)?;
            let store = module.function("store")?;
            // SAFETY: the kernel is store(u32 *, u32): one element.
            unsafe { gpu.on(&stream).launch_unchecked(&store, ONE(), (&mut x, 3_u32)) }?;
            assert_eq!(gpu.on(&stream).to_vec(&x)?, [3]);
            Ok(())
        })
        .unwrap();
    // A cache that was damaged is found out.
    for damaged in [&[][..], b"nothing of the kind", &[&[0xff; 64], &kept[..]].concat()] {
        let refused = Cubin::from_linked(damaged).unwrap_err();
        assert!(matches!(refused, Error::Image(_)), "{refused}");
    }
    let cut = Cubin::from_linked(&kept[..kept.len() / 2]);
    assert!(cut.is_err() || another.with(|gpu| gpu.load(&cut.unwrap()).map(drop)).is_err());
}

#[test]
fn a_kernel_without_parameters_has_an_empty_list() {
    const NOTHING: &str =
        ".version 7.0 .target sm_52 .address_size 64 .visible .entry nothing() { ret; }";
    with_stream(|gpu, stream| {
        let nothing = kernel(gpu, NOTHING, "nothing");
        let list = nothing.arguments().unwrap();
        // SAFETY: the kernel does nothing.
        unsafe { gpu.on(&stream).launch_unchecked(&nothing, ONE(), list) }.unwrap();
        // SAFETY: as above.
        unsafe { gpu.on(&stream).launch_raw(&nothing, ONE(), &mut []) }.unwrap();
        stream.synchronize().unwrap();
        let ignore = kernel(gpu, IGNORE, "ignore");
        let mut list = ignore.arguments().unwrap();
        list.push(gpu.alloc::<u8>(1).unwrap().address()).unwrap();
        // SAFETY: the kernel ignores the address.
        unsafe { gpu.on(&stream).launch_unchecked(&ignore, ONE(), list) }.unwrap();
    });
}

/// 214 says that memory had an error, and 709 that the context is gone. Neither is sticky, and either ends a runtime's work.
#[test]
fn a_context_that_is_gone_is_poisoned() {
    fn poisoned(code: ffi::CUresult) -> (bool, bool) {
        let error = cuscope_softdriver::faults::with_fault(
            cuscope_softdriver::faults::Fault {
                which: cuscope_softdriver::faults::Which::Named("cuStreamCreate"),
                code,
                performed: false,
            },
            || new_context().with(|gpu| gpu.stream().map(drop)),
        )
        .0
        .unwrap_err();
        (error.is_sticky(), error.is_poisoned())
    }
    if !crate::common::software() {
        skip!("only the software driver fails as it is told");
    }
    assert_eq!(poisoned(ffi::CUDA_ERROR_ECC_UNCORRECTABLE), (false, true));
    assert_eq!(poisoned(ffi::CUDA_ERROR_CONTEXT_IS_DESTROYED), (false, true));
    assert_eq!(poisoned(ffi::CUDA_ERROR_INVALID_VALUE), (false, false));
    assert_eq!(poisoned(ffi::CUDA_ERROR_OUT_OF_MEMORY), (false, false));
}

/// A buffer is not borrowed by what shows its address.
#[test]
fn the_address_of_a_detached_buffer_makes_a_range() {
    let context = Context::primary(Device::get(0).unwrap()).unwrap();
    let page: Detached<DeviceBuffer<'static, u8>> =
        context.with(|gpu| Ok(gpu.alloc(1 << 12)?.detach())).unwrap();
    context
        .with(|gpu| {
            let stream = gpu.stream()?;
            // SAFETY: 1. and 2. A part of the page, which lives on and is used by nothing else.
            let mut x = unsafe { gpu.device_range::<f64>(page.address() + 512, 8) }?;
            gpu.on(&stream).zero(&mut x)?;
            assert_eq!(gpu.on(&stream).to_vec(&x)?, [0.0; 8]);
            Ok(())
        })
        .unwrap();
}
