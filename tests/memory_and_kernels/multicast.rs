//! Multicast objects, on the software driver alone: it has them wherever there are two devices.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::new_context_on;
use crate::common::software;
use crate::{skip, skip_under_miri};
use cuscope::error::RangeUnit;
use cuscope::virtual_memory::{MappedAccess, Multicast, PhysicalMemory, Reservation};
use cuscope::{ContextStack, Device, Error, LaunchConfig, Result, ffi};
use cuscope_softdriver::control::live;
use cuscope_softdriver::faults::{Fault, Which, with_fault};

/// `all(ptr, value)`: stores the value, adds 1 after it, and stores what all devices have together after that.
const ALL: &str = "
.version 8.1
.target sm_90
.address_size 64
.visible .entry all(.param .u64 p, .param .f32 v)
{
    .reg .u64 %rd<2>;
    .reg .f32 %f<9>;
    .reg .u32 %r<3>;
    ld.param.u64 %rd1, [p];
    ld.param.f32 %f1, [v];
    multimem.st.relaxed.sys.global.f32 [%rd1], %f1;
    mov.u32 %r1, 1;
    multimem.red.relaxed.sys.global.add.u32 [%rd1+4], %r1;
    multimem.ld_reduce.relaxed.sys.global.add.u32 %r2, [%rd1+4];
    multimem.st.global.u32 [%rd1+8], %r2;
    multimem.ld_reduce.relaxed.sys.global.max.s32 %r2, [%rd1+12];
    multimem.st.global.u32 [%rd1+12], %r2;
    multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd1+16];
    multimem.st.relaxed.sys.global.v4.f32 [%rd1+32], {%f2, %f3, %f4, %f5};
    ret;
}
";

/// Leaves the test without multicast objects, and on a machine with a GPU.
macro_rules! two_devices {
    () => {{
        skip_under_miri!("maps memory twice");
        if !software() {
            skip!("multicast objects are only created on the software driver");
        }
        let devices: Vec<_> = Device::all().unwrap().into_iter().take(2).collect();
        if devices.len() < 2 || !Multicast::is_supported(devices[0]).unwrap() {
            skip!("there are no devices with multicast objects");
        }
        [devices[0], devices[1]]
    }};
}

/// An object to which memory of each device is bound, which is mapped in the order of the devices too.
fn bound(devices: [Device; 2]) -> Result<(Multicast, Reservation, usize)> {
    let bytes = Multicast::granularity(&devices, 1)?;
    let mut object = Multicast::create(&devices, bytes)?;
    assert_eq!(format!("{object:?}"), format!("Multicast({bytes} bytes of {devices:?})"));
    let mut own = Reservation::new(2 * bytes)?;
    for (place, device) in devices.into_iter().enumerate() {
        let memory = PhysicalMemory::create(device, bytes)?;
        object.bind(0, memory.clone())?;
        own.map(place * bytes, memory)?;
        own.set_access(place * bytes, bytes, device, MappedAccess::ReadWrite)?;
    }
    Ok((object, own, bytes))
}

