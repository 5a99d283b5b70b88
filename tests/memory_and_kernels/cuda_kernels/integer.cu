// Integers and their bits. Each thread takes two numbers and writes a row of results.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <typename T>
struct Row {
    T *at;
    __device__ void operator<<=(T value) { *at++ = value; }
};
template <typename T>
__device__ Row<T> row(T *out, unsigned width) { return {out + index() * width}; }

extern "C" __global__ void bits_u32(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1];
    auto to = row(out, 16);
    to <<= __popc(a);
    to <<= __clz(a >> (b & 31));
    to <<= __ffs(a << (b & 31));
    to <<= __brev(a);
    to <<= __byte_perm(a, b, b >> 16);
    to <<= __funnelshift_l(a, b, a >> 27);
    to <<= __funnelshift_r(a, b, b >> 27);
    to <<= __funnelshift_lc(a, b, a & 63);
    to <<= __funnelshift_rc(a, b, b & 63);
    to <<= a << (b & 31) | a >> (32 - (b & 31)) % 32;
    to <<= (a & b) ^ (~a & (a >> 3 | b));
    to <<= a & -a;
    to <<= int(a) >> (b & 31);
    to <<= a ^ a >> 1;
    to <<= a >> 5 & 0x3ff;
    to <<= (a & ~(0xffu << 8)) | (b & 0xff) << 8;
}

extern "C" __global__ void bits_u64(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    unsigned long long a = in[2 * index()], b = in[2 * index() + 1];
    auto to = row(out, 10);
    to <<= __popcll(a);
    to <<= __clzll(a >> (b & 63));
    to <<= __ffsll((long long)(a << (b & 63)));
    to <<= __brevll(a);
    to <<= a << (b & 63);
    to <<= a >> (b & 63);
    to <<= (unsigned long long)((long long)a >> (b & 63));
    to <<= (a ^ b) & ~(a | b >> 9);
    to <<= a << 17 | a >> 47;
    to <<= (a >> 12 & 0xfffff) | (b & 0xfff) << 20;
}

extern "C" __global__ void arithmetic_i32(const int *in, int *out, unsigned n)
{
    int a = in[2 * index()], b = in[2 * index() + 1] >> (index() % 32);
    auto to = row(out, 16);
    to <<= a + b;
    to <<= a - b;
    to <<= a * b;
    to <<= b ? a / b : 0;
    to <<= b ? a % b : 0;
    to <<= __mulhi(a, b);
    to <<= __umulhi(a, b);
    to <<= __mul24(a, b);
    to <<= __sad(a, b, 7u);
    to <<= __usad(a, b, 7u);
    to <<= abs(a);
    to <<= min(a, b);
    to <<= max(unsigned(a), unsigned(b));
    to <<= __hadd(a, b);
    to <<= __urhadd(a, b);
    to <<= a / 7 + a % 10 + int(unsigned(b) / 1000u);
}

extern "C" __global__ void arithmetic_i64(const long long *in, long long *out, unsigned n)
{
    long long a = in[2 * index()], b = in[2 * index() + 1] >> (index() % 64);
    unsigned long long ua = a, ub = b;
    auto to = row(out, 14);
    to <<= a + b;
    to <<= a - b;
    to <<= a * b;
    to <<= b && b != -1 ? a / b : 0;
    to <<= b && b != -1 ? a % b : 0;
    to <<= ub ? ua / ub : 0;
    to <<= ub ? ua % ub : 0;
    to <<= __mul64hi(a, b);
    to <<= __umul64hi(ua, ub);
    to <<= llabs(a);
    to <<= min(a, b);
    to <<= max(ua, ub);
    to <<= (long long)int(a) * int(b);
    to <<= a / 1000003 + ua % 97;
}

/// 128 bits: sums with carry, products, quotients and shifts.
extern "C" __global__ void arithmetic_128(const unsigned long long *in, unsigned long long *out, unsigned n)
{
    const unsigned long long *p = in + 4 * index();
    unsigned __int128 a = (unsigned __int128)p[0] << 64 | p[1], b = (unsigned __int128)p[2] << 64 | p[3];
    b >>= index() % 128;
    unsigned __int128 results[6] = {a + b, a - b, a * b, b ? a / b : 0, b ? a % b : 0, a << (p[1] & 127)};
    auto to = row(out, 12);
    for (int i = 0; i < 6; i++) {
        to <<= (unsigned long long)(results[i] >> 64);
        to <<= (unsigned long long)results[i];
    }
}

