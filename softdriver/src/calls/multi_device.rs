//! A cooperative launch on several devices (F325). The blocks of one device can wait for each other, those of
//! several cannot.
#![allow(unsafe_code, reason = "an exported function")]

use crate::call::driver;
use crate::calls::launch::{Asked, in_context, prepare};
use crate::entry;
use crate::entry::Answer;
use crate::host_function;
use crate::label::Label;
use crate::model::device::all as device_list;
use crate::model::graph::node::Work;
use crate::model::launch_attributes::Attributes;
use crate::model::stream::Target;
use crate::model::{capture, usable};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::ptr;

const NOT_BEHIND: c_uint = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC;
const NOT_BEFORE: c_uint = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;

/// Streams up to this handle are default ones.
const DEFAULT: usize = 2;

/// Lets what comes next in each stream wait for all of them.
fn meet(targets: &[Target]) -> Answer {
    if targets.len() < 2 {
        return Ok(());
    }
    let ends: Answer<Vec<_>> =
        targets.iter().map(|target| target.submit_short(|| Ok(()))).collect();
    let ends = ends?;
    for target in targets {
        let nothing = Box::new(|| Ok(()));
        target.life.submit(&target.queue, ends.clone(), Label::of_call(), nothing)?;
    }
    Ok(())
}

driver! {
    /// Enqueues kernels of one shape on streams of different devices.
    fn cuLaunchCooperativeKernelMultiDevice(
        launchParamsList: *mut CUDA_LAUNCH_PARAMS,
        numDevices: c_uint,
        flags: c_uint,
    ) [
        // The body refuses it, after a look at the arguments.
        host_fn,
        launch,
        after_fault_if_zero(&[0]),
    ] {
        entry::wanted(launchParamsList)?;
        let devices = 1..=device_list().len();
        if !devices.contains(&(numDevices as usize)) || flags > (NOT_BEHIND | NOT_BEFORE) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        host_function::refuse()?;
        let mut shapes = Vec::new();
        let (mut targets, mut launches) = (Vec::<Target>::new(), Vec::new());
        for i in 0..numDevices as usize {
            let one = entry::element(launchParamsList.cast_const(), i)?;
            if one.hStream.addr() <= DEFAULT {
                return Err(CUDA_ERROR_INVALID_HANDLE);
            }
            let target = usable::target(one.hStream)?;
            crate::calls::capture::refuse(&target)?;
            if targets.iter().any(|other| other.life.device == target.life.device) {
                return Err(CUDA_ERROR_INVALID_DEVICE);
            }
            let grid = [one.gridDimX, one.gridDimY, one.gridDimZ];
            let block = [one.blockDimX, one.blockDimY, one.blockDimZ];
            shapes.push((grid, block, one.sharedMemBytes));
            if shapes[0] != shapes[i] {
                return Err(CUDA_ERROR_INVALID_VALUE);
            }
            let (params, extra) = (one.kernelParams, ptr::null_mut());
            let asked = Asked { grid, block, shared: one.sharedMemBytes, params, extra };
            let function = in_context(one.function, &target)?;
            launches.push(prepare(function, &target, &asked, &Attributes::cooperative())?);
            targets.push(target);
        }
        if flags & NOT_BEHIND == 0 {
            meet(&targets)?;
        }
        for (target, launch) in targets.iter().zip(launches) {
            capture::enqueue(target, Work::Kernel(launch))?;
        }
        if flags & NOT_BEFORE == 0 {
            meet(&targets)?;
        }
        Ok(())
    }
}
