//! Memory of other contexts and devices.

use super::rows::WAIT;
use super::table::Table;
use cuscope::ordered::OrderedOptions;
use cuscope::settings::RdmaScope;
use cuscope::{Context, ContextFlags, ContextStack, Device, ffi};

const COPY: &str = "cuMemcpyPeerAsync";
const RECORD: &str = "cuEventRecord";
const BEHIND: &str = "cuStreamWaitEvent";
const ROWS: &str = "cuMemcpy3DPeerAsync";

pub(crate) fn peers(t: &mut Table, first: &Context, second: &Context) {
    t.heading("Other devices");
    let (device, other) = (Device::get(0).unwrap(), Device::get(1).unwrap());
    t.row("Device::can_access_peer", &["cuDeviceCanAccessPeer"], || device.can_access_peer(other))
        .unwrap();
    let supported = ffi::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    let operations = [cuscope::ffi::CU_ATOMIC_OPERATION_INTEGER_ADD];
    t.row("Device::p2p_atomic_capabilities", &["cuDeviceGetP2PAtomicCapabilities"], || {
        device.p2p_atomic_capabilities(other, &operations)
    })
    .unwrap();
    t.row("Device::host_atomic_capabilities", &["cuDeviceGetHostAtomicCapabilities"], || {
        device.host_atomic_capabilities(&operations)
    })
    .unwrap();
    t.row("Device::p2p_attribute", &["cuDeviceGetP2PAttribute"], || {
        device.p2p_attribute(other, supported)
    })
    .unwrap();
    let far = Context::create(other, ContextFlags::default()).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(first).unwrap();
    t.row("PushedGuard::flush_rdma_writes", &["cuFlushGPUDirectRDMAWrites"], || {
        outer.flush_rdma_writes(RdmaScope::Owner)
    })
    .unwrap();
    t.row("PushedGuard::enable_peer_access", &["cuCtxEnablePeerAccess"], || {
        outer.enable_peer_access(&far)
    })
    .unwrap();
    t.row("PushedGuard::disable_peer_access", &["cuCtxDisablePeerAccess"], || {
        outer.disable_peer_access(&far)
    })
    .unwrap();
    let (mut x, mut z) = (outer.alloc::<u32>(16).unwrap(), outer.alloc::<u32>(16).unwrap());
    let theirs = outer.stream().unwrap();
    let gpu = outer.push(second).unwrap();
    let stream = gpu.stream().unwrap();
    let (on, legacy) = (gpu.on(&stream), gpu.on_legacy_default());
    let (mut y, mut rows) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc_pitched((4, 4)).unwrap());
    t.row("SyncStream::copy_from_peer", &[COPY, WAIT], || on.copy_from_peer(&x, &mut y)).unwrap();
    t.row("SyncStream::copy_to_peer", &[COPY, WAIT], || on.copy_to_peer(&y, &mut x)).unwrap();
    t.row("SyncStream::copy_from_peer, rows", &[ROWS, WAIT], || on.copy_from_peer(&x, &mut rows))
        .unwrap();
    t.row("SyncDefaultStream::copy_from_peer", &[COPY, WAIT], || legacy.copy_from_peer(&x, &mut y))
        .unwrap();
    t.row("SyncDefaultStream::copy_to_peer", &[COPY, WAIT], || legacy.copy_to_peer(&y, &mut x))
        .unwrap();
    let options = OrderedOptions::new().keep(0).staging(0);
    let ordered = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
    let elsewhere = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
    let far = elsewhere.zeroed::<u32>(16).unwrap();
    let mut near = ordered.zeroed::<u32>(16).unwrap();
    let both = [RECORD, BEHIND, COPY, RECORD, BEHIND];
    t.row("OrderedStream::copy_from_peer", &both, || ordered.copy_from_peer(&far, &mut near))
        .unwrap();
    let far = far.share();
    ordered.copy_from_peer(&far, &mut near).unwrap();
    t.row("OrderedStream::copy_from_peer, of memory that is shared", &[COPY], || {
        ordered.copy_from_peer(&far, &mut near)
    })
    .unwrap();
    gpu.scope(|s| {
        let (run, mut y) = (s.on(&stream), s.hold(&mut y));
        t.row("ScopedStream::copy_from_peer", &[COPY], || run.copy_from_peer(&x, &mut y))?;
        t.row("ScopedStream::copy_to_peer", &[COPY], || run.copy_to_peer(&y, &mut z))
    })
    .unwrap();
    gpu.scope(|s| {
        let (run, mut y) = (s.on(&stream), s.hold(&mut y));
        let (there, mut x) = (s.on_peer(&theirs), s.hold_peer(&mut x));
        // The first time creates the events.
        for _ in 0..2 {
            there.zero(&mut x)?;
            run.copy_from_peer(&x, &mut y)?;
        }
        there.zero(&mut x)?;
        let behind = [RECORD, BEHIND, COPY];
        t.row(
            "ScopedStream::copy_from_peer, of memory that a stream of the other context uses",
            &behind,
            || run.copy_from_peer(&x, &mut y),
        )
    })
    .unwrap();
}
