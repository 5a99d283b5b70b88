// What IEEE 754 decides: every rounding, conversion and special value, bit by bit.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Bits of the input as a float of moderate size, at times zero, infinite, subnormal or no number.
__device__ float wild(unsigned bits)
{
    switch (bits & 63) {
    case 0: return 0.0f;
    case 1: return -0.0f;
    case 2: return __uint_as_float(0x7f800000);
    case 3: return __uint_as_float(0xff800000);
    case 4: return __uint_as_float(0x7fffffff);
    case 5: return __uint_as_float(bits >> 9 | (bits & 0x80000000)); // subnormal
    case 6: return __uint_as_float(0x7f7fffff);
    case 7: case 8: case 9: return __uint_as_float(bits & 0xfeffffff | 0x100000);
    default: return __uint_as_float((bits & 0x807fffff) | (112 + (bits >> 26 & 31)) << 23);
    }
}
__device__ double wild64(unsigned long long bits)
{
    switch (bits & 63) {
    case 0: return 0.0;
    case 1: return -0.0;
    case 2: return __longlong_as_double(0x7ff0000000000000ll);
    case 3: return __longlong_as_double(0xfff0000000000000ll);
    case 4: return __longlong_as_double(0x7fffffffffffffffll);
    case 5: return __longlong_as_double((long long)(bits >> 12 | (bits & 1ull << 63)));
    case 6: return __longlong_as_double(0x7fefffffffffffffll);
    default:
        return __longlong_as_double(
            (long long)((bits & 0x800fffffffffffffull) | (1000 + (bits >> 55 & 63)) << 52));
    }
}
/// A NaN of any kind is written as one.
__device__ unsigned bits(float x) { return isnan(x) ? 0x7fffffff : __float_as_uint(x); }
__device__ unsigned long long bits(double x)
{
    return isnan(x) ? 0x7fffffffffffffffull : (unsigned long long)__double_as_longlong(x);
}

