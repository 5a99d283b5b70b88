// Instructions that the compiler seldom chooses, written as PTX.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

#define TWO(WHAT, A, B) asm(WHAT " %0, %1, %2;" : "=r"(r) : "r"(A), "r"(B)); *to++ = r
#define THREE(WHAT, A, B, C) asm(WHAT " %0, %1, %2, %3;" : "=r"(r) : "r"(A), "r"(B), "r"(C)); *to++ = r

extern "C" __global__ void rare_integer(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1], far = b >> 26, r;
    unsigned *to = out + index() * 30;
    TWO("bmsk.clamp.b32", a & 63, far);
    TWO("bmsk.wrap.b32", a & 63, far);
    TWO("szext.clamp.u32", a, far);
    TWO("szext.wrap.s32", a, far);
    asm("cnot.b32 %0, %1;" : "=r"(r) : "r"(a & 3)); *to++ = r;
    THREE("slct.s32.s32", a, b, a ^ b);
    asm("slct.u32.f32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "f"(int(a) * 0.5f)); *to++ = r;
    TWO("mul24.hi.u32", a, b);
    TWO("mul24.lo.s32", a, b);
    THREE("mad24.lo.s32", a, b, far);
    THREE("mad24.hi.u32", a, b, far);
    TWO("shl.b32", a, far);
    TWO("shr.u32", a, far);
    TWO("shr.s32", a, far);
    TWO("add.sat.s32", a, b);
    TWO("sub.sat.s32", a, b);
    THREE("mad.hi.sat.s32", a, b, a ^ b);
    TWO("set.lt.u32.s32", a, b);
    TWO("set.hs.u32.u32", a, b);
    THREE("prmt.b32.rc8", a, b, far);
    THREE("prmt.b32.ecl", a, b, far);
    THREE("prmt.b32.ecr", a, b, far);
    THREE("prmt.b32.rc16", a, b, far);
    THREE("prmt.b32.b4e", a, b, far);
    THREE("prmt.b32", a, b, a >> 3);
    asm("{ .reg .u16 x, y, z; mov.b32 {x, y}, %1; sad.u16 z, x, y, x; mad.wide.u16 %0, x, y, %2; cvt.u32.u16 %0, z; }"
        : "=r"(r) : "r"(a), "r"(b)); *to++ = r;
    asm("{ .reg .s16 x, y, z; mov.b32 {x, y}, %1; min.s16 z, x, y; abs.s16 z, z; mul.wide.s16 %0, z, y; }"
        : "=r"(r) : "r"(a)); *to++ = r;
    asm("{ .reg .b64 x, y; mov.b64 x, {%1, %2}; bfe.s64 y, x, %3, %4; mov.b64 {%0, _}, y; }"
        : "=r"(r) : "r"(a), "r"(b), "r"(far), "r"(a >> 26)); *to++ = r;
    asm("{ .reg .b64 x, y; mov.b64 x, {%1, %2}; bfi.b64 y, x, x, %3, %4; mov.b64 {_, %0}, y; }"
        : "=r"(r) : "r"(a), "r"(b), "r"(far), "r"(a >> 26)); *to++ = r;
    asm("{ .reg .pred p, q, s; setp.gt.u32 s, %1, %2; setp.lt.and.s32 p|q, %1, %2, s; selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, 4; }"
        : "=r"(r) : "r"(a), "r"(b)); *to++ = r;
}

/// A float of any size, at times none.
__device__ float wild(unsigned bits)
{
    return (bits & 15) == 0 ? __uint_as_float(0x7fffffff) : (bits & 15) == 1 ? __uint_as_float(bits >> 9)
        : __uint_as_float((bits & 0x80ffffff) | (100 + (bits >> 27)) << 23);
}

extern "C" __global__ void rare_float(const unsigned *in, unsigned *out, unsigned n)
{
    float a = wild(in[2 * index()]), b = wild(in[2 * index() + 1]), f;
    unsigned r, *to = out + index() * 23;
    auto bits = [](float x) { return isnan(x) ? 0x7fffffff : __float_as_uint(x); };
#define FLOATS(WHAT) asm(WHAT " %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b)); *to++ = bits(f)
    asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b)); *to++ = isnan(b) ? 0 : bits(f);
    FLOATS("add.rn.sat.f32");
    FLOATS("mul.rn.sat.f32");
    FLOATS("sub.rz.ftz.f32");
    FLOATS("min.ftz.f32");
    asm("fma.rn.sat.f32 %0, %1, %2, %1;" : "=f"(f) : "f"(a), "f"(b)); *to++ = bits(f);
#define TEST(WHAT) \
    asm("{ .reg .pred p; testp." WHAT ".f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "f"(a)); *to++ = r
    TEST("finite");
    TEST("infinite");
    TEST("number");
    TEST("notanumber");
    TEST("normal");
    TEST("subnormal");
    asm("cvt.rni.u8.f32 %0, %1;" : "=r"(r) : "f"(a)); *to++ = r;
    asm("cvt.rzi.s8.f32 %0, %1;" : "=r"(r) : "f"(a)); *to++ = r;
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r) : "r"(in[2 * index()] >> (index() % 32))); *to++ = r;
    asm("cvt.sat.u16.s32 %0, %1;" : "=r"(r) : "r"(in[2 * index()] >> (index() % 32))); *to++ = r;
    asm("cvt.rni.ftz.s32.f32 %0, %1;" : "=r"(r) : "f"(a * 1e6f)); *to++ = r;
    asm("cvt.rn.sat.f32.s32 %0, %1;" : "=f"(f) : "r"(in[index()] & 3)); *to++ = bits(f);
    asm("cvt.rmi.sat.f32.f32 %0, %1;" : "=f"(f) : "f"(a)); *to++ = bits(f);
    asm("set.leu.u32.f32 %0, %1, %2;" : "=r"(r) : "f"(a), "f"(b)); *to++ = r;
    asm("set.num.f32.f32 %0, %1, %2;" : "=f"(f) : "f"(a), "f"(b)); *to++ = bits(f);
    asm("{ .reg .pred p, q, s; setp.ne.s32 s, %3, 0; setp.lt.or.f32 p|q, %1, %2, s; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }"
        : "=r"(r) : "f"(a), "f"(b), "r"(in[index()] & 1)); *to++ = r;
    asm("{ .reg .pred p, s; setp.ne.s32 s, %3, 0; setp.gtu.xor.f32 p, %1, %2, !s; selp.u32 %0, 1, 0, p; }"
        : "=r"(r) : "f"(a), "f"(b), "r"(in[index()] & 1)); *to++ = r;
}

