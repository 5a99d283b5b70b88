//! Effects of kernels besides computing: F241 to F247, F702.

use crate::common::{assert_success, respawn, software};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CString, c_char};
use std::ptr::null_mut;

/// PTX with these declarations, and a kernel `test` with these parameters and this body.
fn text(before: &str, params: &str, body: &str) -> CString {
    let text = format!(
        ".version 8.3\n.target sm_80\n.address_size 64\n{before}\n\
         .visible .entry test({params}) {{\n\
         .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<4>; .reg .pred %p<9>;\n{body}\nret;\n}}\n"
    );
    CString::new(text).unwrap()
}

/// The same, loaded into the current context.
fn compiled(before: &str, params: &str, body: &str) -> CUfunction {
    let module: CUmodule = made!(cuModuleLoadData(text(before, params, body).as_ptr().cast()));
    kernel(module, c"test")
}

/// The declaration of a string of the device.
fn string(name: &str, text: &str) -> String {
    let bytes: Vec<_> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!(".global .align 1 .b8 {name}[{}] = {{{}}};\n", bytes.len(), bytes.join(", "))
}

/// Returns the code that the process gets after a kernel that runs.
fn fault_of(before: &str, params: &str, body: &str, arguments: &[u64]) -> CUresult {
    die_quietly(60);
    let place = place();
    let function = compiled(before, params, body);
    assert_eq!(launch(function, place.stream, arguments), SUCCESS);
    let code = code!(cuStreamSynchronize(place.stream));
    assert_eq!(code!(cuCtxSynchronize()), code, "it stays");
    code
}

/// F241
#[test]
fn an_assertion_that_fails_is_told_and_ends_the_process() {
    const TEST: &str = "an_assertion_that_fails_is_told_and_ends_the_process";
    crate::skip_under_miri!("it reads what a process wrote");
    if let Some(output) = respawn(module_path!(), TEST) {
        assert_success(TEST, &output);
        let told = String::from_utf8_lossy(&output.stderr);
        for thread in 0..2 {
            let line = format!(
                "file.cu:12: name: block: [0,0,0], thread: [{thread},0,0] Assertion `x < y` failed."
            );
            assert!(told.contains(&line), "{told}");
        }
        return;
    }
    let before = string("message", "x < y") + &string("file", "file.cu") + &string("name", "name");
    let function = ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, \
                    .param .b64 n, .param .b64 s);\n";
    let body = "mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1;\n\
        mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2;\n\
        mov.u64 %rd3, name; cvta.global.u64 %rd3, %rd3;\n\
        { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n\
        st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 12;\n\
        st.param.b64 [d], %rd3; st.param.b64 [e], 1;\n\
        call.uni __assertfail, (a, b, c, d, e); }";
    die_quietly(60);
    let place = place();
    let function = compiled(&(before + function), "", body);
    let two_threads = launch_shaped(function, [1; 3], [2, 1, 1], 0, place.stream, &[]);
    assert_eq!(two_threads, SUCCESS);
    each_gives!(CUDA_ERROR_ASSERT; {
        cuStreamSynchronize(place.stream);
        cuCtxSynchronize();
    });
}

/// F242
#[test]
fn text_of_kernels_is_written_before_a_wait_returns() {
    const TEST: &str = "text_of_kernels_is_written_before_a_wait_returns";
    crate::skip_under_miri!("it reads what a process wrote");
    if let Some(output) = respawn(module_path!(), TEST) {
        assert_success(TEST, &output);
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(told.contains("lane % 0 %q.\nlane % 1 %q.\nthe host\n"), "{told}");
        return;
    }
    let before = string("format", "lane %q %d %q.\n");
    let function = ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n";
    let body = ".local .align 8 .b8 list[8]; mov.u64 %rd1, list; cvta.local.u64 %rd2, %rd1;\n\
        mov.u32 %r1, %tid.x; st.local.u32 [%rd1], %r1;\n\
        mov.u64 %rd3, format; cvta.global.u64 %rd3, %rd3;\n\
        { .param .b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %rd3;\n\
        st.param.b64 [q], %rd2; call.uni (r), vprintf, (p, q); }";
    let place = place();
    let function = compiled(&(before + function), "", body);
    let two_threads = launch_shaped(function, [1; 3], [2, 1, 1], 0, place.stream, &[]);
    assert_eq!(two_threads, SUCCESS);
    ok!(cuStreamSynchronize(place.stream));
    // Text that C keeps back is written too.
    // SAFETY: null stands for all of C's streams.
    unsafe { libc::fflush(null_mut()) };
    println!("the host");
    place.destroy();
}

