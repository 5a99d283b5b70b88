//! Sizes of host memory that the host does not have: an error, not the end of the process.

use crate::common::gpu::with_gpu;
use cuscope::image::Ptx;
use cuscope::jit::JitOptions;
use cuscope::ordered::OrderedOptions;
use cuscope::{Error, Result, ffi};

/// The allocator has no such memory. The size is no overflow, also in pages and with a few elements more.
const HUGE: usize = 1 << 62;

#[track_caller]
fn refused<T>(result: Result<T>, call: &str) {
    let Err(error) = result else { panic!("there is no such memory") };
    assert_eq!(error.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY), "{error}");
    assert_eq!(error.call(), Some(call));
    let text = error.to_string();
    assert!(text.contains(call) && text.contains("the host does not have as much"), "{text}");
}

#[test]
fn page_locked_memory_that_the_host_does_not_have() {
    const REGISTER: &str = "cuMemHostRegister_v2";
    with_gpu(|gpu| {
        refused(gpu.pinned::<u8>(HUGE), REGISTER);
        refused(gpu.pinned::<[u64; 2]>(HUGE / 16), REGISTER);
        let past = gpu.pinned::<[u64; 2]>(HUGE).unwrap_err();
        assert!(matches!(past, Error::InvalidArgument { .. }), "{past}");
        let options = OrderedOptions::new().staging(HUGE);
        refused(gpu.ordered_stream_with(gpu.stream().unwrap(), &options), REGISTER);
        // Nothing is left of them.
        assert_eq!(gpu.pinned::<u8>(16).unwrap()[..], [0; 16]);
    });
}

/// With a limit of the addresses of the process, there is device memory that does not fit into host memory.
#[cfg(target_os = "linux")]
#[test]
fn device_memory_that_the_host_does_not_have_room_for() {
    crate::fresh!(device_memory_that_the_host_does_not_have_room_for, {
        with_gpu(|gpu| {
            const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";
            const LEN: usize = 256 << 20;
            let stream = gpu.stream().unwrap();
            let ordered = gpu.ordered_stream().unwrap();
            let mut buffer = gpu.alloc::<u8>(LEN).unwrap();
            let of_stream = ordered.alloc::<u8>(LEN).unwrap();
            ordered.synchronize().unwrap();
            // The allocations of the driver and the kernels' compiler for a first operation and a first image are there.
            gpu.on(&stream).zero(&mut buffer).unwrap();
            let image =
                ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry e() { ret; }\n";
            gpu.load_ptx(image).unwrap();
            limit(64 << 20);
            refused(gpu.on(&stream).to_vec(&buffer), DOWNLOAD);
            refused(gpu.on_legacy_default().to_vec(&buffer), DOWNLOAD);
            refused(ordered.to_vec(&of_stream), DOWNLOAD);
            let parts = gpu.scope(|s| s.hold(&mut buffer).chunks(1).map(drop));
            refused(parts, "ScopedBuffer::chunks");
            let log =
                gpu.load_with(&Ptx::new(image).unwrap(), &JitOptions::new().info_log(u32::MAX));
            assert_eq!(log.unwrap_err().code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
            // As much as there is room for.
            let part = buffer.slice(..1 << 10).unwrap();
            assert_eq!(gpu.on(&stream).to_vec(&part).unwrap(), [0; 1 << 10]);
        });
    });
}

/// Lets the process have so many more bytes of addresses.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "sets a limit of the process")]
fn limit(more: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split(' ').next().unwrap().parse().unwrap();
    // SAFETY: takes a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let most = pages * page + more;
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: reads two numbers.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
}
