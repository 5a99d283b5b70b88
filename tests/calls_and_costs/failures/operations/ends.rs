//! Functions of the host, the end of a stream, and handles without a guard.

use super::{Operation, pushed, store};
use crate::common::gpu::try_new_context;
use cuscope::{ContextStack, Detached, Stream, detached::Branded};

operations! {
    "host functions in a scope" => pushed(|gpu| {
        let stream = gpu.stream()?;
        gpu.scope(|s| s.on(&stream).host_function(|| ()))
    });
    "a host function" => pushed(|gpu| gpu.on(&gpu.stream()?).host_function(|| ()));
    "the end of a stream" => pushed(|gpu| {
        let finished = gpu.stream()?.finished()?;
        drop(finished);
        Ok(())
    });
    "handles that are detached" => {
        let context = try_new_context()?;
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let stream: Detached<Stream<'static>> = gpu.stream()?.detach();
        gpu.pop()?;
        let gpu = stack.push(&context)?;
        gpu.bind(&stream)?.query()?;
        let stream = gpu.attach(stream)?;
        let buffer = gpu.alloc::<u8>(3)?.detach();
        let rest = (stream, gpu.event()?, Some(store(&gpu)?), [gpu.stream()?]).detach();
        gpu.pop()?;
        drop((buffer, rest));
        Ok(())
    };
}
