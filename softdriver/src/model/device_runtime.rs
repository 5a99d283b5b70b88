//! The functions of the device runtime (`libcudadevrt.a`) that programs link and this driver has: the wait of a
//! cooperative grid. The archive itself holds machine code.

/// A name and its PTX.
pub(crate) const FUNCTIONS: &[(&str, &str)] =
    &[("cudaCGGetIntrinsicHandle", HANDLE), ("cudaCGSynchronize", SYNCHRONIZE)];

/// The workspace of a grid, scope 1; 0 for other scopes, and if the launch is not cooperative.
const HANDLE: &str = "
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %p1;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u32 %r1, [scope];
    mov.u32 %r2, %envreg2;
    mov.u32 %r3, %envreg1;
    mov.b64 %rd1, {%r2, %r3};
    setp.eq.u32 %p1, %r1, 1;
    selp.b64 %rd2, %rd1, 0, %p1;
    st.param.b64 [handle], %rd2;
    ret;
}
";

/// Waits until all blocks are here: the first one adds so much to a word that, with 1 of each other, its highest
/// bit changes. INVALID_VALUE (1) without a workspace.
const SYNCHRONIZE: &str = "
.visible .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %p<5>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [handle];
    mov.u32 %r1, 1;
    setp.eq.u64 %p1, %rd1, 0;
    @%p1 bra DONE;
    bar.sync 0;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %tid.y;
    mov.u32 %r4, %tid.z;
    or.b32 %r2, %r2, %r3;
    or.b32 %r2, %r2, %r4;
    setp.ne.u32 %p2, %r2, 0;
    @%p2 bra TOGETHER;
    mov.u32 %r5, %nctaid.x;
    mov.u32 %r6, %nctaid.y;
    mov.u32 %r7, %nctaid.z;
    mul.lo.u32 %r5, %r5, %r6;
    mul.lo.u32 %r5, %r5, %r7;
    mov.u32 %r8, 0x80000001;
    sub.u32 %r8, %r8, %r5;
    mov.u32 %r9, %ctaid.x;
    mov.u32 %r10, %ctaid.y;
    mov.u32 %r11, %ctaid.z;
    or.b32 %r9, %r9, %r10;
    or.b32 %r9, %r9, %r11;
    setp.eq.u32 %p3, %r9, 0;
    selp.b32 %r12, %r8, 1, %p3;
    membar.gl;
    atom.global.add.u32 %r13, [%rd1+4], %r12;
AGAIN:
    ld.volatile.global.u32 %r14, [%rd1+4];
    xor.b32 %r15, %r14, %r13;
    setp.ge.s32 %p4, %r15, 0;
    @%p4 bra AGAIN;
    membar.gl;
TOGETHER:
    bar.sync 0;
    mov.u32 %r1, 0;
DONE:
    st.param.b32 [code], %r1;
    ret;
}
";