#[test]
fn kernels_write_to_all_devices_and_reduce_what_they_have() {
    let devices = two_devices!();
    let (object, own, bytes) = bound(devices).unwrap();
    assert_eq!((object.size_bytes(), object.devices()), (bytes, &devices[..]));
    let mut all = Reservation::new(bytes).unwrap();
    all.map_multicast(0, object).unwrap();
    assert_eq!(all.access(0, devices[0]).unwrap(), MappedAccess::None);
    for device in devices {
        all.set_access(0, bytes, device, MappedAccess::ReadWrite).unwrap();
        assert_eq!(all.access(0, device).unwrap(), MappedAccess::ReadWrite);
    }
    let mut stack = ContextStack::current_thread().unwrap();
    let contexts = devices.map(new_context_on);
    let read = |stack: &mut ContextStack, index: usize| -> [u32; 12] {
        let gpu = stack.push(&contexts[index]).unwrap();
        let address = own.address() + (index * bytes) as u64;
        // SAFETY: mapped until `own` is dropped; kernels that use it are over.
        let memory = unsafe { gpu.buffer_from_raw::<u32>(address, 12, ()) }.unwrap();
        let values = gpu.on(&gpu.stream().unwrap()).to_vec(&memory).unwrap();
        values.try_into().unwrap()
    };
    for (index, context) in contexts.iter().enumerate() {
        let gpu = stack.push(context).unwrap();
        let stream = gpu.stream().unwrap();
        let address = own.address() + (index * bytes) as u64;
        // SAFETY: as above.
        let mut memory = unsafe { gpu.buffer_from_raw::<f32>(address, 12, ()) }.unwrap();
        gpu.on(&stream).zero(&mut memory).unwrap();
        let floats = [1.0, 2.0, 3.0, 4.0].map(|value: f32| value + index as f32);
        gpu.on(&stream).upload(&floats, &mut memory.slice_mut(4..8).unwrap()).unwrap();
        let number = f32::from_bits(10 + index as u32);
        gpu.on(&stream).upload(&[number], &mut memory.slice_mut(3..4).unwrap()).unwrap();
    }
    for (index, value) in [(0, 1.5_f32), (1, 2.5)] {
        let gpu = stack.push(&contexts[index]).unwrap();
        let kernel = gpu.load_ptx(ALL).unwrap().function("all").unwrap();
        let stream = gpu.stream().unwrap();
        // SAFETY: the kernel takes an address where the object is mapped, and memory is bound to all of it.
        unsafe {
            gpu.on(&stream).launch_unchecked(
                &kernel,
                LaunchConfig::new(1, 1),
                (all.address(), value),
            )
        }
        .unwrap();
        drop(gpu);
        let ones = index as u32 + 1;
        for device in 0..2 {
            let seen = read(&mut stack, device);
            assert_eq!(f32::from_bits(seen[0]), value);
            assert_eq!(seen[1..4], [ones, 2 * ones, 11]);
            let sums = [seen[8], seen[9], seen[10], seen[11]].map(f32::from_bits);
            assert_eq!(sums, [3.0, 5.0, 7.0, 9.0]);
        }
    }
    // The object comes back with its memory, which comes back from it; the mapping of that stays.
    let mut object = all.unmap_multicast(0).unwrap();
    let memory = object.unbind(devices[1], 0).unwrap();
    assert_eq!((memory.device(), memory.size_bytes()), (devices[1], bytes));
    drop((object, memory));
    assert_eq!(read(&mut stack, 1)[1], 2);
}

#[test]
fn ranges_that_do_not_fit_a_multicast_object_are_refused() {
    let devices = two_devices!();
    let [first, second] = devices;
    let (mut object, own, bytes) = bound(devices).unwrap();
    let invalid = |refused: Result, words: &str| {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
        assert!(refused.to_string().contains(words), "{refused}");
    };
    let memory = |device| PhysicalMemory::create(device, bytes).unwrap();
    invalid(object.bind(0, memory(first)), "memory of the device is bound there");
    let refused = object.bind(bytes, memory(first)).unwrap_err();
    let (call, end) = ("cuMulticastBindMem", 2 * bytes);
    assert_eq!(refused, Error::InvalidRange { call, end, len: bytes, unit: RangeUnit::Bytes });
    assert!(object.bind(usize::MAX, memory(first)).is_err());
    invalid(object.unbind(first, bytes).map(drop), "no memory of the device was bound");
    invalid(object.bind_mapped(0, &own, 1), "no memory was mapped at this offset");
    // By its address.
    drop(object.unbind(second, 0).unwrap());
    object.bind_mapped(0, &own, bytes).unwrap();
    invalid(object.bind_mapped(0, &own, bytes), "memory of the device is bound there");

    let unbound = object.unbind(first, bytes).map(drop);
    assert_eq!(unbound.unwrap_err().call(), Some("cuMulticastUnbind"));

    // Side by side, and beside that of another device.
    let mut three = Multicast::create(&devices, 3 * bytes).unwrap();
    for (offset, device) in [(bytes, first), (0, first), (2 * bytes, first), (bytes, second)] {
        three.bind(offset, memory(device)).unwrap();
        invalid(three.bind(offset, memory(device)), "memory of the device is bound there");
    }
    let two = || PhysicalMemory::create(first, 2 * bytes).unwrap();
    invalid(three.bind(0, two()), "memory of the device is bound there");
    drop(three.unbind(first, 0).unwrap());
    invalid(three.bind(0, two()), "memory of the device is bound there");
    drop(three.unbind(first, bytes).unwrap());
    three.bind(0, two()).unwrap();
    invalid(three.bind(bytes, memory(first)), "memory of the device is bound there");
    drop(three);

    let mut one = Multicast::create(&[first], 2 * bytes).unwrap();
    invalid(one.bind(0, memory(second)), "a device that the object was not created for");
    one.bind(bytes, memory(first)).unwrap();
    for refused in [
        Multicast::create(&[], bytes),
        Multicast::create(&[first, first], bytes),
        Multicast::create(&devices, 0),
        Multicast::create(&devices, bytes + 1),
    ] {
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
    }

    let mut place = Reservation::new(2 * bytes).unwrap();
    place.map(0, memory(first)).unwrap();
    invalid(place.map_multicast(0, object), "memory is mapped there");
    invalid(place.unmap_multicast(0).map(drop), "no multicast object was mapped");
    let object = Multicast::create(&devices, bytes).unwrap();
    place.map_multicast(bytes, object).unwrap();
    assert_eq!(place.mapped_bytes(), 2 * bytes);
    invalid(place.unmap(bytes).map(drop), "no memory was mapped at this offset");
}

