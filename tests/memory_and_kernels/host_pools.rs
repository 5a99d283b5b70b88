//! Page-locked memory from pools of the host.
#![allow(unsafe_code, reason = "launches kernels, and plays foreign code")]

use crate::common::gpu::{hold, kernel, new_context, with_gpu};
use crate::common::kernels::STORE;
use crate::{fresh, skip};
use cuscope::memory::{Location, PoolAccess};
use cuscope::{
    ContextStack, Device, Error, LaunchConfig, MemoryPool, Result, ffi, ordered::OrderedOptions,
};

/// A pool of the host, where there are such.
macro_rules! host_pool {
    () => {
        match host_pool() {
            Some(pool) => pool,
            None => skip!("no pools of the host"),
        }
    };
}

fn host_pool() -> Option<MemoryPool> {
    let has = ffi::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED;
    let has = Device::get(0).unwrap().attribute(has).unwrap_or(0) != 0;
    has.then(|| MemoryPool::create(Location::Host).unwrap())
}

/// The bytes that buffers have of a pool.
fn used(pool: &MemoryPool) -> u64 {
    pool.usage().unwrap().used
}

/// The reason for which something is refused before the driver is asked.
fn refused<T>(result: Result<T>) -> String {
    match result.map(drop).unwrap_err() {
        Error::InvalidArgument { call: "cuMemAllocFromPoolAsync", reason } => reason.to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn memory_of_the_host_is_used_by_copies_kernels_and_the_host() {
    let pool = host_pool!();
    let two = new_context();
    let mut pinned = with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut pinned = gpu.on(&stream).alloc_pinned_from::<u32>(&pool, 1000).unwrap();
        assert_eq!((&*pinned, used(&pool)), (&[0; 1000][..], 4000));
        assert_eq!(pinned.context(), gpu.context());
        let address = pinned.as_ptr().addr() as ffi::CUdeviceptr;
        assert_eq!(pinned.device_address(gpu), Ok(address));
        for (i, x) in pinned.iter_mut().enumerate() {
            *x = i as u32;
        }
        let copy = gpu.on(&stream).from_slice(&pinned).unwrap();
        let mut back = gpu.on(&stream).alloc_pinned_from::<u32>(&pool, 1000).unwrap();
        gpu.on(&stream).download(&copy, &mut back).unwrap();
        assert_eq!(*pinned, *back);
        // A kernel writes it at once.
        let store = kernel(gpu, STORE, "store");
        // SAFETY: the kernel is store(u32 *at, u32 value), and writes one element.
        unsafe {
            gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut back, 77_u32))
        }
        .unwrap();
        assert_eq!(back[..3], [77, 1, 2]);
        // A scope copies with it in flight.
        let mut other = gpu.alloc::<u32>(1000).unwrap();
        gpu.scope(|scope| {
            let mut to = scope.hold(&mut other);
            scope.on(&stream).upload(&back, &mut to)
        })
        .unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&other).unwrap(), *back);
        // And lends it to a kernel.
        gpu.scope(|scope| {
            let mut mapped = scope.map(&mut back);
            // SAFETY: as above.
            unsafe {
                scope.on(&stream).launch_unchecked(
                    &store,
                    LaunchConfig::new(1, 1),
                    (&mut mapped, 79_u32),
                )
            }
        })
        .unwrap();
        assert_eq!(back[..2], [79, 1]);
        pinned
    });
    // Under another context, and from another thread.
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&two).unwrap();
    let stream = gpu.stream().unwrap();
    let store = kernel(&gpu, STORE, "store");
    // SAFETY: as above.
    unsafe {
        gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut pinned, 78_u32))
    }
    .unwrap();
    assert_eq!(
        gpu.on(&stream).from_slice(&pinned).and_then(|x| gpu.on(&stream).to_vec(&x)).unwrap()[..2],
        [78, 1]
    );
    std::thread::spawn(move || drop(pinned)).join().unwrap();
    assert_eq!(used(&pool), 0);
}

#[test]
fn memory_comes_back_to_the_pool_and_is_zero_again() {
    let pool = host_pool!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        pool.set_release_threshold(u64::MAX).unwrap();
        let alloc = || gpu.on(&stream).alloc_pinned_from::<u8>(&pool, 5000).unwrap();
        for _ in 0..3 {
            let mut pinned = alloc();
            assert!(pinned.iter().all(|&byte| byte == 0));
            pinned.fill(7);
            assert_eq!(used(&pool), 5000);
        }
        stream.synchronize().unwrap();
        assert_eq!(used(&pool), 0);
        assert!(pool.usage().unwrap().reserved > 0, "it keeps what it has");
        // The buffer keeps the pool.
        let pinned = gpu.on(&stream).alloc_pinned_from::<u8>(&host_pool!(), 10).unwrap();
        assert_eq!(*pinned, [0; 10]);
        // None for no bytes.
        let mut none = gpu.on(&stream).alloc_pinned_from::<u64>(&pool, 0).unwrap();
        assert_eq!((none.as_mut().len(), none.iter().count(), used(&pool)), (0, 0, 0));
    });
}

