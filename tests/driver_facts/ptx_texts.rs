//! Which PTX the driver's compiler takes, and what it means: F638 to F645.

use crate::common::software;
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null_mut, without_provenance_mut};

/// PTX with these declarations, and a kernel `test` with this body, for which `%out` is the address of its words.
fn text(before: &str, body: &str) -> CString {
    let text = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n{before}\n\
         .visible .entry test(.param .u64 out) {{\n\
         .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .pred %p<9>; .reg .b64 %out;\n\
         ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out;\n{body}\nret;\n}}\n"
    );
    CString::new(text).unwrap()
}

/// Returns the answer to a load of a text, with the log of errors.
fn load(text: &CStr) -> (CUresult, String) {
    let mut log = vec![0_u8; 4096];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), without_provenance_mut(log.len())];
    let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
    let (mut module, image) = (null_mut(), text.as_ptr().cast());
    let code = code!(cuModuleLoadDataEx(&raw mut module, image, 2, options, values));
    if code == SUCCESS {
        ok!(cuModuleUnload(module));
    }
    (code, CStr::from_bytes_until_nul(&log).unwrap().to_string_lossy().into_owned())
}

/// The words that a kernel leaves of these.
fn run<const N: usize>(place: &Place, before: &str, body: &str, mut words: [u32; N]) -> [u32; N] {
    let module: CUmodule = made!(cuModuleLoadData(text(before, body).as_ptr().cast()));
    ok!(cuMemcpyHtoD_v2(place.memory, words.as_ptr().cast(), 4 * N));
    ok!(cuCtxSynchronize());
    let test = kernel(module, c"test");
    assert_eq!(launch_shaped(test, [1; 3], [1; 3], 0, place.stream, &[place.memory]), SUCCESS);
    ok!(cuStreamSynchronize(place.stream));
    ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), place.memory, 4 * N));
    ok!(cuModuleUnload(module));
    words
}

/// F638
#[test]
fn characters_outside_of_ascii_are_refused_wherever_they_are() {
    let a = place();
    needs_accelerator!();
    for (before, body, line) in [
        ("// é", "", 4),
        ("/*\n é */", "", 5),
        (".file 1 \"/tmp/ö.cu\"", "", 4),
        ("", "// Größe", 8),
        (".frob;", "\n\n// é", 10),
    ] {
        let (code, log) = load(&text(before, body));
        let said = format!("Unexpected non-ASCII character encountered on line {line}");
        assert_eq!(code, INVALID_PTX, "{before}{body}");
        assert!(log.contains(&said), "{log}");
    }
    a.destroy();
}

/// F639
#[test]
fn vectors_variables_and_sums_are_where_the_compiler_takes_them() {
    let a = place();
    needs_accelerator!();
    let vector = ".reg .v2.u32 %v; ld.global.v2.u32 %v, [%out]; add.u32 %r1, %v.x, %v.y;
        st.global.u32 [%out], %r1; mov.v2.u32 %v, {%v.y, %v.x}; st.global.v2.u32 [%out+8], %v;";
    assert_eq!(run(&a, "", vector, [3, 4, 0, 0]), [7, 4, 4, 3]);
    let function = ".func (.reg .u32 r) sum(.reg .v2 .u32 a) { add.u32 r, a.x, a.y; ret; }";
    let call = ".reg .v2 .u32 %v; mov.v2.u32 %v, {3, 4}; call (%r1), sum, (%v); st.global.u32 [%out], %r1;";
    assert_eq!(run(&a, function, call, [0]), [7]);
    let variable = ".global .u32 g = 5; .const .u32 c[2] = {6, 7}; ld.global.u32 %r1, [g];
        ld.const.u32 %r2, [c+4]; st.global.u32 [%out], %r1; st.global.u32 [%out+4], %r2;";
    assert_eq!(run(&a, "", variable, [0; 2]), [5, 7]);
    let sum = "ld.global.u32 %r1, [%out]; st.global.u32 [%out], %r1 + 1; st.global.u32 [%out+4], %r1+(2*3);";
    assert_eq!(run(&a, "", sum, [41, 0]), [42, 47]);
    a.destroy();
}

