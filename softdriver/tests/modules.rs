//! Loading, kernels, variables, launches and graphs.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_sys::{
    CU_DEVICE_ATTRIBUTE_WARP_SIZE, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CUDA_MEMSET_NODE_PARAMS, CUdevice_attribute, CUjit_option,
};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut, without_provenance_mut};

/// The code of loading an image.
fn load(image: &CStr) -> u32 {
    let mut module: CUmodule = null_mut();
    code!(cuModuleLoadData(&raw mut module, image.as_ptr().cast()))
}

#[test]
fn images_that_are_refused() {
    let context = context();
    let mut module: CUmodule = null_mut();
    // F63
    assert_eq!(load(c"garbage"), 200);
    assert_eq!(load(c""), 200);
    assert_eq!(load(c"\n .version 7.0\n.target sm_75\n.address_size 64\n oops"), 218);
    assert_eq!(load(c".version 7.0\n.target sm_4711\n.address_size 64\n"), 218);
    assert_eq!(load(c".version 99.0\n.target sm_75\n.address_size 64\n"), 222);
    assert_eq!(load(c"// empty\n.version 7.0\n.target sm_75\n.address_size 64\n"), 0);
    assert_eq!(code!(cuModuleLoadData(&raw mut module, null())), 1);
    assert_eq!(code!(cuModuleLoad(&raw mut module, c"/no/such/file".as_ptr())), 301);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn the_compilers_log_is_cut_to_its_buffer() {
    let context = context();
    let image = c".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { nonsense; }";
    let mut log = [0x7f_u8; 200];
    for room in [200, 64, 20, 1] {
        let mut module: CUmodule = null_mut();
        // Another option (1: threads per block) is ignored.
        let mut options =
            [CUjit_option(1), CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values: [*mut c_void; 3] =
            [without_provenance_mut(7), log.as_mut_ptr().cast(), without_provenance_mut(room)];
        let (options, data) = (options.as_mut_ptr(), image.as_ptr().cast());
        let code =
            code!(cuModuleLoadDataEx(&raw mut module, data, 3, options, values.as_mut_ptr()));
        assert_eq!(code, 218);
        let text = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
        assert!(text.len() < room);
        assert!("ptxas application ptx input".starts_with(text) || text.contains("line 4"));
        let cut = text.len() + 1 == room;
        assert_eq!(values[2].addr(), if room == 1 { 0 } else { text.len() + usize::from(cut) });
        assert_eq!(values[0].addr(), 7);
    }
    ok!(cuCtxDestroy_v2(context));
}

/// It counts what is alive in the process.
#[test]
fn variables_and_functions_of_a_module() {
    in_a_child("variables_and_functions_of_a_module", || {
        let context = context();
        let image = c"
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .global .align 4 .u32 table[4] = {1, 2, 3};
            .visible .const .align 4 .u32 factor = 10;
            .visible .entry scale(.param .u64 out)
            {
                .reg .b64 %rd<2>;
                .reg .b32 %r<4>;
                ld.param.u64 %rd1, [out];
                ld.global.u32 %r1, [table+8];
                ld.const.u32 %r2, [factor];
                mul.lo.u32 %r3, %r1, %r2;
                st.global.u32 [%rd1], %r3;
                ret;
            }";
        let before = control::live().allocations;
        let mut module: CUmodule = null_mut();
        ok!(cuModuleLoadData(&raw mut module, image.as_ptr().cast()));
        let (mut table, mut bytes) = (0, 0);
        ok!(cuModuleGetGlobal_v2(&raw mut table, &raw mut bytes, module, c"table".as_ptr()));
        assert_eq!((bytes, values(table, 4)), (16, vec![1, 2, 3, 0]));
        let mut factor = 0;
        ok!(cuModuleGetGlobal_v2(&raw mut factor, null_mut(), module, c"factor".as_ptr()));
        ok!(cuModuleGetGlobal_v2(null_mut(), &raw mut bytes, module, c"factor".as_ptr()));
        assert_eq!((bytes, values(factor, 1)), (4, vec![10]));
        assert_eq!(
            code!(cuModuleGetGlobal_v2(&raw mut factor, null_mut(), module, c"x".as_ptr())),
            500
        );
        assert_eq!(code!(cuMemFree_v2(table)), 1);
        assert_eq!(control::live().allocations, before);

        let mut scale: CUfunction = null_mut();
        assert_eq!(code!(cuModuleGetFunction(&raw mut scale, module, c"table".as_ptr())), 500);
        ok!(cuModuleGetFunction(&raw mut scale, module, c"scale".as_ptr()));
        let mut again: CUfunction = null_mut();
        ok!(cuModuleGetFunction(&raw mut again, module, c"scale".as_ptr()));
        assert_eq!(scale, again);
        let out = device_memory(&[0]);
        ok!(cuMemsetD32_v2(factor, 11, 1));
        assert_eq!(launch(scale, null_mut(), &[out]), 0);
        assert_eq!(values(out, 1), [33]);

        // F93: the packed form.
        let stream = stream();
        let packed = |size: usize| {
            let mut size = size;
            let mut buffer = [out, 0];
            let mut extra: [*mut c_void; 5] = [
                without_provenance_mut(1),
                buffer.as_mut_ptr().cast(),
                without_provenance_mut(2),
                (&raw mut size).cast(),
                null_mut(),
            ];
            let (none, extra) = (null_mut(), extra.as_mut_ptr());
            code!(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, stream, none, extra))
        };
        ok!(cuMemsetD32_v2(out, 0, 1));
        ok!(cuStreamSynchronize(null_mut()));
        assert_eq!((packed(8), packed(16)), (0, 701));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(values(out, 1), [33]);
        let none = null_mut();
        assert_eq!(code!(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, stream, none, none.cast())), 1);

        ok!(cuModuleUnload(module));
        assert_eq!(code!(cuModuleUnload(module)), 400);
        assert_eq!(launch(scale, stream, &[out]), 400);
        assert_eq!(code!(cuMemGetAddressRange_v2(&raw mut factor, null_mut(), table)), 500);
        ok!(cuCtxDestroy_v2(context));
    });
}

