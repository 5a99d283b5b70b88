//! Tensors of DLPack, in and out, with the other side made by hand.
#![allow(unsafe_code, reason = "plays other code that makes and takes tensors")]

use crate::common::foreign;
use crate::common::gpu::{downloaded, kernel, new_context, with_gpu};
use crate::common::kernels::TRAP;
use crate::fresh;
use cuscope::foreign::dlpack::{
    CUDA, CUDA_HOST, CUDA_MANAGED, DLDataType, DLDevice, DLElement, DLManagedTensor,
    DLManagedTensorVersioned, DLPackVersion, DLTensor, Managed, READ_ONLY, Tensor, VERSION,
};
use cuscope::memory::BufferKind;
use cuscope::{DeviceBuffer, Element, Error, LaunchConfig, PinnedBuffer, PushedGuard, Result, ffi};
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};

const LEN: usize = 6;
/// Miri takes one of so many shapes, which the number of extents does not divide.
const UNDER_MIRI: usize = if cfg!(miri) { 61 } else { 1 };
const F32: DLDataType = <f32 as DLElement>::TYPE;

/// The other side's part: the tensor, the memory that it leads to, and how often the deleter was called.
struct Theirs {
    legacy: DLManagedTensor,
    versioned: DLManagedTensorVersioned,
    shape: Vec<i64>,
    strides: Vec<i64>,
    deleted: &'static AtomicUsize,
    end: Option<fn(*mut c_void)>,
}

/// How a tensor is described.
#[derive(Clone)]
struct Say {
    data: *mut c_void,
    device: DLDevice,
    dtype: DLDataType,
    shape: Vec<i64>,
    strides: Option<Vec<i64>>,
    byte_offset: u64,
    flags: u64,
    version: DLPackVersion,
    end: Option<fn(*mut c_void)>,
}

fn end(theirs: *mut c_void) {
    // SAFETY: the box of `make`, once.
    let theirs = unsafe { Box::from_raw(theirs.cast::<Theirs>()) };
    theirs.deleted.fetch_add(1, Ordering::SeqCst);
    if let Some(end) = theirs.end {
        end(theirs.legacy.dl_tensor.data);
    }
}

unsafe extern "C" fn end_legacy(tensor: *mut DLManagedTensor) {
    // SAFETY: the tensor is alive.
    end(unsafe { (*tensor).manager_ctx });
}

unsafe extern "C" fn end_versioned(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: the tensor is alive.
    end(unsafe { (*tensor).manager_ctx });
}

fn make(say: &Say) -> (Box<Theirs>, &'static AtomicUsize) {
    let deleted: &'static AtomicUsize = Box::leak(Box::default());
    let Say { data, device, dtype, byte_offset, flags, version, end, .. } = *say;
    let (shape, strides) = (say.shape.clone(), say.strides.clone().unwrap_or_default());
    let dl_tensor = DLTensor {
        data,
        device,
        ndim: shape.len() as i32,
        dtype,
        shape: ptr::null_mut(),
        strides: ptr::null_mut(),
        byte_offset,
    };
    let manager_ctx = ptr::null_mut();
    let legacy = DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(end_legacy) };
    let deleter = Some(end_versioned as unsafe extern "C" fn(_));
    let versioned = DLManagedTensorVersioned { version, manager_ctx, deleter, flags, dl_tensor };
    (Box::new(Theirs { legacy, versioned, shape, strides, deleted, end }), deleted)
}

/// Fills in what leads into the box, and gives its parts.
fn leak(theirs: Box<Theirs>, strides: bool) -> *mut Theirs {
    let theirs = Box::into_raw(theirs);
    // SAFETY: the box that was just made.
    let all = unsafe { &mut *theirs };
    for tensor in [&mut all.legacy.dl_tensor, &mut all.versioned.dl_tensor] {
        tensor.shape = all.shape.as_mut_ptr();
        if strides {
            tensor.strides = all.strides.as_mut_ptr();
        }
    }
    (all.legacy.manager_ctx, all.versioned.manager_ctx) = (theirs.cast(), theirs.cast());
    theirs
}