extern "C" __global__ void rounded_f32(const unsigned *in, unsigned *out, unsigned n)
{
    float a = wild(in[3 * index()]), b = wild(in[3 * index() + 1]), c = wild(in[3 * index() + 2]);
    unsigned *to = out + index() * 28;
#define FOUR(OP, ...) \
    *to++ = bits(OP##_rn(__VA_ARGS__)); *to++ = bits(OP##_rz(__VA_ARGS__)); \
    *to++ = bits(OP##_ru(__VA_ARGS__)); *to++ = bits(OP##_rd(__VA_ARGS__));
    FOUR(__fadd, a, b)
    FOUR(__fsub, a, b)
    FOUR(__fmul, a, b)
    FOUR(__fmaf, a, b, c)
    FOUR(__fdiv, a, b)
    FOUR(__frcp, a)
    FOUR(__fsqrt, a)
}

extern "C" __global__ void rounded_f64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    double a = wild64(in[3 * index()]), b = wild64(in[3 * index() + 1]), c = wild64(in[3 * index() + 2]);
    unsigned long long *to = out + index() * 28;
    FOUR(__dadd, a, b)
    FOUR(__dsub, a, b)
    FOUR(__dmul, a, b)
    FOUR(__fma, a, b, c)
    FOUR(__ddiv, a, b)
    FOUR(__drcp, a)
    FOUR(__dsqrt, a)
}

extern "C" __global__ void f32_to_integers(const unsigned *in, unsigned *out, unsigned n)
{
    float a = wild(in[index()]) * (index() % 3 ? 1.0f : 65536.0f);
    unsigned *to = out + index() * 24;
#define INTEGERS(CONVERSION, CAST) \
    *to++ = CAST(CONVERSION##_rn(a)); *to++ = CAST(CONVERSION##_rz(a)); \
    *to++ = CAST(CONVERSION##_ru(a)); *to++ = CAST(CONVERSION##_rd(a));
    INTEGERS(__float2int, unsigned)
    INTEGERS(__float2uint, unsigned)
    auto folded = [](unsigned long long x) { return unsigned(x) ^ unsigned(x >> 32) * 31; };
    INTEGERS(__float2ll, folded)
    INTEGERS(__float2ull, folded)
    *to++ = unsigned(short(__float2int_rz(a)));
    *to++ = (unsigned char)__float2uint_rz(a);
    *to++ = bits(rintf(a));
    *to++ = bits(floorf(a));
    *to++ = bits(ceilf(a));
    *to++ = bits(truncf(a));
    *to++ = bits(roundf(a));
    *to++ = bits(__saturatef(a));
}

extern "C" __global__ void f64_to_integers(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    double a = wild64(in[index()]) * (index() % 3 ? 1.0 : 1e10);
    unsigned long long *to = out + index() * 26;
#define same(x) (unsigned long long)(x)
    INTEGERS(__double2int, same)
    INTEGERS(__double2uint, same)
    INTEGERS(__double2ll, same)
    INTEGERS(__double2ull, same)
    *to++ = bits(__double2float_rn(a));
    *to++ = bits(__double2float_rz(a));
    *to++ = bits(__double2float_ru(a));
    *to++ = bits(__double2float_rd(a));
    *to++ = bits(rint(a));
    *to++ = bits(floor(a));
    *to++ = bits(ceil(a));
    *to++ = bits(trunc(a));
    *to++ = bits(round(a));
    *to++ = (unsigned long long)__double2hiint(a) << 32 | unsigned(__double2loint(a));
}

extern "C" __global__ void integers_to_f32(const unsigned long long *in, unsigned *out, unsigned n)
{
    unsigned long long word = in[index()] >> (index() % 64);
    unsigned *to = out + index() * 18;
#define FROM(TYPE, CONVERSION) \
    *to++ = bits(CONVERSION##_rn(TYPE(word))); *to++ = bits(CONVERSION##_rz(TYPE(word))); \
    *to++ = bits(CONVERSION##_ru(TYPE(word))); *to++ = bits(CONVERSION##_rd(TYPE(word)));
    typedef long long ll;
    typedef unsigned long long ull;
    FROM(int, __int2float)
    FROM(unsigned, __uint2float)
    FROM(ll, __ll2float)
    FROM(ull, __ull2float)
    *to++ = bits(float((signed char)word));
    *to++ = bits(float((unsigned short)word));
}

extern "C" __global__ void integers_to_f64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    unsigned long long word = in[index()] >> (index() % 64);
    unsigned long long *to = out + index() * 11;
    typedef long long ll;
    typedef unsigned long long ull;
    FROM(ll, __ll2double)
    FROM(ull, __ull2double)
    *to++ = bits(__int2double_rn(int(word)));
    *to++ = bits(__uint2double_rn(unsigned(word)));
    *to++ = bits(double(wild(unsigned(word))));
}

extern "C" __global__ void comparisons_f32(const unsigned *in, unsigned *out, unsigned n)
{
    float a = wild(in[2 * index()]), b = wild(in[2 * index() + 1]);
    if (index() % 7 == 0) b = a;
    unsigned result = 0;
    result |= (a < b) << 0 | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    result |= !(a < b) << 6 | !(a <= b) << 7 | !(a > b) << 8 | !(a >= b) << 9;
    result |= !!isnan(a) << 10 | !!isinf(a) << 11 | !!isfinite(a) << 12 | !!signbit(a) << 13;
    unsigned *to = out + index() * 7;
    *to++ = result;
    *to++ = bits(fminf(a, b));
    *to++ = bits(fmaxf(a, b));
    *to++ = bits(fabsf(a));
    *to++ = bits(copysignf(a, b));
    *to++ = bits(fdimf(a, b));
    *to++ = isnan(a) ? 0 : bits(-a);
}

extern "C" __global__ void comparisons_f64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    double a = wild64(in[2 * index()]), b = wild64(in[2 * index() + 1]);
    if (index() % 7 == 0) b = a;
    unsigned long long result = 0;
    result |= (a < b) << 0 | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    result |= !(a < b) << 6 | !(a <= b) << 7 | !(a > b) << 8 | !(a >= b) << 9;
    result |= !!isnan(a) << 10 | !!isinf(a) << 11 | !!isfinite(a) << 12 | !!signbit(a) << 13;
    unsigned long long *to = out + index() * 6;
    *to++ = result;
    *to++ = bits(fmin(a, b));
    *to++ = bits(fmax(a, b));
    *to++ = bits(fabs(a));
    *to++ = bits(copysign(a, b));
    *to++ = isnan(a) ? 0 : bits(-a);
}

/// Exact by their definition, though made of many instructions.
extern "C" __global__ void exact_functions(const unsigned *in, unsigned *out, unsigned n)
{
    float a = wild(in[2 * index()]), b = wild(in[2 * index() + 1]), whole;
    int exponent = 0;
    unsigned *to = out + index() * 10;
    *to++ = bits(fmodf(a, b));
    *to++ = bits(remainderf(a, b));
    *to++ = bits(ldexpf(a, int(in[2 * index()] >> 24) - 128));
    *to++ = bits(frexpf(a, &exponent));
    *to++ = isfinite(a) ? exponent : 0;
    *to++ = bits(logbf(a));
    *to++ = isfinite(a) && a != 0.0f ? ilogbf(a) : 0;
    *to++ = bits(nextafterf(a, b));
    *to++ = bits(modff(a, &whole));
    *to++ = bits(whole);
}

extern "C" __global__ void exact_functions_f64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    double a = wild64(in[2 * index()]), b = wild64(in[2 * index() + 1]);
    unsigned long long *to = out + index() * 5;
    *to++ = bits(fmod(a, b));
    *to++ = bits(ldexp(a, int(in[2 * index()] >> 54) - 512));
    *to++ = bits(logb(a));
    *to++ = bits(nextafter(a, b));
    *to++ = bits(modf(a, &b));
}

/// Double-double arithmetic: sums and products without an error.
extern "C" __global__ void double_double(const double *in, double *out, unsigned n)
{
    double a = in[2 * index()], b = in[2 * index() + 1] * 1e-9;
    double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    double product = a * b, lost = fma(a, b, -product);
    out[4 * index()] = sum;
    out[4 * index() + 1] = rest;
    out[4 * index() + 2] = product;
    out[4 * index() + 3] = lost;
}

/// A polynomial with intervals: both bounds of every step are rounded outwards.
extern "C" __global__ void intervals(const double *in, double *out, unsigned n)
{
    double x = fabs(in[index()]), low = 0.0, high = 0.0;
    for (unsigned i = 0; i < n; i++) {
        low = __dadd_rd(__dmul_rd(low, x), 1.0 / (i + 3));
        high = __dadd_ru(__dmul_ru(high, x), 1.0 / (i + 3));
    }
    out[2 * index()] = low;
    out[2 * index() + 1] = high;
}
