//! One thread on many devices.

use super::{Kept, Then};
use crate::common::foreign::current;
use crate::common::gpu::new_context_on;
use cuscope::{Context, ContextStack, Device, Error, PushContext, Result};

#[test]
fn one_thread_drives_every_device_in_turn() {
    // Two contexts a device, so that there are several where there is one device.
    let devices = Device::all().unwrap();
    let contexts: Vec<Context> =
        devices.iter().flat_map(|&d| [new_context_on(d), new_context_on(d)]).collect();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut all: Vec<Kept> =
        contexts.iter().map(|c| Kept::new(&mut stack, c.clone()).unwrap()).collect();
    for round in 1..=10 {
        for kept in &mut all {
            assert!(current().is_null());
            // One that fails takes nothing from the others, nor from itself.
            let then = if round == 4 { Then::FailCovered } else { Then::Succeed };
            assert_eq!(kept.next(&mut stack, then).is_ok(), then == Then::Succeed);
        }
    }
    for (kept, context) in all.iter_mut().zip(&contexts) {
        assert_eq!(kept.next(&mut stack, Then::Succeed), Ok([11, 0, 0, 0]));
        assert_eq!(kept.context.device(), context.device());
    }
    // In a turn, only the turn's own handles can be bound.
    for (i, context) in contexts.iter().enumerate() {
        let gpu = stack.push(context).unwrap();
        assert_eq!(current(), context.raw());
        for (j, kept) in all.iter().enumerate() {
            let bound = gpu.bind(&kept.handles).map(|handles| handles.stores);
            let other = Error::OtherContext { call: "PushedGuard::bind" };
            assert_eq!(bound, if i == j { Ok(11) } else { Err(other) });
        }
    }
    assert!(current().is_null());
    drop(all);
    for context in contexts {
        context.try_destroy().expect("nothing holds it").unwrap();
    }
}

#[test]
fn all_devices_at_once_unwind_in_order() {
    fn descend(stack: &mut impl PushContext, all: &mut [Kept]) -> Result<u32> {
        let Some((first, rest)) = all.split_first_mut() else { return Ok(0) };
        let below = current();
        let context = first.context.clone();
        let mut gpu = stack.push(&context)?;
        let sum = descend(&mut gpu, rest)?;
        assert_eq!(current(), first.context.raw());
        let [stored, ..] = first.next(&mut gpu, Then::Succeed)?;
        gpu.pop()?;
        assert_eq!(current(), below);
        Ok(sum + stored)
    }
    let devices = Device::all().unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let mut all: Vec<Kept> = (0..6)
        .map(|i| Kept::new(&mut stack, new_context_on(devices[i % devices.len()])).unwrap())
        .collect();
    assert_eq!(descend(&mut stack, &mut all), Ok(6));
    assert_eq!(descend(&mut stack, &mut all), Ok(12));
    assert!(current().is_null());
}
