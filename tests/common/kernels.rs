//! Kernels of the tests, as PTX that every supported driver compiles.
#![allow(dead_code, reason = "each test file uses a part")]

/// `store(ptr, value)`: `*ptr = value`, by every thread.
pub(crate) const STORE: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry store(.param .u64 p, .param .u32 v)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [v];
    st.global.u32 [%rd2], %r1;
    ret;
}
";

/// `spin(ns)`: runs for about `ns` nanoseconds.
pub(crate) const SPIN: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry spin(.param .u64 ns)
{
    .reg .u64 %rd<5>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [ns];
    mov.u64 %rd2, %globaltimer;
$again:
    mov.u64 %rd3, %globaltimer;
    sub.u64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra $again;
    ret;
}
";

/// `ignore(argument)`: does nothing.
pub(crate) const IGNORE: &str = "
.version 7.0
.target sm_60
.address_size 64
.visible .entry ignore(.param .u64 argument) { ret; }
";

/// `count(address, ns)`: stores 1, 2, 3 … there for about `ns` nanoseconds.
pub(crate) const COUNT: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry count(.param .u64 address, .param .u64 ns)
{
    .reg .pred %p<2>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<7>;
    ld.param.u64 %rd1, [address];
    ld.param.u64 %rd2, [ns];
    cvta.to.global.u64 %rd3, %rd1;
    mov.u32 %r1, 0;
    mov.u64 %rd4, %globaltimer;
again:
    add.u32 %r1, %r1, 1;
    st.volatile.global.u32 [%rd3], %r1;
    mov.u64 %rd5, %globaltimer;
    sub.u64 %rd6, %rd5, %rd4;
    setp.lt.u64 %p1, %rd6, %rd2;
    @%p1 bra again;
    ret;
}
";

/// `fault()`: traps.
pub(crate) const TRAP: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry fault()
{
    trap;
    ret;
}
";

/// `sum12(out, a, b, …, k)`: `*out = a + … + k`, eleven `u32`s behind a pointer.
pub(crate) const SUM12: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry sum12(.param .u64 out, .param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d,
    .param .u32 e, .param .u32 f, .param .u32 g, .param .u32 h, .param .u32 i, .param .u32 j,
    .param .u32 k)
{
    .reg .u64 %rd<3>;
    .reg .u32 %r<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [a];
    ld.param.u32 %r2, [b];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [c];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [d];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [e];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [f];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [g];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [h];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [i];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [j];
    add.u32 %r1, %r1, %r2;
    ld.param.u32 %r2, [k];
    add.u32 %r1, %r1, %r2;
    st.global.u32 [%rd2], %r1;
    ret;
}
";

/// `saxpy(n, a, x, y)`: `y = a * x + y` over `n` `f32`s, as a compiler writes it, and no more.
pub(crate) const SAXPY: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y)
{
    .reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<8>;
    ld.param.u32 %r2, [n];
    ld.param.f32 %f1, [a];
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra $end;
    cvta.to.global.u64 %rd3, %rd2;
    cvta.to.global.u64 %rd4, %rd1;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    ld.global.f32 %f2, [%rd6];
    add.s64 %rd7, %rd3, %rd5;
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f2, %f1, %f3;
    st.global.f32 [%rd7], %f4;
$end:
    ret;
}
";

/// `norm(out, p)`: `*out = p.x * p.x + p.y * p.y` for a struct of two `f32` by value.
pub(crate) const NORM: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry norm(.param .u64 out, .param .align 4 .b8 p[8])
{
    .reg .u64 %rd<3>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.f32 %f1, [p];
    ld.param.f32 %f2, [p+4];
    mul.f32 %f3, %f1, %f1;
    fma.rn.f32 %f3, %f2, %f2, %f3;
    st.global.f32 [%rd2], %f3;
    ret;
}
";

/// `out[i] = 31 * out[i] + in[i]`, a thread for each element.
pub(crate) const MIX: &str = "
.version 7.0
.target sm_52
.address_size 64
.visible .entry mix(.param .u64 out, .param .u64 in)
{
    .reg .u64 %rd<6>;
    .reg .u32 %r<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 4;
    add.u64 %rd3, %rd3, %rd5;
    add.u64 %rd4, %rd4, %rd5;
    ld.global.u32 %r2, [%rd3];
    ld.global.u32 %r3, [%rd4];
    mad.lo.u32 %r4, %r2, 31, %r3;
    st.global.u32 [%rd3], %r4;
    ret;
}
";
