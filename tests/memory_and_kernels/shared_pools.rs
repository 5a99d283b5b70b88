//! Pools between processes: each test starts another one, which imports.
#![cfg(unix)] // its handle is a descriptor
#![allow(
    unsafe_code,
    reason = "imports memory, launches a kernel, and lets a child inherit a descriptor"
)]

use crate::common::gpu::{kernel, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, skip};
use cuscope::ipc::{ImportedPool, PooledHandle};
use cuscope::memory::BufferKind;
use cuscope::{ContextFlags, Device, LaunchConfig, MemoryPool, PushedGuard, ffi};
use cuscope_softdriver::control::live;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

/// Where the other process finds the descriptor and the handles.
const SENT: &str = "CUSCOPE_TEST_POOL";

/// Leaves the test where no pools go to other processes.
macro_rules! needs_shared_pools {
    ($gpu:expr) => {
        let attribute = ffi::CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
        if $gpu.device().attribute(attribute).unwrap() & 1 == 0 {
            skip!("the device shares no pools by file descriptors");
        }
    };
}

/// Returns the handles that the parent sent, if this is the other process.
fn sent() -> Option<(OwnedFd, Vec<PooledHandle>)> {
    let text = std::env::var(SENT).ok()?;
    let mut parts = text.split(' ');
    // SAFETY: the descriptor was inherited for this.
    let descriptor = unsafe { OwnedFd::from_raw_fd(parts.next()?.parse().unwrap()) };
    let byte = |part: &str, i: usize| u8::from_str_radix(&part[2 * i..2 * i + 2], 16).unwrap();
    let handle = |part| PooledHandle::from_bytes(std::array::from_fn(|i| byte(part, i)));
    Some((descriptor, parts.map(handle).collect()))
}

/// Runs the test in another process, which gets the pool and the handles.
fn send(test: &str, pool: &MemoryPool, handles: &[PooledHandle]) {
    let descriptor = pool.export().unwrap();
    // SAFETY: takes no memory. The child is to inherit it.
    assert_eq!(unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_SETFD, 0) }, 0);
    let mut text = descriptor.as_raw_fd().to_string();
    for handle in handles {
        text.push(' ');
        handle.to_bytes().iter().for_each(|byte| text += &format!("{byte:02x}"));
    }
    let output = common::respawn_with(module_path!(), test, &[(SENT, &text)]).unwrap();
    common::assert_success(test, &output);
}

fn import(descriptor: &OwnedFd) -> ImportedPool {
    // SAFETY: 1. A pool was exported, mostly by the parent. 2. Each test imports it once.
    unsafe { ImportedPool::import(descriptor.as_fd()) }.unwrap()
}

fn shareable(gpu: &PushedGuard<'_>) -> MemoryPool {
    MemoryPool::create_shareable(gpu.device()).unwrap()
}

#[test]
fn two_processes_work_on_buffers_of_one_pool() {
    with_gpu(|gpu| {
        needs_shared_pools!(gpu);
        let stream = gpu.stream().unwrap();
        if let Some((descriptor, handles)) = sent() {
            let before = live();
            let pool = import(&descriptor);
            drop(descriptor);
            // SAFETY: 1. to 3. The parent waits for the end of this process. 4. Once each.
            let mut all = handles
                .iter()
                .map(|handle| unsafe { gpu.import_pooled::<u32>(&pool, handle) }.unwrap());
            let (mut x, y) = (all.next().unwrap(), all.next().unwrap());
            // The imported memory keeps the pool.
            drop(pool);
            assert_eq!((x.len(), y.len(), x.kind()), (1000, 10, BufferKind::Foreign));
            assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [5; 1000]);
            assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), [6; 10]);
            gpu.on(&stream).fill(&mut x.slice_mut(1..).unwrap(), 8).unwrap();
            gpu.scope(|s| {
                let (store, mut held) = (kernel(gpu, STORE, "store"), s.hold(&mut x));
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    s.on(&stream).launch_unchecked(
                        &store,
                        LaunchConfig::new(1, 1),
                        (&mut held, 7_u32),
                    )
                }
            })
            .unwrap();
            // Dropped without a context, on another thread.
            let (x, y) = (x.detach(), y.detach());
            std::thread::spawn(move || drop(x)).join().unwrap();
            // On a thread of the driver, which refuses to free it there.
            let ordered = gpu.ordered_stream().unwrap();
            ordered.host_function(move || drop(y)).unwrap();
            ordered.synchronize().unwrap();
            if common::software() {
                assert_eq!(live().pools, before.pools + 1, "the memory has its pool");
            }
            gpu.context().synchronize().unwrap();
            drop(ordered);
            let now = live();
            assert_eq!((now.allocations, now.pools), (before.allocations, before.pools));
            return;
        }
        let pool = shareable(gpu);
        let mut x = gpu.on(&stream).alloc_from::<u32>(&pool, 1000).unwrap();
        let mut y = gpu.on(&stream).alloc_from::<u32>(&pool, 10).unwrap();
        gpu.on(&stream).fill(&mut x, 5).unwrap();
        gpu.on(&stream).fill(&mut y, 6).unwrap();
        let early = gpu.export_pooled(&x).unwrap_err();
        assert_eq!(early.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE), "before the pool");
        drop(pool.export().unwrap());
        let handles = [gpu.export_pooled(&x).unwrap(), gpu.export_pooled(&y).unwrap()];
        assert_eq!((handles[0].size_bytes(), handles[1].size_bytes()), (4000, 40));
        assert_eq!(format!("{:?}", handles[1]), "PooledHandle(40 bytes)");
        send("two_processes_work_on_buffers_of_one_pool", &pool, &handles);
        let values = gpu.on(&stream).to_vec(&x).unwrap();
        assert!(values[0] == 7 && values[1..].iter().all(|&value| value == 8));
        // It goes on to be the memory of this process.
        gpu.on(&stream).fill(&mut x, 9).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [9; 1000]);
    });
}