fn legacy(say: &Say) -> (Tensor<DLManagedTensor>, &'static AtomicUsize) {
    let (theirs, deleted) = make(say);
    let theirs = leak(theirs, say.strides.is_some());
    // SAFETY: the field of a box that is alive.
    let tensor = NonNull::new(unsafe { &raw mut (*theirs).legacy }).unwrap();
    // SAFETY: 1. A tensor that nobody else has. 2. Its deleter counts, and frees.
    (unsafe { Tensor::from_raw(tensor) }, deleted)
}

fn versioned(say: &Say) -> (Tensor<DLManagedTensorVersioned>, &'static AtomicUsize) {
    let (theirs, deleted) = make(say);
    let theirs = leak(theirs, say.strides.is_some());
    // SAFETY: the field of a box that is alive.
    let tensor = NonNull::new(unsafe { &raw mut (*theirs).versioned }).unwrap();
    // SAFETY: as above.
    (unsafe { Tensor::from_raw(tensor) }, deleted)
}

/// A tensor of two rows in memory of the device, which its deleter frees.
fn of_device() -> Say {
    let mut address = 0;
    // SAFETY: writes one address to `address`, which is valid for it; a context is current.
    assert_eq!(unsafe { ffi::cuMemAlloc_v2(&raw mut address, LEN * 4) }, ffi::CUDA_SUCCESS);
    Say {
        data: ptr::without_provenance_mut(address as usize),
        device: DLDevice { device_type: CUDA, device_id: 0 },
        dtype: F32,
        shape: vec![2, 3],
        strides: None,
        byte_offset: 0,
        flags: 0,
        version: VERSION,
        end: Some(|data| {
            // SAFETY: memory that is not freed, and no longer used.
            assert_eq!(unsafe { ffi::cuMemFree_v2(data.addr() as _) }, ffi::CUDA_SUCCESS);
        }),
    }
}

fn take<'ctx, T: DLElement>(
    gpu: &PushedGuard<'ctx>,
    tensor: Tensor<impl Managed>,
) -> Result<DeviceBuffer<'ctx, T>> {
    // SAFETY: 1. and 2. The tensors of these tests are what they say, or are refused, and nothing else uses them.
    unsafe { gpu.buffer_from_dlpack(tensor) }
}

#[test]
fn a_tensor_of_other_code_is_a_buffer_until_that_is_dropped() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        for strides in [None, Some(vec![3, 1])] {
            let say = Say { strides, ..of_device() };
            let (tensor, deleted) = versioned(&say);
            assert_eq!(tensor.shape(), [2, 3]);
            let mut x = take::<f32>(gpu, tensor).unwrap();
            assert_eq!(
                (x.len(), x.kind(), x.address()),
                (LEN, BufferKind::Foreign, say.data as u64)
            );
            gpu.on(&stream).fill(&mut x, 2.0).unwrap();
            assert_eq!(downloaded(gpu, &stream, &x), [2.0; LEN]);
            assert_eq!(deleted.load(Ordering::SeqCst), 0);
            drop(x);
            assert_eq!(deleted.load(Ordering::SeqCst), 1);
        }
        // Without a version, a part, of no dimensions, and with strides that are of no meaning.
        let say = Say { shape: vec![], byte_offset: 8, ..of_device() };
        let (tensor, deleted) = legacy(&say);
        let x = take::<f32>(gpu, tensor).unwrap();
        assert_eq!((x.len(), x.address()), (1, say.data as u64 + 8));
        drop(x);
        let (tensor, _) =
            legacy(&Say { shape: vec![1, 6, 1], strides: Some(vec![9, 1, 7]), ..of_device() });
        assert_eq!(take::<f32>(gpu, tensor).unwrap().len(), LEN);
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
        let (tensor, _) =
            legacy(&Say { shape: vec![2, 0], strides: Some(vec![9, 7]), ..of_device() });
        assert!(take::<f32>(gpu, tensor).unwrap().is_empty());
    });
}

