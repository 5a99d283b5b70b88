// Integer and floating-point arithmetic, each result in a slot of its own so
// that the host can repeat it: out holds `count` rows of n values.

extern "C" __global__ void arith_i32(unsigned n, const int *a, const int *b, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = a[i], y = b[i];
    unsigned ux = x, uy = y;
    int *o = out + i;
    o[0 * n] = x + y;
    o[1 * n] = x - y;
    o[2 * n] = x * y;
    o[3 * n] = y == 0 ? -1 : x / y;
    o[4 * n] = y == 0 ? x : x % y;
    o[5 * n] = uy == 0 ? 0xffffffffu : ux / uy;
    o[6 * n] = uy == 0 ? ux : ux % uy;
    o[7 * n] = x >> (uy & 31);
    o[8 * n] = ux >> (uy & 31);
    o[9 * n] = x << (uy & 31);
    o[10 * n] = __mulhi(x, y);
    o[11 * n] = __umulhi(ux, uy);
    o[12 * n] = min(x, y);
    o[13 * n] = max(ux, uy);
    o[14 * n] = abs(x);
    o[15 * n] = __popc(ux);
    o[16 * n] = __clz(x);
    o[17 * n] = __brev(ux);
    o[18 * n] = __byte_perm(ux, uy, 0x2541);
    o[19 * n] = __sad(x, y, 7u);
    o[20 * n] = (x & y) ^ (~x | (y & 0x0f0f0f0f));
    o[21 * n] = __funnelshift_l(ux, uy, 9);
    o[22 * n] = __ffs(x);
    o[23 * n] = (signed char)x + (short)y;
    o[24 * n] = __mul24(x, y);
    o[25 * n] = (int)(((long long)x * y + 12345) >> 7);
    o[26 * n] = (x < y) * 4 + (ux < uy) * 2 + (x == y);
    o[27 * n] = x / 7;
    o[28 * n] = ux % 10;
}

extern "C" __global__ void arith_i64(unsigned n, const long long *a, const long long *b, long long *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long x = a[i], y = b[i];
    unsigned long long ux = x, uy = y;
    long long *o = out + i;
    o[0 * n] = x + y;
    o[1 * n] = x - y;
    o[2 * n] = x * y;
    o[3 * n] = y == 0 ? -1 : x / y;
    o[4 * n] = y == 0 ? x : x % y;
    o[5 * n] = uy == 0 ? -1 : ux / uy;
    o[6 * n] = uy == 0 ? ux : ux % uy;
    o[7 * n] = x >> (uy & 63);
    o[8 * n] = ux >> (uy & 63);
    o[9 * n] = x << (uy & 63);
    o[10 * n] = __mul64hi(x, y);
    o[11 * n] = __umul64hi(ux, uy);
    o[12 * n] = min(x, y);
    o[13 * n] = max(ux, uy);
    o[14 * n] = __popcll(ux);
    o[15 * n] = __clzll(x);
    o[16 * n] = __brevll(ux);
    o[17 * n] = (long long)(double)x;
    o[18 * n] = (long long)(float)x;
    o[19 * n] = (unsigned long long)(double)ux;
    o[20 * n] = x < 0 ? -x : x;
    o[21 * n] = (int)x;
    o[22 * n] = (unsigned short)x;
}

extern "C" __global__ void arith_f32(unsigned n, const float *a, const float *b, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i];
    float *o = out + i;
    o[0 * n] = __fadd_rn(x, y);
    o[1 * n] = __fsub_rn(x, y);
    o[2 * n] = __fmul_rn(x, y);
    o[3 * n] = __fdiv_rn(x, y);
    o[4 * n] = __fmaf_rn(x, y, 1.5f);
    o[5 * n] = __fsqrt_rn(x);
    o[6 * n] = fminf(x, y);
    o[7 * n] = fmaxf(x, y);
    o[8 * n] = fabsf(x);
    o[9 * n] = -x;
    o[10 * n] = floorf(x);
    o[11 * n] = ceilf(x);
    o[12 * n] = truncf(x);
    o[13 * n] = rintf(x);
    o[14 * n] = copysignf(x, y);
    o[15 * n] = __saturatef(x);
    o[16 * n] = (float)(int)x;
    o[17 * n] = (float)(unsigned)x;
    o[18 * n] = (float)__float2int_rn(x);
    o[19 * n] = (float)__float2int_rd(x);
    o[20 * n] = (float)__float2int_ru(x);
    o[21 * n] = __int_as_float(__float_as_int(x) ^ 1);
    o[22 * n] = (float)((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * !(x >= y));
    o[23 * n] = __frcp_rn(x);
}

// The approximate functions; the host allows them an error.
extern "C" __global__ void approx_f32(unsigned n, const float *a, float *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    float *o = out + i;
    o[0 * n] = __sinf(x);
    o[1 * n] = __cosf(x);
    o[2 * n] = __expf(x);
    o[3 * n] = __logf(x);
    o[4 * n] = rsqrtf(x);
    o[5 * n] = __fdividef(x, 3.0f);
    o[6 * n] = expf(x);
    o[7 * n] = logf(x);
    o[8 * n] = powf(x, 1.5f);
    o[9 * n] = sinf(x);
    o[10 * n] = tanhf(x);
}

extern "C" __global__ void arith_f64(unsigned n, const double *a, const double *b, double *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], y = b[i];
    double *o = out + i;
    o[0 * n] = __dadd_rn(x, y);
    o[1 * n] = __dadd_rn(x, -y);
    o[2 * n] = __dmul_rn(x, y);
    o[3 * n] = __ddiv_rn(x, y);
    o[4 * n] = __fma_rn(x, y, 1.5);
    o[5 * n] = __dsqrt_rn(x);
    o[6 * n] = fmin(x, y);
    o[7 * n] = fmax(x, y);
    o[8 * n] = fabs(x);
    o[9 * n] = (double)(float)x;
    o[10 * n] = (double)(long long)x;
    o[11 * n] = floor(x);
    o[12 * n] = rint(x);
    o[13 * n] = (double)(int)x;
    o[14 * n] = (double)(unsigned)x;
    o[15 * n] = (double)((x < y) + 2 * (x == y) + 4 * !(x > y));
    o[16 * n] = exp(x);
    o[17 * n] = sin(x);
}