/// Carry chains as PTX has them: 128-bit sums and products of words of 32 bits.
extern "C" __global__ void carries(const uint4 *in, uint4 *out, unsigned n)
{
    uint4 a = in[2 * index()], b = in[2 * index() + 1], sum, difference, product;
    asm("add.cc.u32 %0, %4, %8; addc.cc.u32 %1, %5, %9; addc.cc.u32 %2, %6, %10; addc.u32 %3, %7, %11;"
        : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    asm("sub.cc.u32 %0, %4, %8; subc.cc.u32 %1, %5, %9; subc.cc.u32 %2, %6, %10; subc.u32 %3, %7, %11;"
        : "=r"(difference.x), "=r"(difference.y), "=r"(difference.z), "=r"(difference.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    asm("{ .reg .u32 t;\n"
        "mul.lo.u32 %0, %4, %6; mul.hi.u32 t, %4, %6; mad.lo.cc.u32 %1, %5, %6, t;\n"
        "madc.hi.u32 %2, %5, %6, 0; mad.lo.cc.u32 %1, %4, %7, %1; madc.hi.cc.u32 %2, %4, %7, %2;\n"
        "addc.u32 %3, 0, 0; mad.lo.cc.u32 %2, %5, %7, %2; madc.hi.u32 %3, %5, %7, %3; }"
        : "=&r"(product.x), "=&r"(product.y), "=&r"(product.z), "=&r"(product.w)
        : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
    out[3 * index()] = sum;
    out[3 * index() + 1] = difference;
    out[3 * index() + 2] = product;
}

/// The carry flag, as an addition and a subtraction after it see it: after a subtraction it is set when
/// there was no borrow.
extern "C" __global__ void carry_flag(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1], r;
    auto to = row(out, 6);
    asm("{ .reg .u32 t; sub.cc.u32 t, %1, %2; addc.u32 %0, 0, 0; }" : "=r"(r) : "r"(a), "r"(b));
    to <<= r;
    asm("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, 0, 0; }" : "=r"(r) : "r"(a), "r"(b));
    to <<= r;
    asm("{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, 0, 0; }" : "=r"(r) : "r"(a), "r"(b));
    to <<= r;
    asm("{ .reg .u32 t; add.cc.u32 t, %1, %2; subc.u32 %0, 0, 0; }" : "=r"(r) : "r"(a), "r"(b));
    to <<= r;
    asm("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %1; addc.u32 %0, 0, 0; }" : "=r"(r) : "r"(a), "r"(b));
    to <<= r;
    asm("{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.cc.u32 t, %2, %1; addc.u32 %0, 0, 0; }"
        : "=r"(r) : "r"(a), "r"(b));
    to <<= r;
}

/// Sums of products of bytes and of halves of words.
extern "C" __global__ void dot_products(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1];
    auto to = row(out, 6);
    to <<= __dp4a(int(a), int(b), 100);
    to <<= __dp4a(a, b, 100u);
    to <<= __dp2a_lo(int(a), int(b), -5);
    to <<= __dp2a_hi(int(a), int(b), -5);
    to <<= __dp2a_lo(a, b, 5u);
    to <<= __dp2a_hi(a, b, 5u);
}

/// Four bytes or two halves at once.
extern "C" __global__ void simd_in_a_word(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1];
    auto to = row(out, 18);
    to <<= __vadd4(a, b);
    to <<= __vsub4(a, b);
    to <<= __vaddus4(a, b);
    to <<= __vaddss4(a, b);
    to <<= __vsubus4(a, b);
    to <<= __vabs4(a);
    to <<= __vmaxs4(a, b);
    to <<= __vminu4(a, b);
    to <<= __vcmpgts4(a, b);
    to <<= __vcmpeq4(a & 0x03030303, b & 0x03030303);
    to <<= __vabsdiffu4(a, b);
    to <<= __vsadu4(a, b);
    to <<= __vavgu4(a, b);
    to <<= __vadd2(a, b);
    to <<= __vsubss2(a, b);
    to <<= __vmaxu2(a, b);
    to <<= __vsetles2(a, b);
    to <<= __vnegss4(a);
}

/// Types of 8 and 16 bits, as C promotes and cuts them.
extern "C" __global__ void narrow(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1];
    signed char c = a, d = b;
    unsigned char uc = a, ud = b;
    short s = a, t = b;
    unsigned short us = a, ut = b;
    auto to = row(out, 10);
    to <<= (signed char)(c + d) * 256 + (signed char)(c - d);
    to <<= (unsigned char)(uc * ud) | unsigned((unsigned char)(uc >> 3)) << 8;
    to <<= short(s * t) + short(s >> 5);
    to <<= (unsigned short)(us + ut) | unsigned((unsigned short)(us << 4)) << 16;
    to <<= ud ? uc / ud + uc % ud : 0;
    to <<= t ? s / t : 0;
    to <<= us > ut ? us : ut;
    to <<= c < d ? c : d;
    to <<= unsigned(c == d) << 1 | unsigned(us < ut);
    to <<= int(s) * int(t) + (unsigned short)~us;
}