#[test]
fn memory_whose_pool_cannot_be_exported_is_refused() {
    with_gpu(|gpu| {
        needs_shared_pools!(gpu);
        let (stream, pool) = (gpu.stream().unwrap(), shareable(gpu));
        let refused = |result: cuscope::Result<PooledHandle>| {
            assert_eq!(result.unwrap_err().call(), Some("cuMemPoolExportPointer"));
        };
        let before_the_call = |result: cuscope::Result<PooledHandle>| {
            let error = result.unwrap_err();
            assert!(matches!(error, cuscope::Error::InvalidArgument { .. }), "{error}");
            assert_eq!(error.call(), Some("cuMemPoolExportPointer"));
        };
        before_the_call(gpu.export_pooled(&gpu.alloc::<u32>(4).unwrap()));
        before_the_call(gpu.export_pooled(&gpu.on(&stream).alloc_from::<u32>(&pool, 0).unwrap()));
        // The driver's to refuse.
        refused(gpu.export_pooled(&gpu.on(&stream).alloc::<u32>(4).unwrap()));
        let plain = MemoryPool::create(gpu.device()).unwrap().export().unwrap_err();
        assert_eq!(plain.call(), Some("cuMemPoolExportToShareableHandle"));
    });
}

#[test]
fn only_handles_of_the_pool_are_imported() {
    with_gpu(|gpu| {
        needs_shared_pools!(gpu);
        let stream = gpu.stream().unwrap();
        if let Some((descriptor, handles)) = sent() {
            let (pool, before) = (import(&descriptor), live());
            assert!(format!("{pool:?}").starts_with("ImportedPool(0x"), "{pool:?}");
            let refused = |handle: &PooledHandle| {
                // SAFETY: a handle that the driver refuses.
                let imported = unsafe { gpu.import_pooled::<u32>(&pool, handle) };
                assert_eq!(imported.unwrap_err().call(), Some("cuMemPoolImportPointer"));
            };
            // Of another pool, and none.
            refused(&handles[1]);
            refused(&PooledHandle::from_bytes([0; PooledHandle::SIZE]));
            // SAFETY: 1. to 3. The parent waits. 4. Nothing is imported.
            let none = unsafe { gpu.import_pooled::<[u32; 0]>(&pool, &handles[0]) };
            assert_eq!(none.unwrap_err().call(), Some("cuMemPoolImportPointer"));
            assert_eq!(live().allocations, before.allocations);
            assert_eq!(pool, pool.clone());
            let other = MemoryPool::create_shareable(gpu.device()).unwrap();
            assert_ne!(pool, import(&other.export().unwrap()));
            let null = std::fs::File::open("/dev/null").unwrap();
            // SAFETY: no descriptor of a pool, which the driver refuses.
            let none = unsafe { ImportedPool::import(null.as_fd()) }.unwrap_err();
            assert_eq!(none.call(), Some("cuMemPoolImportFromShareableHandle"));
            return;
        }
        let pools = [shareable(gpu), shareable(gpu)];
        let alloc = |pool| gpu.on(&stream).alloc_from::<u32>(pool, 100).unwrap();
        let buffers = [alloc(&pools[0]), alloc(&pools[1])];
        pools.iter().for_each(|pool| drop(pool.export().unwrap()));
        let handles = buffers.each_ref().map(|buffer| gpu.export_pooled(buffer).unwrap());
        send("only_handles_of_the_pool_are_imported", &pools[0], &handles);
    });
}

#[test]
fn a_pool_is_imported_on_its_own_device() {
    with_gpu(|gpu| {
        needs_shared_pools!(gpu);
        if Device::count().unwrap() < 2 {
            skip!("one device");
        }
        let stream = gpu.stream().unwrap();
        if let Some((descriptor, handles)) = sent() {
            let (pool, before) = (import(&descriptor), live());
            let other =
                cuscope::Context::create(Device::get(1).unwrap(), ContextFlags::empty()).unwrap();
            std::thread::spawn(move || {
                let mut stack = cuscope::ContextStack::current_thread().unwrap();
                let gpu = stack.push(&other).unwrap();
                // SAFETY: 1. to 3. The parent waits. 4. Once.
                let other = unsafe { gpu.import_pooled::<u32>(&pool, &handles[0]) };
                assert_eq!(other.unwrap_err().call(), Some("cuMemPoolImportPointer"));
            })
            .join()
            .unwrap();
            assert_eq!(live().allocations, before.allocations);
            return;
        }
        let pool = shareable(gpu);
        let x = gpu.on(&stream).alloc_from::<u32>(&pool, 100).unwrap();
        drop(pool.export().unwrap());
        send("a_pool_is_imported_on_its_own_device", &pool, &[gpu.export_pooled(&x).unwrap()]);
    });
}
