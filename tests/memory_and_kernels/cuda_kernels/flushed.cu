// nvrtc: --ftz=true
// Subnormal numbers are zero, on the way in and on the way out.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void flushed_f32(const unsigned *in, unsigned *out, unsigned n)
{
    // Around the least normal number.
    float a = __uint_as_float((in[2 * index()] & 0x80ffffff)), b = __uint_as_float(in[2 * index() + 1] & 0x80ffffff);
    unsigned *to = out + index() * 12;
    *to++ = __float_as_uint(a + b);
    *to++ = __float_as_uint(a - b);
    *to++ = __float_as_uint(a * 0.5f);
    *to++ = __float_as_uint(fmaf(a, 1.5f, b));
    *to++ = __float_as_uint(fminf(a, b));
    *to++ = __float_as_uint(fmaxf(a, b));
    *to++ = __float_as_uint(__fadd_ru(a, b));
    *to++ = __float_as_uint(__fmul_rd(a, 0.75f));
    *to++ = (a < b) | (a == 0.0f) << 1 | (a >= b) << 2;
    *to++ = __float2int_ru(a);
    *to++ = __float_as_uint(float(double(a) * 1.25));
    *to++ = __float_as_uint(a / 4.0f);
}