#[test]
fn a_graph_fills_rectangles_in_order() {
    let context = context();
    let memory = device_memory(&[0; 12]);
    let graph: CUgraph = made!(cuGraphCreate(0));
    let add = |graph, dependencies: &[CUgraphNode], dst, value, width, height| {
        let params =
            CUDA_MEMSET_NODE_PARAMS { dst, pitch: 16, value, elementSize: 4, width, height };
        let mut node: CUgraphNode = null_mut();
        let (before, count) = (dependencies.as_ptr(), dependencies.len());
        let (node_out, params) = (&raw mut node, &raw const params);
        let code = code!(cuGraphAddMemsetNode(node_out, graph, before, count, params, context));
        (code, node)
    };
    let (code, all) = add(graph, &[], memory, 1, 4, 3);
    assert_eq!(code, 0);
    let (code, _) = add(graph, &[all], memory + 4, 2, 2, 2);
    assert_eq!(code, 0);
    // Beyond the end; a width of nothing; a node of another graph.
    assert_eq!(add(graph, &[], memory, 1, 4, 4).0, 1);
    assert_eq!(add(graph, &[], memory, 1, 0, 1).0, 1);
    let other: CUgraph = made!(cuGraphCreate(0));
    assert_eq!(add(other, &[all], memory, 1, 1, 1).0, 1);
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphDestroy(graph));
    ok!(cuGraphDestroy(other));
    assert_eq!(code!(cuGraphDestroy(graph)), 1);
    let stream = stream();
    ok!(cuGraphLaunch(exec, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(values(memory, 12), [1, 2, 2, 1, 1, 2, 2, 1, 1, 1, 1, 1]);
    ok!(cuGraphExecDestroy(exec));
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn texts_and_attributes() {
    ok!(cuInit(0));
    let mut text: *const c_char = null();
    ok!(cuGetErrorName(CUresult(709), &raw mut text));
    // SAFETY: a string of the driver, which never goes away.
    assert_eq!(unsafe { CStr::from_ptr(text) }, c"CUDA_ERROR_CONTEXT_IS_DESTROYED");
    assert_eq!(code!(cuGetErrorString(CUresult(4711), &raw mut text)), 1); // F67
    let mut name = [0x7f_i8 as c_char; 8];
    ok!(cuDeviceGetName(name.as_mut_ptr(), 8, 1));
    // SAFETY: the driver put a NUL at the end.
    assert_eq!(unsafe { CStr::from_ptr(name.as_ptr()) }, c"cuscope");
    let mut value = 0;
    ok!(cuDeviceGetAttribute(&raw mut value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    assert_eq!(value, 32);
    assert_eq!(code!(cuDeviceGetAttribute(&raw mut value, CUdevice_attribute(4711), 0)), 1);
    assert_eq!(code!(cuDeviceGetAttribute(&raw mut value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 2)), 101);
}

#[test]
fn copies_may_overlap_and_may_name_device_memory_as_the_hosts() {
    let context = context();
    let memory = device_memory(&[1, 2, 3, 4]);
    ok!(cuMemcpyDtoD_v2(memory + 4, memory, 12)); // F64
    assert_eq!(values(memory, 4), [1, 1, 2, 3]);
    ok!(cuMemcpyDtoD_v2(memory, memory + 4, 12));
    assert_eq!(values(memory, 4), [1, 2, 3, 3]);
    let alias = without_provenance_mut(memory as usize + 4);
    ok!(cuMemcpyHtoD_v2(memory + 12, alias, 4));
    assert_eq!(values(memory, 4), [1, 2, 3, 2]);
    assert_eq!(code!(cuMemcpyDtoD_v2(memory, memory + 4, 13)), 1);
    ok!(cuCtxDestroy_v2(context));
}

#[test]
fn flags_of_contexts() {
    ok!(cuInit(0));
    for (flags, given) in [(0, 0), (4, 4), (8, 8), (0x18, 0x18), (0x40, 0x20), (0x80, 0x80)] {
        let context: CUcontext = made!(cuCtxCreate_v2(flags, 0));
        let seen: u32 = made!(cuCtxGetFlags());
        assert_eq!(seen, given);
        ok!(cuCtxDestroy_v2(context));
    }
    let mut context: CUcontext = null_mut();
    for flags in [3, 6, 7, 0x100, 0xffff] {
        assert_eq!(code!(cuCtxCreate_v2(&raw mut context, flags, 0)), 1); // F21
    }
    assert_eq!(code!(cuDevicePrimaryCtxSetFlags_v2(0, 8)), 1);
    ok!(cuDevicePrimaryCtxSetFlags_v2(0, 4));
    let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(0));
    ok!(cuCtxPushCurrent_v2(primary));
    let seen: u32 = made!(cuCtxGetFlags());
    assert_eq!(seen, 12);
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    let (mut flags, mut active) = (9, 9);
    ok!(cuDevicePrimaryCtxGetState(0, &raw mut flags, &raw mut active));
    assert_eq!((flags, active), (0, 0));
    ok!(cuCtxPopCurrent_v2(null_mut()));
}
