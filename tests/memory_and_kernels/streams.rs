//! Properties of streams: numbers, devices, attributes.

use crate::common::gpu::with_gpu;
use cuscope::{
    Error, ffi,
    memory::{AccessPolicyWindow, AccessProperty, MemSyncDomain},
    stream::{MemSyncDomainMap, SyncPolicy},
};
use std::time::{Duration, Instant};

#[test]
fn streams_have_numbers_and_a_device() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        assert_ne!(a.id().unwrap(), b.id().unwrap());
        let first = a.id().unwrap();
        drop(a);
        assert_ne!(gpu.stream().unwrap().id().unwrap(), first, "never given again");
        assert_eq!(b.device(), gpu.device());
    });
}

#[test]
fn attributes_are_those_that_were_set() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let x = gpu.alloc::<u32>(1024).unwrap();
        assert_eq!(a.sync_policy().unwrap(), None);
        let policies =
            [SyncPolicy::Auto, SyncPolicy::Spin, SyncPolicy::Yield, SyncPolicy::BlockingSync];
        for policy in policies {
            a.set_sync_policy(policy).unwrap();
            assert_eq!(a.sync_policy().unwrap(), Some(policy));
            a.synchronize().unwrap();
        }
        let range = gpu.stream_priority_range().unwrap();
        a.set_priority(range.greatest).unwrap();
        assert_eq!(a.priority().unwrap(), range.greatest);
        a.set_priority(range.least + 10).unwrap();
        assert_eq!(a.priority().unwrap(), range.least);
        a.set_priority(range.greatest).unwrap();

        assert_eq!(a.access_policy_window().unwrap(), None);
        let window = AccessPolicyWindow::persisting(&x.slice(..512).unwrap(), 0.25).unwrap();
        a.set_access_policy_window(Some(window)).unwrap();
        let told = a.access_policy_window().unwrap().unwrap();
        assert_eq!(told, window);
        assert_eq!(
            (told.hit(), told.miss()),
            (AccessProperty::Persisting, AccessProperty::Streaming)
        );
        assert_eq!((told.address(), told.size_bytes()), (x.address(), 2048));
        let normal = AccessProperty::Normal;
        let part = x.slice(..512).unwrap();
        let plain = AccessPolicyWindow::new(&part, 0.25, normal, normal).unwrap();
        assert_eq!((plain.hit_ratio(), plain.hit(), plain.miss()), (0.25, normal, normal));
        a.set_access_policy_window(Some(plain)).unwrap();
        assert_eq!(a.access_policy_window().unwrap(), Some(plain));

        assert_eq!(a.mem_sync_domain().unwrap(), MemSyncDomain::Default);
        a.set_mem_sync_domain(MemSyncDomain::Remote).unwrap();
        assert_eq!(a.mem_sync_domain().unwrap(), MemSyncDomain::Remote);
        let first = MemSyncDomainMap { default: 0, remote: 1 };
        assert_eq!(a.mem_sync_domain_map().unwrap(), first);
        let map = MemSyncDomainMap { default: 1, remote: 0 };
        a.set_mem_sync_domain_map(map).unwrap();
        assert_eq!(a.mem_sync_domain_map().unwrap(), map);

        b.copy_attributes(&a).unwrap();
        assert_eq!(b.sync_policy().unwrap(), Some(SyncPolicy::BlockingSync));
        assert_eq!(b.priority().unwrap(), range.greatest);
        assert_eq!(b.access_policy_window().unwrap(), Some(plain));
        assert_eq!(b.mem_sync_domain().unwrap(), MemSyncDomain::Remote);
        assert_eq!(b.mem_sync_domain_map().unwrap(), map);
        a.set_access_policy_window(None).unwrap();
        assert_eq!(a.access_policy_window().unwrap(), None);
        assert_eq!(b.access_policy_window().unwrap(), Some(plain), "a copy");
        // Work runs with them as without.
        drop(x);
        let on = gpu.on(&b);
        let y = on.from_slice(&[1_u8, 2]).unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [1, 2]);
    });
}