#[test]
fn tensors_that_are_no_buffers_are_refused_and_deleted() {
    with_gpu(|gpu| {
        let good = of_device();
        let kept = Say { end: None, ..good.clone() };
        let device = |device_type, device_id| DLDevice { device_type, device_id };
        let past = u64::MAX - 2;
        let cases = [
            (
                Say { version: DLPackVersion { major: 2, minor: 0 }, ..kept.clone() },
                "major version",
            ),
            (Say { flags: READ_ONLY, ..kept.clone() }, "only to be read"),
            (Say { device: device(CUDA, 99), ..kept.clone() }, "another device"),
            (Say { device: device(1, 0), ..kept.clone() }, "CUDA device"),
            (Say { device: device(14, 0), ..kept.clone() }, "CUDA device"),
            (Say { device: device(CUDA_MANAGED, 99), ..kept.clone() }, "another device"),
            (Say { device: device(CUDA_MANAGED, 0), ..kept.clone() }, "managed"),
            (Say { dtype: <i32 as DLElement>::TYPE, ..kept.clone() }, "another type"),
            (Say { dtype: DLDataType { lanes: 2, ..F32 }, ..kept.clone() }, "another type"),
            (Say { strides: Some(vec![1, 2]), ..kept.clone() }, "gaps"),
            (Say { strides: Some(vec![4, 1]), ..kept.clone() }, "gaps"),
            (Say { strides: Some(vec![0, 1]), ..kept.clone() }, "gaps"),
            (Say { shape: vec![-1, -6], ..kept.clone() }, "no sizes"),
            (Say { shape: vec![i64::MAX, 2], ..kept.clone() }, "no sizes"),
            (Say { shape: vec![-4, 0], ..kept.clone() }, "no sizes"),
            (Say { shape: vec![0, -4], ..kept.clone() }, "no sizes"),
            (Say { shape: vec![0, i64::MAX, 2], ..kept.clone() }, "no sizes"),
            (Say { shape: vec![i64::MAX, 0, 2], ..kept.clone() }, "no sizes"),
            (Say { shape: vec![i64::MAX / 2, 2], ..kept.clone() }, "address space"),
            (Say { data: ptr::null_mut(), ..kept.clone() }, "null"),
            (Say { data: ptr::null_mut(), byte_offset: 64, ..kept.clone() }, "null"),
            (Say { byte_offset: 2, ..kept.clone() }, "aligned"),
            (Say { byte_offset: past, ..kept.clone() }, "address space"),
        ];
        for (say, word) in cases {
            let (tensor, deleted) = versioned(&say);
            // A tensor of another version is not looked at.
            let text = format!("{tensor:?}");
            assert_eq!(text.contains("of another version"), word == "major version", "{text}");
            let refused = take::<f32>(gpu, tensor).unwrap_err();
            assert!(matches!(refused, Error::InvalidArgument { .. }), "{refused}");
            assert!(refused.to_string().contains(word), "{word}: {refused}");
            assert_eq!(deleted.load(Ordering::SeqCst), 1, "{word}");
        }
        drop(legacy(&good));
    });
}

#[test]
fn a_tensor_without_elements_is_an_empty_buffer() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let good = of_device();
        for data in [ptr::null_mut(), good.data] {
            let say = Say { data, shape: vec![2, 0], end: None, ..good.clone() };
            let (tensor, deleted) = versioned(&say);
            let mut x = take::<f32>(gpu, tensor).unwrap();
            assert_eq!((x.len(), x.address()), (0, 0));
            gpu.on(&stream).fill(&mut x, 1.0).unwrap();
            drop(x);
            assert_eq!(deleted.load(Ordering::SeqCst), 1);
        }
        drop(legacy(&good));
        let empty = gpu.alloc::<f32>(0).unwrap();
        let tensor: Tensor<DLManagedTensorVersioned> = empty.into_dlpack(&[0, 3]).unwrap();
        assert_eq!(tensor.shape(), [0, 3]);
        // SAFETY: 1. and 2. It is no memory.
        assert!(unsafe { gpu.buffer_from_dlpack::<f32, _>(tensor) }.unwrap().is_empty());
    });
}