/// Barriers that count and vote, of the whole block and of a part of it.
extern "C" __global__ void barrier_votes(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned mine = in[index()], *to = out + index() * 5, r;
    to[0] = __syncthreads_count(mine & 1);
    to[1] = __syncthreads_and(mine % 50 != 0);
    to[2] = __syncthreads_or(mine % 50 == 0);
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 0x80000000; barrier.cta.red.popc.u32 %0, 3, p; }"
        : "=r"(r) : "r"(mine) : "memory");
    to[3] = r;
    unsigned half = threadIdx.x / 32 + 4; // a barrier for each warp
    asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.or.pred q, %2, 32, p; selp.u32 %0, 1, 0, q; }"
        : "=r"(r) : "r"(mine & 0xf8000000u), "r"(half) : "memory");
    to[4] = r;
}

/// Loads, stores, reductions and fences that say what they order, and for whom.
extern "C" __global__ void memory_order(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ unsigned shared;
    unsigned r, mine = in[index()];
    if (threadIdx.x == 0) shared = 0;
    __syncthreads();
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" :: "l"(out), "r"(mine) : "memory");
    asm volatile("red.global.max.s32 [%0], %1;" :: "l"(out + 1), "r"(mine) : "memory");
    asm volatile("red.release.sys.global.xor.b32 [%0], %1;" :: "l"(out + 2), "r"(mine) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(out + 3), "f"(float(mine >> 28)) : "memory");
    asm volatile("atom.acq_rel.gpu.global.or.b32 %0, [%1], %2;" : "=r"(r) : "l"(out + 4), "r"(mine & 0xff) : "memory");
    asm volatile("atom.relaxed.cta.shared.add.u32 %0, [%1], %2;"
        : "=r"(r) : "r"(unsigned(__cvta_generic_to_shared(&shared))), "r"(mine) : "memory");
    asm volatile("fence.acq_rel.gpu; fence.sc.sys; fence.acq_rel.cta;" ::: "memory");
    __syncthreads();
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(r) : "l"(in + index()) : "memory");
    r ^= shared;
    asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(out + 8 + index()), "r"(r) : "memory");
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(r) : "l"(out + 8 + index()) : "memory");
    asm volatile("st.relaxed.cta.global.u32 [%0], %1;" :: "l"(out + 8 + index()), "r"(r + 1) : "memory");
    __nanosleep(20);
}

/// Copies to shared memory past the registers, from compute capability 8.0 on.
extern "C" __global__ void async_copy(const unsigned *in, unsigned *out, unsigned n)
{
    __shared__ __align__(16) unsigned a[3][128];
    unsigned t = threadIdx.x;
    a[2][4 * t] = a[2][4 * t + 1] = a[2][4 * t + 2] = a[2][4 * t + 3] = 7;
#if __CUDA_ARCH__ >= 800
    auto at = [](unsigned *p) { return unsigned(__cvta_generic_to_shared(p)); };
    for (unsigned k = 0; k < 4; k++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(&a[0][t + 32 * k])), "l"(in + t + 32 * k));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(&a[1][4 * t])), "l"(in + 128 + 4 * t));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
        :: "r"(at(&a[2][4 * t])), "l"(in + 256 + 4 * t), "r"(t % 2 * 8)); // no bytes of it are zeros
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
#else
    for (unsigned k = 0; k < 4; k++) a[0][t + 32 * k] = in[t + 32 * k];
    *reinterpret_cast<uint4 *>(&a[1][4 * t]) = *reinterpret_cast<const uint4 *>(in + 128 + 4 * t);
    a[2][4 * t] = t % 2 ? in[256 + 4 * t] : 0;
    a[2][4 * t + 1] = t % 2 ? in[256 + 4 * t + 1] : 0;
#endif
    __syncthreads();
    for (unsigned k = 0; k < 4; k++)
        out[t * 4 + k] = a[0][127 - 4 * t - k] + a[1][(4 * t + 31 + k) % 128] * 3 + a[2][4 * t + k] * 5;
}

/// A jump through a table of labels.
extern "C" __global__ void jump_table(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned r;
    asm("{\n"
        ".reg .u32 x;\n"
        "targets%=: .branchtargets ONE%=, TWO%=, THREE%=, FOUR%=;\n"
        "and.b32 x, %1, 3;\n"
        "mov.u32 %0, 5;\n"
        "brx.idx x, targets%=;\n"
        "ONE%=: add.u32 %0, %0, %1;\n"
        "TWO%=: xor.b32 %0, %0, 12345;\n"
        "bra END%=;\n"
        "THREE%=: mul.lo.u32 %0, %1, 17;\n"
        "FOUR%=: sub.u32 %0, %0, 1;\n"
        "END%=:\n"
        "}" : "=&r"(r) : "r"(in[index()]));
    out[index()] = r;
}