#[test]
fn nothing_is_left_of_an_object() {
    let devices = two_devices!();
    crate::fresh!(nothing_is_left_of_an_object, {
        let counts = || {
            let live = live();
            (live.reservations, live.physical, live.mappings)
        };
        let before = counts();
        let (object, own, bytes) = bound(devices).unwrap();
        let mut all = Reservation::new(bytes).unwrap();
        all.map_multicast(0, object).unwrap();
        assert_ne!(counts(), before);
        drop((all, own));
        assert_eq!(counts(), before);
        // A call that fails leaves nothing either.
        for call in ["cuMulticastCreate", "cuMulticastAddDevice", "cuMulticastBindMem", "cuMemMap"]
        {
            let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
            let fault = Fault { which: Which::Named(call), code, performed: false };
            let (made, _) = with_fault(fault, || {
                let (object, own, bytes) = bound(devices)?;
                let mut all = Reservation::new(bytes)?;
                all.map_multicast(0, object)?;
                drop(own);
                Ok::<_, Error>(())
            });
            assert_eq!(made.unwrap_err().call(), Some(call));
            assert_eq!(counts(), before, "{call}");
        }
    });
}

#[test]
fn a_store_where_a_device_has_no_memory_faults() {
    let devices = two_devices!();
    crate::fresh!(a_store_where_a_device_has_no_memory_faults, {
        let (mut object, own, bytes) = bound(devices).unwrap();
        drop(object.unbind(devices[1], 0).unwrap());
        let mut all = Reservation::new(bytes).unwrap();
        all.map_multicast(0, object).unwrap();
        all.set_access(0, bytes, devices[0], MappedAccess::ReadWrite).unwrap();
        let context = new_context_on(devices[0]);
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        // Nothing but kernels knows the address.
        // SAFETY: it is refused.
        let memory = unsafe { gpu.buffer_from_raw::<u32>(all.address(), 1, ()) };
        assert!(memory.is_err());
        let kernel = gpu.load_ptx(ALL).unwrap().function("all").unwrap();
        let stream = gpu.stream().unwrap();
        // SAFETY: the kernel faults, which ends the use of the GPU by this process.
        let launched = unsafe {
            gpu.on(&stream).launch_unchecked(
                &kernel,
                LaunchConfig::new(1, 1),
                (all.address(), 1.0_f32),
            )
        };
        assert_eq!(launched.unwrap_err().code(), Some(ffi::CUDA_ERROR_ILLEGAL_ADDRESS));
        std::mem::forget((own, all));
    });
}