#[test]
fn page_locked_memory_of_other_code_is_used_at_its_address_for_the_device() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut memory = ptr::null_mut();
        // SAFETY: writes one address to `memory`, which is valid for it; a context is current.
        assert_eq!(unsafe { ffi::cuMemHostAlloc(&raw mut memory, LEN * 4, 0) }, ffi::CUDA_SUCCESS);
        let say = Say {
            data: memory,
            device: DLDevice { device_type: CUDA_HOST, device_id: 0 },
            end: None,
            ..of_device()
        };
        let (tensor, deleted) = versioned(&say);
        let mut x = take::<f32>(gpu, tensor).unwrap();
        gpu.on(&stream).fill(&mut x, 3.0).unwrap();
        let mut y = gpu.alloc::<f32>(LEN).unwrap();
        gpu.on(&stream).copy(&x, &mut y).unwrap();
        gpu.on(&stream).upload(&[9.0], &mut x.slice_mut(..1).unwrap()).unwrap();
        assert_eq!(downloaded(gpu, &stream, &y), [3.0; LEN]);
        assert_eq!(downloaded(gpu, &stream, &x)[..2], [9.0, 3.0]);
        drop(x);
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
        // SAFETY: two elements that the device wrote before the drop.
        assert_eq!(unsafe { *memory.cast::<[f32; 2]>() }, [9.0, 3.0]);
        // SAFETY: from `cuMemHostAlloc`, and no longer used.
        assert_eq!(unsafe { ffi::cuMemFreeHost(memory) }, ffi::CUDA_SUCCESS);

        let mut pageable = [0.0_f32; LEN];
        let (tensor, deleted) = versioned(&Say { data: pageable.as_mut_ptr().cast(), ..say });
        let refused = take::<f32>(gpu, tensor).unwrap_err();
        assert_eq!(refused.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
    });
}

/// Returns the fields that the other side reads from a tensor.
fn read<M: Managed>(tensor: &Tensor<M>) -> (DLTensor, Vec<i64>, Vec<i64>) {
    let tensor = *tensor.description().unwrap();
    let numbers = |numbers: *mut i64| {
        // SAFETY: as many extents and strides as there are dimensions.
        unsafe { std::slice::from_raw_parts(numbers, tensor.ndim as usize) }.to_vec()
    };
    let (shape, strides) = (numbers(tensor.shape), numbers(tensor.strides));
    (tensor, shape, strides)
}

#[test]
fn a_buffer_is_a_tensor_of_other_code_until_that_deletes_it() {
    with_gpu(|gpu| {
        let (theirs, freed) = legacy(&of_device());
        let x = take::<f32>(gpu, theirs).unwrap();
        let address = x.address();
        let refused = x.into_dlpack::<DLManagedTensor>(&[5, 2]).unwrap_err();
        assert!(refused.error.to_string().contains("number of elements"), "{}", refused.error);
        let tensor = refused.value.unwrap().into_dlpack::<DLManagedTensor>(&[3, 1, 2]).unwrap();
        let (of, shape, strides) = read(&tensor);
        assert_eq!((of.data as u64, of.byte_offset, of.dtype), (address, 0, F32));
        assert_eq!(of.device, DLDevice { device_type: CUDA, device_id: gpu.device().raw() });
        assert_eq!((shape, strides), (vec![3, 1, 2], vec![2, 2, 1]));
        let raw = tensor.into_raw().as_ptr() as usize;
        let deleted = std::thread::spawn(move || {
            let raw = raw as *mut DLManagedTensor;
            // SAFETY: the tensor is alive.
            let deleter = unsafe { (*raw).deleter }.unwrap();
            // SAFETY: the tensor's deleter, once.
            unsafe { deleter(raw) };
        });
        deleted.join().unwrap();
        assert_eq!(freed.load(Ordering::SeqCst), 1);

        let (a, b): (Tensor<DLManagedTensor>, Tensor) = (
            gpu.alloc::<[f64; 2]>(1).unwrap().into_dlpack(&[]).unwrap(),
            gpu.alloc::<i16>(4).unwrap().into_dlpack(&[2, 2]).unwrap(),
        );
        assert_eq!((a.shape(), b.shape()), (&[][..], &[2, 2][..]));
        assert_eq!(take::<i16>(gpu, b).unwrap().len(), 4);
        assert!(format!("{a:?}").contains("code: 5, bits: 128"));
    });
}

