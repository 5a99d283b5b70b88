// nvrtc: --use_fast_math
// The approximate instructions, within the error that PTX allows them.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void fast_exponentials(const float *in, float *out, unsigned n)
{
    float x = in[index()], positive = fabsf(x) * 8.0f + 0.125f;
    float *to = out + index() * 6;
    to[0] = exp2f(x * 8.0f);
    to[1] = __expf(x * 5.0f);
    to[2] = __log2f(positive);
    to[3] = __logf(positive);
    to[4] = __powf(positive, x);
    to[5] = __exp10f(x);
}

extern "C" __global__ void fast_roots(const float *in, float *out, unsigned n)
{
    float x = in[index()], positive = fabsf(x) * 100.0f + 0.01f;
    float *to = out + index() * 5;
    to[0] = rsqrtf(positive);
    to[1] = sqrtf(positive);
    to[2] = 1.0f / positive;
    to[3] = __fdividef(x, positive);
    to[4] = x / positive;
}

extern "C" __global__ void fast_circle(const float *in, float *out, unsigned n)
{
    float x = in[index()] * 3.0f;
    out[index() * 3] = __sinf(x);
    out[index() * 3 + 1] = __cosf(x);
    out[index() * 3 + 2] = tanhf(x);
}

/// The tangent's own instruction, of compute capability 7.5 on.
extern "C" __global__ void fast_tanh(const float *in, float *out, unsigned n)
{
    float result;
    asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(in[index()] * 4.0f));
    out[index()] = result;
}

/// A small network: two layers of eight with a logistic function.
__constant__ float layer[2][8][8] = {{{0.1f, -0.4f, 0.3f, 0.9f}, {0.7f}, {-0.2f, 0.5f, 0.5f}, {1.0f, 1.0f, -1.0f},
    {0.25f}, {-0.75f, 0.5f}, {0.f, 0.f, 0.f, 2.0f}, {0.f, 1.5f}}, {{1.0f, 0.2f, -0.3f, 0.4f, -0.5f, 0.6f, -0.7f, 0.8f},
    {0.5f, 0.5f}, {-1.0f}, {0.f, -1.0f}, {0.f, 0.f, 1.0f}, {0.f, 0.f, 0.f, 1.0f}, {0.3f, 0.3f, 0.3f}, {2.0f}}};
extern "C" __global__ void neurons(const float *in, float *out, unsigned n)
{
    float x[8];
    for (int i = 0; i < 8; i++) x[i] = in[index() * 8 + i];
    for (int l = 0; l < 2; l++) {
        float y[8];
        for (int i = 0; i < 8; i++) {
            float sum = 0.0f;
            for (int k = 0; k < 8; k++) sum += layer[l][i][k] * x[k];
            y[i] = 1.0f / (1.0f + __expf(-sum));
        }
        for (int i = 0; i < 8; i++) x[i] = y[i];
    }
    for (int i = 0; i < 8; i++) out[index() * 8 + i] = x[i];
}

/// Probabilities from 32 scores, by a warp.
extern "C" __global__ void softmax(const float *in, float *out, unsigned n)
{
    float mine = in[index()] * 4.0f, most = mine, sum;
    for (int step = 16; step; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
    sum = mine = __expf(mine - most);
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    out[index()] = mine / sum;
}
