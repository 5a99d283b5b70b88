// Floats of 16 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ unsigned bits(__half x) { return __hisnan(x) ? 0x7fff : __half_as_ushort(x); }
__device__ unsigned bits(__nv_bfloat16 x) { return __hisnan(x) ? 0x7fff : __bfloat16_as_ushort(x); }
__device__ unsigned bits(__half2 x) { return bits(__low2half(x)) | bits(__high2half(x)) << 16; }

extern "C" __global__ void half_arithmetic(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned word = in[index()], more = in[index()] * 2654435761u;
    // Moderate exponents, so that sums and products have something to round.
    auto number = [](unsigned x) { return __ushort_as_half((x & 0x83ff) | (8 + (x >> 11 & 15)) << 10); };
    __half a = number(word), b = number(word >> 16), c = number(more >> 16);
    unsigned *to = out + index() * 14;
    *to++ = bits(__hadd_rn(a, b));
    *to++ = bits(__hsub_rn(a, b));
    *to++ = bits(__hmul_rn(a, b));
    *to++ = bits(__hfma(a, b, c));
    *to++ = bits(__hfma_sat(a, b, c));
    *to++ = bits(__hadd_sat(a, b));
    *to++ = bits(__hneg(a)) | bits(__habs(b)) << 16;
    *to++ = bits(__hmin(a, b)) | bits(__hmax(a, b)) << 16;
    *to++ = __hlt(a, b) | __hge(a, b) << 1 | __heq(a, a) << 2 | __hne(a, b) << 3 | __hgt(b, c) << 4;
    *to++ = bits(hfloor(c)) | bits(hrint(c)) << 16;
    *to++ = bits(hceil(c)) | bits(htrunc(c)) << 16;
    *to++ = bits(__hadd2(__halves2half2(a, b), __halves2half2(b, c)));
    *to++ = bits(__hmul2(__halves2half2(a, b), __halves2half2(b, c)));
    *to++ = bits(__hfma2(__halves2half2(a, b), __halves2half2(b, c), __halves2half2(c, a)));
}

extern "C" __global__ void half_conversions(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned word = in[index()];
    float a = __uint_as_float((word & 0x807fffff) | (100 + (word >> 24 & 47)) << 23);
    __half h = __ushort_as_half((unsigned short)word);
    if (__hisnan(h)) h = __ushort_as_half(0x7c00);
    unsigned *to = out + index() * 14;
    *to++ = bits(__float2half_rn(a)) | bits(__float2half_rz(a)) << 16;
    *to++ = bits(__float2half_ru(a)) | bits(__float2half_rd(a)) << 16;
    *to++ = __float_as_uint(__half2float(h));
    *to++ = bits(__double2half(double(a)));
    *to++ = __half2int_rn(h);
    *to++ = __half2int_rz(h);
    *to++ = __half2uint_ru(h);
    *to++ = unsigned(__half2ll_rd(h));
    *to++ = (unsigned short)__half2short_rn(h);
    *to++ = bits(__int2half_rn(int(word) >> 12));
    *to++ = bits(__uint2half_rz(word >> 14));
    *to++ = bits(__short2half_rn(short(word)));
    *to++ = bits(__float22half2_rn(make_float2(a, -a * 0.3f)));
    *to++ = bits(__ll2half_rn((long long)(int)word >> 16));
}

extern "C" __global__ void bfloat_arithmetic(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned word = in[index()], more = in[index()] * 2654435761u;
    auto number = [](unsigned x) { return __ushort_as_bfloat16((x & 0x807f) | (119 + (x >> 11 & 15)) << 7); };
    __nv_bfloat16 a = number(word), b = number(word >> 16), c = number(more >> 16);
    unsigned *to = out + index() * 8;
    *to++ = bits(__hadd_rn(a, b));
    *to++ = bits(__hsub_rn(a, b));
    *to++ = bits(__hmul_rn(a, b));
#if __CUDA_ARCH__ >= 800
    *to++ = bits(__hfma(a, b, c));
#else // exact as doubles
    auto real = [](__nv_bfloat16 x) { return double(__bfloat162float(x)); };
    *to++ = bits(__double2bfloat16(real(a) * real(b) + real(c)));
#endif
    *to++ = bits(__hmin(a, b)) | bits(__hmax(a, b)) << 16;
    *to++ = __hlt(a, b) | __hge(a, b) << 1 | __heq(a, a) << 2 | __hne(a, b) << 3;
    *to++ = bits(__float2bfloat16_rn(__uint_as_float(word & 0xbfffffff)))
        | bits(__float2bfloat16_rz(__uint_as_float(word & 0xbfffffff))) << 16;
    *to++ = __float_as_uint(__bfloat162float(a));
}

/// A dot product of halves with sums of halves: each thread a row of n pairs.
extern "C" __global__ void half_dot(const unsigned *in, unsigned *out, unsigned n)
{
    __half2 sum = __float2half2_rn(0.0f);
    for (unsigned i = 0; i < n; i++) {
        unsigned word = in[index() * n + i];
        __half2 a = __floats2half2_rn(int(word & 0xff) / 64.0f - 2.0f, (word >> 8 & 0xff) / 64.0f - 2.0f);
        __half2 b = __floats2half2_rn((word >> 16 & 0xff) / 64.0f - 2.0f, (word >> 24) / 64.0f - 2.0f);
        sum = __hfma2(a, b, sum);
    }
    out[index()] = bits(sum);
}

/// Additions in memory: small integers, so that their order does not matter.
extern "C" __global__ void half_atomics(const unsigned *in, unsigned *out, unsigned n)
{
    __half *halves = reinterpret_cast<__half *>(out);
    atomicAdd(&halves[index() % 4], __uint2half_rn(in[index()] >> 29));
    atomicAdd(reinterpret_cast<__half2 *>(out) + 2, __floats2half2_rn(float(in[index()] >> 30), 1.0f));
    atomicAdd(reinterpret_cast<__nv_bfloat16 *>(out) + 8, __float2bfloat16(1.0f));
}

/// Approximate functions of halves, as floats.
extern "C" __global__ void half_functions(const float *in, float *out, unsigned n)
{
    __half x = __float2half(in[index()]), positive = __habs(x) + __float2half(0.25f);
    float *to = out + index() * 8;
    to[0] = __half2float(hexp2(x));
    to[1] = __half2float(hexp(x));
    to[2] = __half2float(hlog2(positive));
    to[3] = __half2float(hsqrt(positive));
    to[4] = __half2float(hrsqrt(positive));
    to[5] = __half2float(hrcp(positive));
    to[6] = __half2float(hsin(x));
    to[7] = __half2float(__hdiv(x, positive));
}