/// F243
#[test]
fn a_call_of_what_is_no_function_is_an_invalid_pc() {
    fresh!(a_call_of_what_is_no_function_is_an_invalid_pc, {
        let body = "mov.u64 %rd1, 8; P: .callprototype _ (); call %rd1, P;";
        assert_eq!(fault_of("", "", body, &[]), CUDA_ERROR_INVALID_PC);
    });
}

/// F244
#[test]
fn recursion_without_end_is_an_illegal_address() {
    fresh!(recursion_without_end_is_an_illegal_address, {
        // The value that the call gives is used after it, so that it needs its frame.
        let before = ".func (.param .b32 sum) deep (.param .b32 n) {\n\
            .reg .b32 %r<5>; .local .align 4 .b8 frame[256];\n\
            ld.param.b32 %r1, [n]; st.local.b32 [frame], %r1; add.s32 %r2, %r1, 1;\n\
            { .param .b32 x; .param .b32 y; st.param.b32 [x], %r2; call.uni (y), deep, (x);\n\
            ld.param.b32 %r3, [y]; }\n\
            ld.local.b32 %r4, [frame]; add.s32 %r4, %r4, %r3; st.param.b32 [sum], %r4; ret; }";
        let body = "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 1; call.uni (y), deep, (x);\n\
            ld.param.b32 %r1, [y]; }\n\
            ld.param.u64 %rd1, [out]; st.global.b32 [%rd1], %r1;";
        let nowhere = 0x10;
        assert_eq!(fault_of(before, ".param .u64 out", body, &[nowhere]), ILLEGAL_ADDRESS);
    });
}

/// F244
#[test]
fn a_breakpoint_is_a_failed_launch() {
    fresh!(a_breakpoint_is_a_failed_launch, {
        assert_eq!(fault_of("", "", "brkpt;", &[]), LAUNCH_FAILED);
    });
}

/// F244
#[test]
fn the_number_of_a_barrier_counts_modulo_16() {
    let place = place();
    let body = "ld.param.u64 %rd1, [number]; cvt.u32.u64 %r1, %rd1; bar.sync %r1;";
    let function = compiled("", ".param .u64 number", body);
    for number in [15, 16, 17] {
        let code = launch_shaped(function, [1; 3], [64, 1, 1], 0, place.stream, &[number]);
        assert_eq!((code, code!(cuStreamSynchronize(place.stream))), (SUCCESS, SUCCESS));
    }
    place.destroy();
}

/// F245
#[test]
fn a_kernel_allocates_what_there_is() {
    let place = place();
    // Memory that was allocated is written and read.
    let function = compiled(
        ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);",
        ".param .u64 out, .param .u64 n",
        "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n]; mov.u32 %r2, 0;\n\
         { .param .b64 a; .param .b64 b; st.param.b64 [a], %rd2; call.uni (b), malloc, (a);\n\
         ld.param.b64 %rd3, [b]; }\n\
         setp.eq.u64 %p1, %rd3, 0; selp.u32 %r1, 0, 1, %p1; st.global.u32 [%rd1], %r1;\n\
         setp.lt.u64 %p2, %rd2, 4; or.pred %p1, %p1, %p2; @%p1 bra DONE;\n\
         st.volatile.u32 [%rd3], 7; ld.volatile.u32 %r2, [%rd3];\n\
         DONE: st.global.u32 [%rd1+4], %r2;\n\
         { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }",
    );
    for (bytes, answer) in [(1 << 20, [1, 7]), (0, [1, 0]), (1 << 40, [0, 0])] {
        assert_eq!(launch(function, place.stream, &[place.memory, bytes]), SUCCESS);
        ok!(cuStreamSynchronize(place.stream));
        let mut seen = [9_u32; 2];
        ok!(cuMemcpyDtoH_v2(seen.as_mut_ptr().cast(), place.memory, size_of_val(&seen)));
        assert_eq!(seen, answer, "{bytes} bytes");
    }
    place.destroy();
}

/// F245: the real driver looks at what lies before the memory.
#[test]
fn a_kernel_frees_only_what_kernels_allocate() {
    const TEST: &str = "a_kernel_frees_only_what_kernels_allocate";
    // At the begin of an allocation of its own pages, and inside of it.
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &[0, 4096], |&inside| {
        let place = place();
        let function = compiled(
            ".extern .func free (.param .b64 p);",
            ".param .u64 memory",
            "ld.param.u64 %rd1, [memory]; { .param .b64 p; st.param.b64 [p], %rd1;\n\
             call.uni free, (p); }",
        );
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(64 << 20));
        assert_eq!(launch(function, place.stream, &[memory + inside]), SUCCESS);
        let noticed = inside == 0 || software();
        let code = if noticed { ILLEGAL_ADDRESS } else { SUCCESS };
        assert_eq!(code!(cuStreamSynchronize(place.stream)), code, "{inside}");
    });
    outputs.iter().flatten().for_each(|output| assert_success(TEST, output));
}

