//! Effects of kernels besides computing: waiting for one another, printing, asserting, asking for memory.
#![allow(unsafe_code, reason = "the driver's functions are unsafe")]

#[macro_use]
mod common;

use common::*;
use cuscope_sys::{
    CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INPUT_LIBRARY,
    CU_JIT_INPUT_PTX, CUDA_LAUNCH_PARAMS,
};
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
    // Extents whose product is 2^64, or more: no shape at all, and more blocks than any device holds.
    let mut shaped = |[x, y, z]: [u32; 3], [a, b, c]: [u32; 3]| {
        let (stream, params) = (null_mut(), params.as_mut_ptr());
        code!(cuLaunchCooperativeKernel(function, x, y, z, a, b, c, 0, stream, params))
    };
    for huge in [[1 << 22, 1 << 21, 1 << 21], [u32::MAX; 3], [1 << 31, 1 << 31, 4]] {
        assert_eq!(shaped([1; 3], huge), 1);
        assert_eq!(shaped(huge, [1; 3]), 720);
        assert_eq!(shaped(huge, huge), 1);
    }
    assert_eq!(values(out, 132), [132; 132]);
    ok!(cuCtxDestroy_v2(context));
}

const LOAD: &str = "ld.global.u32 %r3, [%rd4]; st.global.u32 [%rd6], %r3;";
const LOAD_GENERIC: &str = "ld.u32 %r3, [%rd4]; st.global.u32 [%rd6], %r3;";
const STORE: &str = "st.global.u32 [%rd4], %r1;";
const STORE_GENERIC: &str = "st.u32 [%rd4], %r1;";

/// Launches a warp whose threads load from 1024 bytes or store there: the first one at `first`, and each next one
/// `stride` bytes on. Gives the code, the words that were loaded, and those that are there then.
fn access(access: &str, stride: u64, first: u64) -> (u32, Vec<u32>, Vec<u32>) {
    let context = context();
    let function = compiled(
        "",
        ".param .u64 at, .param .u64 stride, .param .u64 out",
        &format!(
            "ld.param.u64 %rd1, [at]; ld.param.u64 %rd2, [stride]; ld.param.u64 %rd5, [out];\n\
             mov.u32 %r1, %tid.x; cvt.u64.u32 %rd3, %r1; mad.lo.u64 %rd4, %rd3, %rd2, %rd1;\n\
             mad.lo.u64 %rd6, %rd3, 4, %rd5; {access}"
        ),
    );
    let words: Vec<u32> = (0..256).collect();
    let (memory, out) = (device_memory(&words), device_memory(&[0; 32]));
    assert_eq!(launch_many(function, 1, 32, null_mut(), &[memory + first, stride, out]), 0);
    let code = code!(cuCtxSynchronize());
    let (got, left) = match code {
        0 => (values(out, 32), values(memory, 256)),
        _ => Default::default(),
    };
    ok!(cuCtxDestroy_v2(context));
    (code, got, left)
}

/// However the words of a warp lie, each thread has its own.
#[test]
fn accesses_of_a_whole_warp_reach_the_words_of_each_thread() {
    for (stride, first) in [(4_u64, 0_u64), (4, 896), (0, 1020), (8, 772), (u64::MAX - 3, 124)] {
        let word = |thread: u64| first.wrapping_add(stride.wrapping_mul(thread)) as usize / 4;
        for load in [LOAD, LOAD_GENERIC] {
            let (code, got, left) = access(load, stride, first);
            assert_eq!(code, 0);
            assert!((0..32).all(|thread| got[thread as usize] as usize == word(thread)));
            assert!((0..).zip(left).all(|(at, word)| at == word));
        }
        for store in [STORE, STORE_GENERIC] {
            let (code, _, left) = access(store, stride, first);
            let mut expected: Vec<u32> = (0..256).collect();
            (0..32).for_each(|thread| expected[word(thread)] = thread as u32);
            assert_eq!((code, left), (0, expected));
        }
    }
}

/// A fault ends the process's use of the device, so that each has its own.
macro_rules! faults {
    ($($name:ident: $access:ident, $stride:expr, $first:expr => $code:expr;)*) => {$(
        #[test]
        fn $name() {
            in_a_child(stringify!($name), || {
                assert_eq!(access($access, $stride, $first).0, $code);
            });
        }
    )*};
}

