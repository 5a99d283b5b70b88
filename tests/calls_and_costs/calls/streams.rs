//! Streams and events.

use super::rows::WAIT;
use super::table::Table;
use cuscope::{EventFlags, PushedGuard, StreamFlags, stream::SyncPolicy};

pub(crate) fn streams(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Streams and events");
    let stream = t.row("PushedGuard::stream", &["cuStreamCreate"], || gpu.stream()).unwrap();
    t.row("PushedGuard::stream_with", &["cuStreamCreate", "cuStreamDestroy_v2"], || {
        gpu.stream_with(StreamFlags::empty()).map(drop)
    })
    .unwrap();
    let urgent = t
        .row("PushedGuard::stream_with_priority", &["cuStreamCreateWithPriority"], || {
            gpu.stream_with_priority(StreamFlags::NON_BLOCKING, -1)
        })
        .unwrap();
    t.row("Stream::priority", &["cuStreamGetPriority"], || urgent.priority()).unwrap();
    t.row("Stream::flags", &["cuStreamGetFlags"], || stream.flags()).unwrap();
    t.row("Stream::query", &["cuStreamQuery"], || stream.query()).unwrap();
    t.row("Stream::synchronize", &[WAIT], || stream.synchronize()).unwrap();
    t.row("Stream::finished", &["cuStreamAddCallback"], || stream.finished().map(drop)).unwrap();
    stream.synchronize().unwrap();
    t.row("Stream, dropped", &["cuStreamDestroy_v2"], || drop(urgent));
    let first = t.row("PushedGuard::event", &["cuEventCreate"], || gpu.event()).unwrap();
    let last = t
        .row("PushedGuard::event_with", &["cuEventCreate"], || gpu.event_with(EventFlags::empty()))
        .unwrap();
    t.row("Context::event", &["cuEventCreate"], || gpu.context().event()).unwrap();
    let with = || gpu.context().event_with(EventFlags::empty());
    t.row("Context::event_with", &["cuEventCreate"], with).unwrap();
    let on = gpu.on(&stream);
    t.row("SyncStream::record", &["cuEventRecord"], || on.record(&first)).unwrap();
    t.row("SyncStream::wait", &["cuStreamWaitEvent"], || on.wait(&first)).unwrap();
    on.record(&last).unwrap();
    t.row("Event::synchronize", &["cuEventSynchronize"], || last.synchronize()).unwrap();
    t.row("Event::query", &["cuEventQuery"], || last.query()).unwrap();
    let limit = std::time::Duration::ZERO;
    let wait = || last.synchronize_timeout(limit);
    t.row("Event::synchronize_timeout, of a complete event", &["cuEventQuery"], wait).unwrap();
    t.row("Event::elapsed_since", &["cuEventElapsedTime"], || last.elapsed_since(&first)).unwrap();
    t.row("PushedGuard::record_event", &["cuCtxRecordEvent"], || gpu.record_event(&last)).unwrap();
    t.row("PushedGuard::wait_event", &["cuCtxWaitEvent"], || gpu.wait_event(&last)).unwrap();
    t.row("Event, dropped", &["cuEventDestroy_v2"], || drop(last));
    t.row("SyncStream::host_function", &["cuLaunchHostFunc", WAIT], || on.host_function(|| ()))
        .unwrap();
    let why = "the handle is checked";
    let asks = ["cuStreamGetCtx", "cuStreamGetFlags"];
    let theirs = t.unlike("PushedGuard::stream_from_raw", &[], &asks, why, || {
        // SAFETY: 1. to 3. The stream outlives it, and nobody captures it.
        unsafe { gpu.stream_from_raw(stream.raw(), ()) }
    });
    t.row("Stream of other code, dropped", &[], || drop(theirs.unwrap()));
    attributes(t, gpu);
}

fn attributes(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Attributes of streams");
    let (get, set) = ("cuStreamGetAttribute", "cuStreamSetAttribute");
    let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    t.row("Stream::id", &["cuStreamGetId"], || a.id()).unwrap();
    t.unlike("Stream::device", &["cuStreamGetDevice"], &[], "cuscope stores it", || a.device());
    t.row("Stream::sync_policy", &[get], || a.sync_policy()).unwrap();
    t.row("Stream::set_sync_policy", &[set], || a.set_sync_policy(SyncPolicy::Yield)).unwrap();
    let window =
        t.row("Stream::access_policy_window", &[get], || a.access_policy_window()).unwrap();
    t.row("Stream::set_access_policy_window", &[set], || a.set_access_policy_window(window))
        .unwrap();
    t.row("Stream::set_priority", &[set], || a.set_priority(-1)).unwrap();
    let domain = t.row("Stream::mem_sync_domain", &[get], || a.mem_sync_domain()).unwrap();
    t.row("Stream::set_mem_sync_domain", &[set], || a.set_mem_sync_domain(domain)).unwrap();
    let map = t.row("Stream::mem_sync_domain_map", &[get], || a.mem_sync_domain_map()).unwrap();
    t.row("Stream::set_mem_sync_domain_map", &[set], || a.set_mem_sync_domain_map(map)).unwrap();
    t.row("Stream::copy_attributes", &["cuStreamCopyAttributes"], || b.copy_attributes(&a))
        .unwrap();
}