#[test]
fn a_busy_stream_lets_the_host_have_memory_at_once() {
    let pool = host_pool!();
    with_gpu(|gpu| {
        let busy = gpu.stream().unwrap();
        let mut before = gpu.on(&busy).alloc_pinned_from::<u8>(&pool, 64).unwrap();
        let gate = hold(&busy);
        before.fill(3);
        drop(before);
        let mut pinned = gpu.on(&busy).alloc_pinned_from::<u8>(&pool, 64).unwrap();
        assert_eq!(*pinned, [0; 64]);
        pinned.fill(4);
        assert!(!busy.query().unwrap(), "it waited");
        gate.open();
        busy.synchronize().unwrap();
        assert_eq!(*pinned, [4; 64]);
    });
}

#[test]
fn pools_of_a_device_and_of_the_host_are_told_apart() {
    let pool = host_pool!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let of_device = MemoryPool::create(gpu.device()).unwrap();
        assert_eq!(of_device.location(), Location::Device(gpu.device()));
        assert_eq!(pool.location(), Location::Host);
        let reason = refused(on.alloc_pinned_from::<u8>(&of_device, 8));
        assert_eq!(reason, "the pool has memory of a device: use a pool of `Location::Host`");
        let reason = "the pool has memory of the host: use `SyncStream::alloc_pinned_from`";
        assert_eq!(refused(on.alloc_from::<u8>(&pool, 8)), reason);
        assert_eq!(
            refused(
                gpu.ordered_stream_with(gpu.stream().unwrap(), &OrderedOptions::new().pool(&pool))
            ),
            reason
        );
        // Sizes.
        let large = refused(on.alloc_pinned_from::<u32>(&pool, usize::MAX));
        let most = usize::MAX;
        let says =
            format!("a buffer of {most} elements of 4 bytes is larger than the address space");
        assert!(large.contains(&says), "{large}");
        let code = on.alloc_pinned_from::<u8>(&pool, 1 << 50).unwrap_err().code();
        assert_eq!(code, Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
        // Access is every device's; what is not shared with other processes has no descriptor.
        for device in Device::all().unwrap() {
            assert_eq!(pool.access(device), Ok(PoolAccess::ReadWrite));
        }
        assert!(MemoryPool::create(Location::HostNumaCurrent).is_err());
        let node = MemoryPool::create(Location::HostNuma(0)).unwrap();
        assert_eq!(node.location(), Location::HostNuma(0));
        assert_eq!(*on.alloc_pinned_from::<u16>(&node, 5).unwrap(), [0; 5]);
        assert_ne!(node, pool);
    });
}

#[test]
fn the_host_has_a_pool_and_another_one_can_be_set() {
    fresh!(the_host_has_a_pool_and_another_one_can_be_set, {
        let pool = host_pool!();
        let first = match MemoryPool::default_of(Location::Host) {
            Err(Error::NeedsDriver { .. }) => skip!("a driver of CUDA 12"),
            first => first.unwrap(),
        };
        assert_eq!((first.is_current(), pool.is_current()), (Ok(true), Ok(false)));
        pool.make_current().unwrap();
        assert_eq!((first.is_current(), pool.is_current()), (Ok(false), Ok(true)));
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let mut pinned = gpu.on(&stream).alloc_pinned_from::<u32>(&first, 4).unwrap();
            let store = kernel(gpu, STORE, "store");
            // SAFETY: the kernel is store(u32 *at, u32 value), and writes one element.
            unsafe {
                gpu.on(&stream).launch_unchecked(
                    &store,
                    LaunchConfig::new(1, 1),
                    (&mut pinned, 5_u32),
                )
            }
            .unwrap();
            assert_eq!(*pinned, [5, 0, 0, 0]);
        });
    });
}

/// An element that must begin at multiples of 64 KiB.
#[derive(Clone, Copy, bytemuck::Zeroable)]
#[repr(C, align(65536))]
struct Aligned([u8; 65536]);
// SAFETY: bytes only, without padding.
unsafe impl bytemuck::Pod for Aligned {}

#[test]
fn no_element_begins_at_an_address_that_it_may_not_have() {
    let pool = host_pool!();
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let (mut small, mut large) = (Vec::new(), Vec::new());
        // Where others leave room by chance, many are aligned.
        let refusal = (0..64).find_map(|_| {
            small.push(on.alloc_pinned_from::<u8>(&pool, 1).unwrap());
            match on.alloc_pinned_from::<Aligned>(&pool, 1) {
                Ok(aligned) => {
                    assert!(aligned.as_ptr().is_aligned());
                    large.push(aligned);
                    None
                }
                error => Some(refused(error)),
            }
        });
        assert!(refusal.expect("all are aligned").contains("alignment"));
    });
}