/// F640
#[test]
fn an_atomic_operation_works_on_local_memory_by_a_generic_address() {
    let a = place();
    needs_accelerator!();
    let body = ".local .align 8 .b8 depot[8]; mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
        mov.u64 %rd2, 5; st.local.u64 [%rd0], %rd2; mov.u64 %rd3, 7;
        atom.add.acq_rel.cta.u64 %rd4, [%rd1], %rd3; ld.local.u64 %rd5, [%rd0];
        st.global.u32 [%out], %rd4; st.global.u32 [%out+4], %rd5;";
    assert_eq!(run(&a, "", body, [0; 2]), [5, 12]);
    a.destroy();
}

/// Copies a box of a tensor to shared memory and from there to memory.
const BOX: &CStr = c"
.version 8.7
.target sm_90a
.address_size 64
.visible .entry box(.param .align 64 .b8 map[128], .param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  .shared .align 128 .b8 words[256]; .shared .align 8 .b64 bar;
  mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];
  mov.u32 %r1, words; mov.u32 %r2, bar; mov.u32 %r3, 8; mov.u32 %r4, 4;
  mbarrier.init.shared::cta.b64 [%r2], 1; fence.proxy.async;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 64;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r3, %r4}], [%r2];
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra WAIT;
  fence.proxy.async;
  cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r1], 64;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;
}";

/// F641
#[test]
fn a_tensor_map_is_a_parameter() {
    let a = place();
    needs_accelerator!();
    let numbers: [u32; 256] = std::array::from_fn(|at| at as u32);
    ok!(cuMemcpyHtoD_v2(a.memory, numbers.as_ptr().cast(), 1024));
    ok!(cuCtxSynchronize());
    let mut map: CUtensorMap = all_zeros();
    ok!(cuTensorMapEncodeTiled(
        &raw mut map,
        CU_TENSOR_MAP_DATA_TYPE_UINT32,
        2,
        without_provenance_mut(a.memory as usize),
        [16_u64, 16].as_ptr(),
        [64_u64].as_ptr(),
        [4_u32, 4].as_ptr(),
        [1_u32, 1].as_ptr(),
        CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    ));
    let module: CUmodule = made!(cuModuleLoadData(BOX.as_ptr().cast()));
    let test = kernel(module, c"box");
    let mut out = a.memory + 1024;
    let mut parameters: [*mut c_void; 2] = [(&raw mut map).cast(), (&raw mut out).cast()];
    let parameters = parameters.as_mut_ptr();
    ok!(cuLaunchKernel(test, 1, 1, 1, 1, 1, 1, 0, a.stream, parameters, null_mut()));
    ok!(cuStreamSynchronize(a.stream));
    let mut found = [0_u32; 16];
    ok!(cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), out, 64));
    let wanted: [u32; 16] =
        std::array::from_fn(|at| (4 + at / 4) as u32 * 16 + 8 + (at % 4) as u32);
    assert_eq!(found, wanted);
    ok!(cuModuleUnload(module));
    a.destroy();
}

/// F642: a GPU lets the load of one element pass too.
#[test]
fn a_vector_is_read_past_the_end_of_an_allocation() {
    fresh!(a_vector_is_read_past_the_end_of_an_allocation, {
        let a = place();
        needs_accelerator!();
        let numbers: [u32; 11] = std::array::from_fn(|at| at as u32 + 1);
        let short: CUdeviceptr = made!(cuMemAlloc_v2(44));
        ok!(cuMemcpyHtoD_v2(short, numbers.as_ptr().cast(), 44));
        ok!(cuCtxSynchronize());
        let ends = |load: &str| {
            let body = format!(
                "ld.global.u64 %rd1, [%out]; {load} add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
                 st.global.u32 [%out], %r1;"
            );
            let module: CUmodule = made!(cuModuleLoadData(text("", &body).as_ptr().cast()));
            ok!(cuMemcpyHtoD_v2(a.memory, (&raw const short).cast(), 8));
            ok!(cuCtxSynchronize());
            assert_eq!(launch(kernel(module, c"test"), a.stream, &[a.memory]), SUCCESS);
            code!(cuStreamSynchronize(a.stream))
        };
        assert_eq!(ends("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1+32];"), SUCCESS);
        let mut sum = 0;
        ok!(cuMemcpyDtoH_v2((&raw mut sum).cast(), a.memory, 4));
        assert_eq!(sum, 9 + 10 + 11);
        let single = ends("ld.global.u32 %r1, [%rd1+44];");
        assert_eq!(single, if software() { ILLEGAL_ADDRESS } else { SUCCESS });
    });
}