#[test]
fn attributes_that_are_none_are_refused() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let x = gpu.alloc::<u32>(1024).unwrap();
        let persists = AccessProperty::Persisting;
        let start = x.address();
        for bad in [
            AccessPolicyWindow::persisting(&x, 1.5),
            AccessPolicyWindow::persisting(&x, -0.1),
            AccessPolicyWindow::persisting(&x, f32::NAN),
            AccessPolicyWindow::new(&x, 0.5, persists, persists),
            AccessPolicyWindow::persisting(&(start..start), 0.5),
            AccessPolicyWindow::persisting(&(start..0), 0.5),
        ] {
            let refused = bad.unwrap_err();
            let call = "cuStreamSetAttribute";
            assert!(matches!(refused, Error::InvalidArgument { call: c, .. } if c == call));
        }
        let code = |result: cuscope::Result| result.unwrap_err().code();
        let wide = AccessPolicyWindow::persisting(&(start..start + (1 << 40)), 0.5).unwrap();
        let invalid = Some(ffi::CUDA_ERROR_INVALID_VALUE);
        assert_eq!(code(stream.set_access_policy_window(Some(wide))), invalid);
        let map = MemSyncDomainMap { default: 0, remote: 255 };
        assert_eq!(code(stream.set_mem_sync_domain_map(map)), invalid);
        assert_eq!(stream.access_policy_window().unwrap(), None, "nothing changed");
    });
}

#[test]
fn a_window_covers_memory_that_is_lent_or_freed() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut x = gpu.alloc::<u32>(1024).unwrap();
        let start = x.address();
        let addresses = start + 2048..start + 4096;
        let range = AccessPolicyWindow::persisting(&addresses, 1.0).unwrap();
        let part = AccessPolicyWindow::persisting(&x.slice(512..).unwrap(), 1.0).unwrap();
        assert_eq!(part, range);
        let part = AccessPolicyWindow::persisting(&x.slice_mut(512..).unwrap(), 1.0).unwrap();
        assert_eq!(part, range);
        gpu.scope(|s| {
            let mut held = s.hold(&mut x);
            let part = AccessPolicyWindow::persisting(&held.slice(512..)?, 1.0)?;
            assert_eq!(part, range);
            let whole = AccessPolicyWindow::persisting(&held, 1.0)?;
            assert_eq!((whole.address(), whole.size_bytes()), (start, 4096));
            stream.set_access_policy_window(Some(whole))?;
            s.on(&stream).fill(&mut held, 7)
        })
        .unwrap();
        let on = gpu.on(&stream);
        assert_eq!(on.to_vec(&x).unwrap(), [7; 1024]);
        let whole = AccessPolicyWindow::persisting(&x, 1.0).unwrap();
        drop(x);
        assert_eq!(stream.access_policy_window().unwrap(), Some(whole));
        stream.set_access_policy_window(Some(part)).unwrap();
        let y = on.from_slice(&[1_u8, 2]).unwrap();
        assert_eq!(on.to_vec(&y).unwrap(), [1, 2]);
    });
}

#[test]
fn a_wait_with_a_limit_ends_with_the_work_or_with_the_limit() {
    with_gpu(|gpu| {
        let (event, ordered) = (gpu.event().unwrap(), gpu.ordered_stream().unwrap());
        assert_eq!(event.synchronize_timeout(Duration::ZERO), Ok(true), "never recorded");
        let (go, wait) = std::sync::mpsc::channel::<()>();
        ordered.host_function(move || wait.recv().unwrap_or(())).unwrap();
        ordered.record(&event).unwrap();
        let start = Instant::now();
        for limit in [Duration::ZERO, Duration::from_micros(1), Duration::from_millis(3)] {
            assert_eq!(event.synchronize_timeout(limit), Ok(false));
        }
        assert!(start.elapsed() >= Duration::from_millis(3), "it did not wait");
        // Longer than any test runs, and longer than a clock can tell.
        for limit in [Duration::from_secs(3600), Duration::MAX] {
            let _ = go.send(());
            assert_eq!(event.synchronize_timeout(limit), Ok(true));
        }
    });
}