#[test]
fn a_page_locked_buffer_is_a_tensor_of_the_host() {
    with_gpu(|gpu| {
        let pinned: PinnedBuffer<u16> = gpu.pinned_from(&[1, 2, 3, 4]).unwrap();
        let tensor: Tensor = pinned.into_dlpack(&[4]).unwrap();
        let (of, shape, strides) = read(&tensor);
        assert_eq!(of.device, DLDevice { device_type: CUDA_HOST, device_id: 0 });
        assert_eq!((shape, strides), (vec![4], vec![1]));
        // SAFETY: four elements that the tensor owns.
        let values = unsafe { std::slice::from_raw_parts_mut(of.data.cast::<u16>(), 4) };
        values[0] = 7;
        assert_eq!(values, [7, 2, 3, 4]);
        let back = take::<u16>(gpu, tensor).unwrap();
        assert_eq!(downloaded(gpu, &gpu.stream().unwrap(), &back), [7, 2, 3, 4]);
        let refused =
            gpu.pinned::<u16>(4).unwrap().into_dlpack::<DLManagedTensor>(&[3]).unwrap_err();
        assert_eq!(refused.value.unwrap().len(), 4);
    });
}

/// DLPack lets both be null.
#[test]
fn a_tensor_without_extents_or_without_a_deleter() {
    with_gpu(|gpu| {
        let good = of_device();
        let (mut theirs, deleted) = make(&Say { end: None, ..good.clone() });
        theirs.versioned.deleter = None;
        let theirs = leak(theirs, false);
        // SAFETY: the field of a box that is alive.
        let tensor = NonNull::new(unsafe { &raw mut (*theirs).versioned }).unwrap();
        // SAFETY: 1. A tensor that nobody else has. 2. It has no deleter.
        let x = take::<f32>(gpu, unsafe { Tensor::from_raw(tensor) }).unwrap();
        assert_eq!(x.len(), LEN);
        drop(x);
        assert_eq!(deleted.load(Ordering::SeqCst), 0, "there is nothing to call");

        // SAFETY: the box is alive, and nothing else uses it now.
        unsafe { (*theirs).versioned.dl_tensor.shape = ptr::null_mut() };
        // SAFETY: as above.
        let tensor: Tensor = unsafe { Tensor::from_raw(tensor) };
        assert!(tensor.shape().is_empty());
        let refused = take::<f32>(gpu, tensor).unwrap_err();
        assert!(refused.to_string().contains("no extents"), "{refused}");
        end(theirs.cast());
        drop(legacy(&good));
    });
}

/// After a fault nobody tells when the device is done with memory of the host (F326).
#[test]
fn page_locked_memory_of_other_code_stays_behind_a_fault() {
    fresh!(page_locked_memory_of_other_code_stays_behind_a_fault, {
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let mut memory = ptr::null_mut();
            // SAFETY: writes one address to `memory`, which is valid for it; a context is current.
            let code = unsafe { ffi::cuMemHostAlloc(&raw mut memory, LEN * 4, 0) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            let device = DLDevice { device_type: CUDA_HOST, device_id: 0 };
            let of_host = Say { data: memory, device, end: None, ..of_device() };
            let (on_host, host_deleted) = versioned(&of_host);
            let (on_device, device_deleted) = versioned(&Say { end: None, ..of_device() });
            let (on_host, on_device) = (take::<f32>(gpu, on_host), take::<f32>(gpu, on_device));
            let mut managed = 0;
            let flags = ffi::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.bits();
            // SAFETY: writes one address to `managed`, which is valid for it; a context is current.
            let code = unsafe { ffi::cuMemAllocManaged(&raw mut managed, LEN * 4, flags) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            let data = ptr::without_provenance_mut(managed as usize);
            let device = DLDevice { device_type: CUDA_MANAGED, device_id: gpu.device().raw() };
            let (on_both, both_deleted) =
                versioned(&Say { data, device, end: None, ..of_device() });
            let on_both = take::<f32>(gpu, on_both);
            let trap = kernel(gpu, TRAP, "fault");
            // SAFETY: the kernel has no parameters and uses no memory.
            let lost =
                unsafe { gpu.on(&stream).launch_unchecked(&trap, LaunchConfig::new(1, 1), ()) };
            assert_eq!(lost.unwrap_err().code(), Some(ffi::CUDA_ERROR_LAUNCH_FAILED));
            drop((on_host.unwrap(), on_both.unwrap(), on_device.unwrap()));
            let deleted = [host_deleted, both_deleted, device_deleted];
            assert_eq!(deleted.map(|count| count.load(Ordering::SeqCst)), [0, 0, 1]);
        });
    });
}