faults! {
    a_warp_loads_beyond_the_end: LOAD, 4, 900 => 700;
    a_warp_stores_beyond_the_end: STORE_GENERIC, 4, 900 => 700;
    a_warp_loads_one_word_beyond_the_end: LOAD_GENERIC, 0, 1024 => 700;
    a_warp_stores_here_and_there_beyond_the_end: STORE, 8, 780 => 700;
    a_warp_loads_before_the_beginning: LOAD, u64::MAX - 3, 120 => 700;
    a_warp_loads_misaligned_words: LOAD, 4, 2 => 716;
    a_warp_stores_a_misaligned_word: STORE, 0, 1023 => 716;
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
        if waits {
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_eq!(code!(cuStreamQuery(first)), 600, "flags {flags}");
        } else {
            ok!(cuStreamSynchronize(first));
        }
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

/// An archive with these members.
fn archive(members: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for member in members {
        let (name, size) = ("member.o/", member.len());
        bytes.extend(format!("{name:<16}{0:<12}{0:<6}{0:<6}{0:<8}{size:<10}`\n", 0).bytes());
        bytes.extend(*member);
        if size % 2 == 1 {
            bytes.push(b'\n');
        }
    }
    bytes
}

/// Links a text with a library; the code of its completion, the log of errors, and the module.
fn linked(text: &str, library: &[u8]) -> (u32, String, CUmodule) {
    let mut log = vec![0_u8; 4096];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len())];
    let mut state = null_mut();
    ok!(cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut state));
    for (kind, data) in [(CU_JIT_INPUT_PTX, text.as_bytes()), (CU_JIT_INPUT_LIBRARY, library)] {
        let (bytes, size) = (data.as_ptr().cast_mut().cast(), data.len());
        let name = c"input".as_ptr();
        ok!(cuLinkAddData_v2(state, kind, bytes, size, name, 0, null_mut(), null_mut()));
    }
    let mut image = null_mut();
    let code = code!(cuLinkComplete(state, &raw mut image, null_mut()));
    let module = if code == 0 { made!(cuModuleLoadData(image)) } else { null_mut() };
    ok!(cuLinkDestroy(state));
    let log = CString::new(log.split(|&byte| byte == 0).next().unwrap()).unwrap();
    (code, log.into_string().unwrap(), module)
}

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A missing symbol is named, and one that is not needed is left out, whatever it is.
#[test]
fn a_library_gives_its_ptx_and_is_not_missed_without_need() {
    let context = context();
    let text =
        format!("{HEAD}.extern .func helper();\n.visible .entry test() {{ call helper; ret; }}");
    let helper = format!("{HEAD}.visible .func helper() {{ ret; }}\n");
    let machine_code = b"\x7fELF and so on".as_slice();
    for library in [archive(&[]), archive(&[machine_code]), archive(&[b"text"])] {
        let (code, log, _) = linked(&text, &library);
        assert_eq!(code, 300);
        assert!(log.contains("Undefined reference to 'helper'"), "{log}");
        let (code, log, _) = linked(&format!("{HEAD}.visible .entry test() {{ ret; }}"), &library);
        assert_eq!(code, 0, "{log}");
    }
    let (code, log, module) = linked(&text, &archive(&[machine_code, helper.as_bytes()]));
    assert_eq!(code, 0, "{log}");
    let function = made!(cuModuleGetFunction(module, c"test".as_ptr()));
    assert_eq!(launch(function, null_mut(), &[]), 0);
    ok!(cuCtxSynchronize());
    ok!(cuCtxDestroy_v2(context));
}

/// A module alone has memory for such a variable (F644), but the linker wants a text that defines it, before or after the
/// one that names it in an initialiser.
#[test]
fn a_variable_of_another_text_is_linked_or_missed() {
    let context = context();
    let text = format!(
        "{HEAD}.extern .global .u32 elsewhere;\n.visible .global .u64 place = elsewhere;\n\
         .visible .entry test(.param .u64 out) {{ .reg .b64 %rd<3>; .reg .b32 %r<2>;\n\
         ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [place]; ld.global.u32 %r1, [%rd2];\n\
         st.global.u32 [%rd1], %r1; ret; }}"
    );
    let (code, log, _) = linked(&text, &archive(&[]));
    assert_eq!(code, 300);
    assert!(log.contains("Undefined reference to 'elsewhere' in 'input'"), "{log}");
    let defines = format!("{HEAD}.visible .global .u32 elsewhere = 7;\n");
    let (code, log, module) = linked(&text, &archive(&[defines.as_bytes()]));
    assert_eq!(code, 0, "{log}");
    let out = device_memory(&[0]);
    let function = made!(cuModuleGetFunction(module, c"test".as_ptr()));
    assert_eq!(launch(function, null_mut(), &[out]), 0);
    assert_eq!(values(out, 1), [7]);
    ok!(cuCtxDestroy_v2(context));
}

/// Numba's kernels call these functions of `libcudadevrt.a`.
#[test]
fn blocks_wait_for_one_another_by_the_device_runtime() {
    let context = context();
    // Each block tells its number, and then adds up what all have told; twice.
    let text = format!(
        "{HEAD}.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.visible .entry test(.param .u64 out) {{
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<9>;
    .param .b32 scope; .param .b64 handle; .param .b32 flags; .param .b32 code;
    ld.param.u64 %rd1, [out];
    st.param.b32 [scope], 1;
    call.uni (handle), cudaCGGetIntrinsicHandle, (scope);
    ld.param.b64 %rd2, [handle];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3;
    mov.u32 %r4, 0;
ROUND:
    add.u32 %r5, %r1, %r4; st.global.u32 [%rd3], %r5;
    st.param.b64 [handle], %rd2; st.param.b32 [flags], 0;
    call.uni (code), cudaCGSynchronize, (handle, flags);
    mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u64 %rd4, %rd1;
SUM:
    ld.volatile.global.u32 %r5, [%rd4]; add.u32 %r6, %r6, %r5; add.u64 %rd4, %rd4, 4;
    add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, %r2; @%p1 bra SUM;
    call.uni (code), cudaCGSynchronize, (handle, flags);
    ld.param.b32 %r8, [code];
    add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2; @%p2 bra ROUND;
    add.u32 %r6, %r6, %r8; st.global.u32 [%rd3], %r6; ret; }}"
    );
    let (code, log, module) = linked(&text, &archive(&[b"\x7fELF and so on"]));
    assert_eq!(code, 0, "{log}");
    let function: CUfunction = made!(cuModuleGetFunction(module, c"test".as_ptr()));
    let mut out = device_memory(&[0; 7]);
    let mut params = [(&raw mut out).cast()];
    let (params, stream) = (params.as_mut_ptr(), null_mut());
    ok!(cuLaunchCooperativeKernel(function, 7, 1, 1, 64, 1, 1, 0, stream, params));
    ok!(cuCtxSynchronize());
    // The numbers of the blocks, each with 1 added in the second round.
    assert_eq!(values(out, 7), [21 + 7; 7]);
    ok!(cuCtxDestroy_v2(context));
}