/// F643
#[test]
fn elements_of_variables_are_operands() {
    let a = place();
    needs_accelerator!();
    let body = ".shared .align 16 .b8 local0[64]; mov.u64 %rd1, local0[0]; mov.u32 %r1, 7;
        st.shared.u32 [%rd1+4], %r1; ld.shared.u32 %r2, local0[4]; st.global.u32 [%out], %r2;
        ld.global.u16 %h1, g[2]; cvt.u32.u16 %r3, %h1; st.global.u32 [%out+4], %r3;
        ld.global.u32 %r4, m[1]; st.global.u32 [%out+8], %r4;";
    let before = ".global .u16 g[4] = {1, 2, 3, 4}; .global .u32 m[2][2] = {{5, 6}, {7, 8}};";
    assert_eq!(run(&a, before, body, [0; 3]), [7, 3, 6]);
    a.destroy();
}

/// F644
#[test]
fn declarations_need_not_be_complete() {
    let a = place();
    needs_accelerator!();
    let print = ".extern .func vprintf (.param .b64 f, .param .b64 a);";
    let call = "mov.u64 %rd1, 0; { .param .b64 p0; .param .b64 p1; st.param.b64 [p0+0], %rd1;
        st.param.b64 [p1+0], %rd1; call.uni vprintf, (p0, p1); }";
    assert_eq!(load(&text(print, call)).0, SUCCESS);
    let elsewhere = ".extern .global .align 4 .u32 elsewhere;";
    let body = "ld.global.u32 %r1, [elsewhere]; st.global.u32 [%out], %r1;";
    assert_eq!(run(&a, elsewhere, body, [77]), [0]);
    let array = ".extern .global .align 4 .u32 elsewhere[];";
    assert_eq!(load(&text(array, body)).0, INVALID_PTX);
    a.destroy();
}

/// F700
#[test]
fn shared_memory_of_a_size_may_be_external() {
    let a = place();
    needs_accelerator!();
    let variables =
        ".extern .shared .align 8 .b8 a[512]; .extern .shared .u32 b; .extern .shared .b8 rest[];";
    // Where they begin: the second within four bytes of the first's 512, and the one without a size after both.
    let body = "mov.u32 %r1, a; mov.u32 %r2, b; mov.u32 %r3, rest; st.shared.u32 [a+508], 5; st.shared.u32 [b], 6;
        ld.shared.u32 %r4, [a+508]; ld.shared.u32 %r5, [b]; sub.u32 %r6, %r3, %r1;
        st.global.u32 [%out], %r4; st.global.u32 [%out+4], %r5; st.global.u32 [%out+8], %r6;";
    let [first, second, both] = run(&a, variables, body, [0; 3]);
    assert_eq!([first, second], [5, 6]);
    assert!((516..=528).contains(&both), "{both}");
    a.destroy();
}

/// F645
#[test]
fn extremes_of_half_precision_are_vectors() {
    let a = place();
    needs_accelerator!();
    let body = "mov.b16 %h1, 0x3c00; mov.b16 %h2, 0xc000;
        red.global.min.noftz.v2.f16 [%out], {%h2, %h1}; red.global.max.noftz.v2.bf16 [%out+4], {%h2, %h1};";
    // 1.0 and 2.0; in bf16, -2.0 is more than -4.0, and 0.0078125 less than 1.0.
    let found = run(&a, "", body, [0x4000_3c00, 0x3f80_c080]);
    assert_eq!(found, [0x3c00_c000, 0x3f80_c000]);
    for bad in [
        "atom.global.min.noftz.f16 %h1, [%out], %h1;",
        "red.global.max.noftz.bf16x2 [%out], %r1;",
        "red.shared.min.noftz.v2.f16 [%out], {%h1, %h1};",
    ] {
        assert_eq!(load(&text("", bad)).0, INVALID_PTX, "{bad}");
    }
    a.destroy();
}