/// A type whose size is not what it says.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Wrong(u32);

impl DLElement for Wrong {
    const TYPE: DLDataType = DLDataType { code: 2, bits: 16, lanes: 1 };
}

/// Four numbers as one element.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Four([f32; 4]);

impl DLElement for Four {
    const TYPE: DLDataType = DLDataType { code: 2, bits: 32, lanes: 4 };
}

#[test]
fn elements_of_several_lanes_go_both_ways() {
    with_gpu(|gpu| {
        let tensor: Tensor = gpu.alloc::<Four>(6).unwrap().into_dlpack(&[2, 3]).unwrap();
        assert_eq!(tensor.description().unwrap().dtype, Four::TYPE);
        assert_eq!(take::<Four>(gpu, tensor).unwrap().len(), 6);
    });
}

#[test]
fn the_address_of_a_tensor_of_the_host_is_asked_under_a_guard_that_is_current() {
    let other = new_context();
    with_gpu(|gpu| {
        let tensor: Tensor = gpu.pinned::<f32>(4).unwrap().into_dlpack(&[4]).unwrap();
        foreign::push(other.raw());
        let refused = take::<f32>(gpu, tensor).map(drop);
        foreign::pop();
        assert_eq!(refused, Err(Error::NotCurrent { call: "cuMemHostGetDevicePointer_v2" }));
    });
}

#[test]
fn a_type_of_another_size_is_refused_both_ways() {
    fn is_element<T: Element>() {}
    is_element::<Wrong>();
    with_gpu(|gpu| {
        let refused =
            gpu.alloc::<Wrong>(4).unwrap().into_dlpack::<DLManagedTensor>(&[4]).unwrap_err();
        assert!(refused.error.to_string().contains("another size"), "{}", refused.error);
        let (tensor, _) = legacy(&Say { dtype: Wrong::TYPE, ..of_device() });
        assert!(take::<Wrong>(gpu, tensor).unwrap_err().to_string().contains("another type"));
    });
}

/// Managed memory says so in both directions, and is taken as memory of the device.
#[test]
fn managed_memory_is_a_tensor_of_managed_memory() {
    with_gpu(|gpu| {
        let managed = match gpu.managed::<f32>(LEN) {
            Ok(managed) => managed,
            Err(error) => crate::skip!("{error}"),
        };
        let stream = gpu.stream().unwrap();
        let address = managed.address();
        let tensor = managed.into_dlpack::<DLManagedTensor>(&[2, 3]).unwrap();
        let (of, shape, _) = read(&tensor);
        assert_eq!((of.data as u64, shape), (address, vec![2, 3]));
        let device_id = gpu.device().raw();
        assert_eq!(of.device, DLDevice { device_type: 13, device_id });
        let mut back = take::<f32>(gpu, tensor).unwrap();
        assert_eq!((back.address(), back.kind()), (address, BufferKind::Foreign));
        gpu.on(&stream).fill(&mut back, 2.0).unwrap();
        assert_eq!(gpu.host_slice(&back).unwrap(), [2.0; LEN]);
        // A part of it in the middle of an allocation, on its way back.
        let again: Tensor = back.into_dlpack(&[LEN]).unwrap();
        assert_eq!(again.description().unwrap().device.device_type, CUDA_MANAGED);

        // Of other code.
        let mut theirs = 0;
        let (at, flags) = (&raw mut theirs, ffi::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL.bits());
        // SAFETY: writes one address to `theirs`, which is valid for it; a context is current.
        assert_eq!(unsafe { ffi::cuMemAllocManaged(at, 4 * LEN, flags) }, ffi::CUDA_SUCCESS);
        let good = of_device();
        let data = ptr::without_provenance_mut(theirs as usize);
        let device = DLDevice { device_type: CUDA_MANAGED, device_id };
        let (tensor, deleted) = versioned(&Say { data, device, ..good.clone() });
        let mut x = take::<f32>(gpu, tensor).unwrap();
        gpu.on(&stream).fill(&mut x, 3.0).unwrap();
        assert_eq!(downloaded(gpu, &stream, &x), [3.0; LEN]);
        assert_eq!(deleted.load(Ordering::SeqCst), 0);
        drop(x);
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
        // Without elements, an address is not looked at.
        let none = Say { data: ptr::null_mut(), device, shape: vec![0], end: None, ..good.clone() };
        assert!(take::<f32>(gpu, versioned(&none).0).unwrap().is_empty());
        let empty: Tensor = gpu.managed::<f32>(0).unwrap().into_dlpack(&[0]).unwrap();
        assert_eq!(empty.description().unwrap().device.device_type, CUDA);
        drop(legacy(&good));
    });
}

