//! How flags are written.

use cuscope_sys::{CUctx_flags, CUstream_flags};

#[test]
fn flags_are_written_by_name_and_other_bits_as_a_number() {
    let written = |bits| format!("{:?}", CUctx_flags::from_bits_retain(bits));
    assert_eq!(written(0), "CUctx_flags(0x0)");
    assert_eq!(written(0x01), "CUctx_flags(CU_CTX_SCHED_SPIN)");
    assert_eq!(written(0x09), "CUctx_flags(CU_CTX_SCHED_SPIN | CU_CTX_MAP_HOST)");
    assert_eq!(written(0x4000_0008), "CUctx_flags(CU_CTX_MAP_HOST | 0x40000000)");
    assert_eq!(written(0x4000_0000), "CUctx_flags(0x40000000)");
    assert_eq!(format!("{:?}", CUstream_flags::all()), "CUstream_flags(CU_STREAM_NON_BLOCKING)");
}
