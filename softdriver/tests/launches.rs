//! What kernels do besides computing: waiting for one another, printing, asserting, asking for memory.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_sys::CUDA_LAUNCH_PARAMS;
use std::ffi::CString;
use std::process::Command;
use std::ptr::null_mut;

/// The kernel `test` of a module with these declarations, parameters and body.
fn compiled(before: &str, params: &str, body: &str) -> CUfunction {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{before}\n\
         .visible .entry test({params}) {{ .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<9>;\n\
         {body}\nret; }}"
    );
    let text = CString::new(text).unwrap();
    let module = made!(cuModuleLoadData(text.as_ptr().cast()));
    made!(cuModuleGetFunction(module, c"test".as_ptr()))
}

/// F240
#[test]
fn a_cooperative_launch_has_all_blocks_at_once() {
    let context = context();
    // Every block adds 1 and waits until all have, then writes what it saw.
    let function = compiled(
        "",
        ".param .u64 out",
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1;\n\
         cvt.u64.u32 %rd2, %r1; cvt.u64.u32 %rd3, %r2; bfi.b64 %rd4, %rd3, %rd2, 32, 32;\n\
         mov.u32 %r3, %nctaid.x; atom.add.release.gpu.u32 %r4, [%rd4], 1;\n\
         SPIN: ld.acquire.gpu.u32 %r5, [%rd4]; setp.lt.u32 %p1, %r5, %r3; @%p1 bra SPIN;\n\
         mov.u32 %r6, %ctaid.x; mad.wide.u32 %rd5, %r6, 4, %rd1; st.global.u32 [%rd5], %r5;",
    );
    let mut out = device_memory(&[0; 132]);
    let mut params = [(&raw mut out).cast()];
    let mut cooperative = |blocks: u32, threads: u32| {
        let stream = null_mut();
        let params = params.as_mut_ptr();
        code!(cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, params))
    };
    assert_eq!(cooperative(265, 1024), 720);
    assert_eq!(cooperative(4225, 32), 720);
    assert_eq!(cooperative(132, 1), 0);
    ok!(cuCtxSynchronize());
    assert_eq!(values(out, 132), [132; 132]);
    ok!(cuCtxDestroy_v2(context));
}

/// F325: unless told otherwise, each kernel waits for what is in all the streams, and what comes next for all.
#[test]
fn a_launch_on_two_devices_is_one_in_both_streams() {
    let other = context_on(1);
    let (function, second) = (compiled("", "", ""), stream());
    let context = context();
    let first = stream();
    let one = |function, stream| CUDA_LAUNCH_PARAMS {
        function,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream,
        kernelParams: null_mut(),
    };
    let mut list = [one(compiled("", "", ""), first), one(function, second)];
    for (flags, waits) in [(0, true), (1, true), (2, true), (3, false)] {
        // The other stream is held up before the launch.
        let gate = Gate::new(second);
        ok!(cuLaunchCooperativeKernelMultiDevice(list.as_mut_ptr(), 2, flags));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(code!(cuStreamQuery(first)) == 600, waits, "flags {flags}");
        assert_eq!(code!(cuStreamQuery(second)), 600);
        gate.open();
        ok!(cuStreamSynchronize(first));
        ok!(cuStreamSynchronize(second));
    }
    ok!(cuCtxDestroy_v2(context));
    ok!(cuCtxDestroy_v2(other));
}

/// F241
#[test]
fn an_assertion_that_fails_ends_the_launch() {
    in_a_child("an_assertion_that_fails_ends_the_launch", || {
        let _context = context();
        let function = compiled(
            ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, \
             .param .b64 n, .param .b64 s);\n.global .b8 msg[2] = {120, 0};",
            "",
            "mov.u64 %rd1, msg; cvta.global.u64 %rd1, %rd1;\n\
             { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n\
             st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 12;\n\
             st.param.b64 [d], %rd1; st.param.b64 [e], 1;\n\
             call.uni __assertfail, (a, b, c, d, e); }",
        );
        assert_eq!(launch(function, null_mut(), &[]), 0);
        assert_eq!(code!(cuCtxSynchronize()), 710);
        assert_eq!(code!(cuCtxSynchronize()), 710);
    });
}

/// F243
#[test]
fn a_call_of_what_is_no_function() {
    in_a_child("a_call_of_what_is_no_function", || {
        let _context = context();
        let function = compiled("", "", "mov.u64 %rd1, 8; P: .callprototype _ (); call %rd1, P;");
        assert_eq!(launch(function, null_mut(), &[]), 0);
        assert_eq!(code!(cuCtxSynchronize()), 718);
    });
}

/// F244
#[test]
fn calls_without_end() {
    in_a_child("calls_without_end", || {
        let _context = context();
        let function = compiled(".func f() { .local .b8 a[64]; call f; ret; }", "", "call f;");
        assert_eq!(launch(function, null_mut(), &[]), 0);
        assert_eq!(code!(cuCtxSynchronize()), 700);
    });
}

/// F242
#[test]
fn printf_is_written_when_the_program_waits() {
    const NAME: &str = "printf_is_written_when_the_program_waits";
    const MARK: &str = "CUSCOPE_TEST_PRINTS";
    if std::env::var_os(MARK).is_none() {
        let exe = std::env::current_exe().unwrap();
        let mut child = Command::new(exe);
        let output = child.args(["--exact", NAME, "--nocapture"]).env(MARK, "1").output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("lane 0\nlane 1\nhost\n"), "{text}");
        return;
    }
    let context = context();
    let function = compiled(
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
         .global .b8 fmt[9] = {108, 97, 110, 101, 32, 37, 100, 10, 0};",
        "",
        ".local .align 8 .b8 buf[8]; mov.u64 %rd1, buf; cvta.local.u64 %rd2, %rd1;\n\
         mov.u32 %r1, %tid.x; st.local.u32 [%rd1], %r1; mov.u64 %rd3, fmt;\n\
         cvta.global.u64 %rd3, %rd3;\n\
         { .param .b64 p; .param .b64 q; .param .b32 r; st.param.b64 [p], %rd3;\n\
         st.param.b64 [q], %rd2; call.uni (r), vprintf, (p, q); }",
    );
    assert_eq!(launch_many(function, 1, 2, null_mut(), &[]), 0);
    ok!(cuCtxSynchronize());
    println!("host");
    ok!(cuCtxDestroy_v2(context));
}

/// F245
#[test]
fn memory_of_the_heap() {
    let context = context();
    let function = compiled(
        ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);",
        ".param .u64 out, .param .u64 n",
        "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [n];\n\
         { .param .b64 n; .param .b64 r; st.param.b64 [n], %rd2; call.uni (r), malloc, (n);\n\
         ld.param.b64 %rd3, [r]; }\n\
         setp.eq.u64 %p1, %rd3, 0; selp.u32 %r1, 0, 1, %p1; st.global.u32 [%rd1], %r1;\n\
         @%p1 bra END; @!%p1 st.u8 [%rd3], 7; ld.u8 %r2, [%rd3]; st.global.u32 [%rd1+4], %r2;\n\
         { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }\nEND:",
    );
    let out = device_memory(&[9; 2]);
    for (bytes, answer) in [(1 << 20, [1, 7]), (1 << 40, [0, 7]), (0, [1, 7])] {
        assert_eq!(launch(function, null_mut(), &[out, bytes]), 0);
        assert_eq!(values(out, 2), answer, "{bytes} bytes");
    }
    ok!(cuCtxDestroy_v2(context));
}