/// Extents that are small or at the edges of numbers, of up to three dimensions, in every order.
fn shapes<N: Copy>(numbers: &[N]) -> Vec<Vec<N>> {
    let more = |shape: &Vec<N>| -> Vec<Vec<N>> {
        numbers.iter().map(|&number| [&shape[..], &[number]].concat()).collect()
    };
    let mut all = vec![vec![]];
    let mut last = all.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(more).collect();
        all.extend(last.clone());
    }
    all
}

/// The number of elements, if all extents and the product of those that are not 0 fit.
fn elements(shape: &[i128]) -> Option<i128> {
    let most = i128::from(i64::MAX);
    let mut product = 1_i128;
    for &extent in shape {
        if !(0..=most).contains(&extent) {
            return None;
        }
        product = product.saturating_mul(extent.max(1));
    }
    let some = if shape.contains(&0) { 0 } else { product };
    (product <= most).then_some(some)
}

/// Every shape is refused or has the extents and strides that it should have, in both directions.
#[test]
fn extents_are_numbers_of_c_in_both_directions() {
    with_gpu(|gpu| {
        let most = i64::MAX as usize;
        let out = [0, 1, 2, 3, 6, 1 << 31, 1 << 32, 1 << 62, most, most + 1, usize::MAX];
        // A real driver takes its time for page-locked memory, and Miri for all.
        let every = if crate::common::software() { UNDER_MIRI } else { 16 };
        for shape in shapes(&out).into_iter().step_by(every) {
            let wide: Vec<i128> = shape.iter().map(|&extent| extent as i128).collect();
            for len in [0, 1, 6] {
                let made = gpu.alloc::<u8>(len).unwrap().into_dlpack::<DLManagedTensor>(&shape);
                let pinned = gpu.pinned::<u8>(len).unwrap().into_dlpack::<DLManagedTensor>(&shape);
                let good = elements(&wide) == Some(len as i128);
                assert_eq!((made.is_ok(), pinned.is_ok()), (good, good), "{len} {shape:?}");
                for tensor in [made.ok(), pinned.ok()].into_iter().flatten() {
                    let (_, extents, strides) = read(&tensor);
                    assert_eq!(extents, shape.iter().map(|&one| one as i64).collect::<Vec<_>>());
                    for (at, &stride) in strides.iter().enumerate() {
                        let dense = shape[at + 1..].iter().product::<usize>();
                        assert_eq!(stride, dense as i64, "{shape:?}");
                    }
                }
            }
        }
        let good = of_device();
        let taken = [i64::MIN, -4, -1, 0, 1, 2, 3, 6, 1 << 31, 1 << 32, 1 << 62, i64::MAX];
        for shape in shapes(&taken).into_iter().step_by(UNDER_MIRI) {
            let wide: Vec<i128> = shape.iter().map(|&extent| extent.into()).collect();
            let (tensor, _) = versioned(&Say { shape: shape.clone(), end: None, ..good.clone() });
            let result = take::<f32>(gpu, tensor);
            match elements(&wide) {
                Some(len @ 0..=6) => assert_eq!(result.unwrap().len() as i128, len, "{shape:?}"),
                // More than there is memory for, unless the device uses all memory of the host.
                Some(len) => {
                    if let Ok(x) = result {
                        assert_eq!(x.len() as i128, len, "{shape:?}");
                    }
                }
                None => {
                    let text = result.unwrap_err().to_string();
                    assert!(text.contains("the extents are no sizes"), "{shape:?}: {text}");
                }
            }
        }
        drop(legacy(&good));
    });
}
