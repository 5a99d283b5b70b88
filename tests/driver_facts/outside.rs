//! Accesses of kernels outside of their own memory, and at addresses that are not multiples of a size: F657 to F660.

use crate::common::software;
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::CString;

/// A kernel with this body, for which `%out` is the address of its words: what the wait for it returns, and its first word.
fn ends(body: &str) -> (CUresult, u32) {
    die_quietly(60);
    let a = place();
    let text = format!(
        ".version 8.1\n.target sm_80\n.address_size 64\n.const .align 16 .b32 c[4] = {{1, 2, 3, 4}};\n\
         .visible .entry test(.param .u64 out) {{\n\
         .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b64 %out; .shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n\
         ld.param.u64 %out, [out]; cvta.to.global.u64 %out, %out; mov.u32 %r1, 5;\n{body}\n\
         st.global.u32 [%out], %r1; ret;\n}}\n"
    );
    let text = CString::new(text).unwrap();
    let module: CUmodule = made!(cuModuleLoadData(text.as_ptr().cast()));
    assert_eq!(launch(kernel(module, c"test"), a.stream, &[a.memory]), SUCCESS);
    let code = code!(cuStreamSynchronize(a.stream));
    let mut word = 0_u32;
    if code == SUCCESS {
        ok!(cuMemcpyDtoH_v2((&raw mut word).cast(), a.memory, 4));
    }
    (code, word)
}

/// F657
#[test]
fn shared_memory_ends_where_that_of_the_block_does() {
    fresh!(shared_memory_ends_where_that_of_the_block_does, {
        needs_accelerator!();
        let body = "mov.u32 %r2, s; st.shared.u32 [%r2+4096], %r1;";
        assert_eq!(ends(body).0, CUDA_ERROR_ILLEGAL_ADDRESS);
    });
}

/// F657
#[test]
fn local_memory_ends_where_that_of_the_thread_does() {
    fresh!(local_memory_ends_where_that_of_the_thread_does, {
        needs_accelerator!();
        let body = "mov.u64 %rd1, l; st.local.u32 [%rd1], %r1; st.local.u32 [%rd1+4096], %r1;";
        assert_eq!(ends(body).0, CUDA_ERROR_ILLEGAL_ADDRESS);
    });
}

/// F658
#[test]
fn an_access_at_no_multiple_of_its_size_is_misaligned() {
    fresh!(an_access_at_no_multiple_of_its_size_is_misaligned, {
        needs_accelerator!();
        // The assembler leaves out a load whose value nobody uses, unless it is volatile.
        let body = "ld.volatile.global.v4.u32 {%r1, %r2, %r3, %r4}, [%out+8];";
        assert_eq!(ends(body).0, CUDA_ERROR_MISALIGNED_ADDRESS);
    });
}

/// F658
#[test]
fn a_constant_at_no_multiple_of_its_size_is_misaligned() {
    fresh!(a_constant_at_no_multiple_of_its_size_is_misaligned, {
        needs_accelerator!();
        let body = "mov.u64 %rd1, c; cvt.u64.u32 %rd2, %r1; add.u64 %rd1, %rd1, %rd2; ld.const.u32 %r1, [%rd1];";
        assert_eq!(ends(body).0, CUDA_ERROR_MISALIGNED_ADDRESS);
    });
}

/// F659: the software driver lets no constant pass that is none.
#[test]
fn memory_after_constants_is_zero() {
    fresh!(memory_after_constants_is_zero, {
        needs_accelerator!();
        let body = "mov.u64 %rd1, c; mul.wide.u32 %rd2, %r1, 4096; add.u64 %rd1, %rd1, %rd2; ld.const.u32 %r1, [%rd1];";
        let expected = if software() { (CUDA_ERROR_ILLEGAL_ADDRESS, 0) } else { (SUCCESS, 0) };
        assert_eq!(ends(body), expected);
    });
}

/// F660
#[test]
fn prefetches_and_copies_of_nothing_may_be_from_anywhere() {
    fresh!(prefetches_and_copies_of_nothing_may_be_from_anywhere, {
        needs_accelerator!();
        let body = "st.shared.u32 [s], %r1; mov.u32 %r2, s; mov.u32 %r3, 0; mov.u64 %rd1, 0x100000000008;
            prefetch.global.L2 [%rd1]; prefetch.L1 [%rd1]; prefetchu.L1 [%rd1];
            cp.async.cg.shared.global [%r2], [%rd1], 16, %r3; cp.async.wait_all; ld.shared.u32 %r1, [s];";
        assert_eq!(ends(body), (SUCCESS, 0));
    });
}