/// F246
#[test]
fn half_has_more_types_than_bfloat() {
    let context = create_context();
    let mut mode: CUstreamCaptureMode = CU_STREAM_CAPTURE_MODE_RELAXED;
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    let half = "mov.b16 %h1, 0x3c00; add.rn.f16 %h2, %h1, %h1;";
    for (before, body, code) in [
        (".global .f16 x;", "", SUCCESS),
        (".global .f16x2 x;", "", SUCCESS),
        ("", ".reg .b128 x;", SUCCESS),
        ("", half, SUCCESS),
        (".global .bf16 x;", "", INVALID_PTX),
        ("", ".reg .bf16 x;", INVALID_PTX),
        ("", "add.rz.f16 %h1, %h1, %h2;", INVALID_PTX),
        ("", "add.sat.bf16 %h1, %h1, %h2;", INVALID_PTX),
    ] {
        let text = text(before, "", body);
        let mut module = null_mut();
        assert_eq!(
            code!(cuModuleLoadData(&raw mut module, text.as_ptr().cast::<c_char>().cast())),
            code,
            "{before}{body}"
        );
    }
    ok!(cuThreadExchangeStreamCaptureMode(&raw mut mode));
    ok!(cuCtxDestroy_v2(context));
}

/// F247
#[test]
fn a_constant_lies_in_no_global_memory() {
    let place = place();
    let function = compiled(
        ".const .align 4 .b32 fixed = 7;\n.global .align 4 .b32 free = 8;",
        ".param .u64 out",
        "ld.param.u64 %rd1, [out]; mov.u64 %rd2, fixed; cvta.const.u64 %rd2, %rd2;\n\
         mov.u64 %rd3, free; cvta.global.u64 %rd3, %rd3;\n\
         isspacep.const %p1, %rd2; isspacep.global %p2, %rd2; isspacep.const %p3, %rd3;\n\
         isspacep.global %p4, %rd3;\n\
         selp.u32 %r1, 1, 0, %p1; selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;\n\
         selp.u32 %r4, 1, 0, %p4; ld.u32 %r5, [%rd2];\n\
         st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; st.global.u32 [%rd1+8], %r3;\n\
         st.global.u32 [%rd1+12], %r4; st.global.u32 [%rd1+16], %r5;",
    );
    assert_eq!(launch(function, place.stream, &[place.memory]), SUCCESS);
    ok!(cuStreamSynchronize(place.stream));
    let mut seen = [9_u32; 5];
    ok!(cuMemcpyDtoH_v2(seen.as_mut_ptr().cast(), place.memory, size_of_val(&seen)));
    // Of the constant, as constant and as global; of the other one; what is there.
    assert_eq!(seen, [1, 0, 0, 1, 7]);
    place.destroy();
}

/// F702: of three warps, the last ends, and eight threads of each other.
#[test]
fn barriers_and_warps_do_not_wait_for_threads_that_have_ended() {
    let place = place();
    let function = compiled(
        "",
        ".param .u64 out",
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; setp.ge.u32 %p1, %r1, 64;\n\
         setp.lt.or.u32 %p1, %r2, 8, %p1; @%p1 exit;\n\
         bar.sync 0; setp.lt.u32 %p2, %r1, 64; bar.red.popc.u32 %r3, 0, %p2; bar.warp.sync -1;\n\
         shfl.sync.idx.b32 %r4, %r2, 9, 31, -1; vote.sync.ballot.b32 %r5, %p2, -1;\n\
         match.any.sync.b32 %r6, 7, -1; redux.sync.add.u32 %r7, %r2, -1;\n\
         setp.ne.u32 %p3, %r2, 8; @%p3 exit;\n\
         shr.u32 %r1, %r1, 5; ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, 20, %rd1;\n\
         st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4; st.global.u32 [%rd1+8], %r5;\n\
         st.global.u32 [%rd1+12], %r6; st.global.u32 [%rd1+16], %r7;",
    );
    let code = launch_shaped(function, [1; 3], [96, 1, 1], 0, place.stream, &[place.memory]);
    assert_eq!((code, code!(cuStreamSynchronize(place.stream))), (SUCCESS, SUCCESS));
    let mut seen = [[9_u32; 5]; 2];
    ok!(cuMemcpyDtoH_v2(seen.as_mut_ptr().cast(), place.memory, size_of_val(&seen)));
    // How many came to the barrier, a value of the tenth, who voted, whose number is the same, and the sum of 8 to 31.
    assert_eq!(seen, [[48, 9, 0xffff_ff00, 0xffff_ff00, 468]; 2]);
    place.destroy();
}