extern "C" __global__ void square_root(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned x = in[index()], root = 0;
    for (unsigned bit = 1u << 30; bit; bit >>= 2) {
        bool fits = x >= root + bit;
        if (fits) x -= root + bit;
        root = (root >> 1) + (fits ? bit : 0);
    }
    out[index()] = root;
}

extern "C" __global__ void gcd(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1] >> 8;
    while (b) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    out[index()] = a;
}

extern "C" __global__ void power_mod(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned long long base = in[3 * index()], modulus = in[3 * index() + 2] | 1, result = 1;
    base %= modulus;
    for (unsigned e = in[3 * index() + 1]; e; e >>= 1, base = base * base % modulus)
        if (e & 1) result = result * base % modulus;
    out[index()] = unsigned(result);
}

extern "C" __global__ void collatz(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned long long x = in[index()] >> 12 | 1;
    unsigned steps = 0;
    for (; x != 1 && steps < n; steps++) x = x & 1 ? 3 * x + 1 : x / 2;
    out[index()] = steps;
}

/// The bits of x and y in turn, and back.
extern "C" __global__ void morton(const unsigned *in, unsigned long long *out, unsigned n)
{
    auto spread = [](unsigned long long x) {
        x = (x | x << 16) & 0x0000ffff0000ffffull;
        x = (x | x << 8) & 0x00ff00ff00ff00ffull;
        x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
        x = (x | x << 2) & 0x3333333333333333ull;
        return (x | x << 1) & 0x5555555555555555ull;
    };
    out[index()] = spread(in[2 * index()]) | spread(in[2 * index() + 1]) << 1;
}

/// Miller and Rabin's test, sure for 32 bits with the bases 2, 7 and 61.
extern "C" __global__ void is_prime(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned p = in[index()] >> (index() % 24) | 1, d = p - 1;
    bool prime = p > 2;
    int twos = __ffs(d) - 1;
    d >>= twos & 31;
    const unsigned bases[3] = {2, 7, 61};
    for (unsigned base : bases) {
        if (!prime || base % p == 0) continue;
        unsigned long long x = 1, power = base % p;
        for (unsigned e = d; e; e >>= 1, power = power * power % p)
            if (e & 1) x = x * power % p;
        bool witness = x != 1 && x != p - 1;
        for (int i = 1; i < twos && witness; i++) {
            x = x * x % p;
            witness = x != p - 1;
        }
        prime = !witness;
    }
    out[index()] = prime;
}

/// Fields of bits as PTX has them, with positions and lengths beyond the word.
extern "C" __global__ void bit_fields(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned a = in[2 * index()], b = in[2 * index() + 1], p = b >> 26, l = a >> 26, r;
    auto to = row(out, 7);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(p), "r"(l));
    to <<= r;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(p), "r"(l));
    to <<= r;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(p), "r"(l));
    to <<= r;
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a >> (b & 31)));
    to <<= r;
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(r) : "r"(int(a) >> (b & 31)));
    to <<= r;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(r) : "r"(a), "r"(b), "r"(p * l));
    to <<= r;
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(p));
    to <<= r;
}
