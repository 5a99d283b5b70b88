// The functions of the mathematics library, which are made of many instructions.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void circle_f32(const float *in, float *out, unsigned n)
{
    float x = in[index()];
    float *to = out + index() * 8;
    to[0] = sinf(x * 10.0f);
    to[1] = cosf(x * 10.0f);
    to[2] = tanf(x);
    to[3] = asinf(x);
    to[4] = acosf(x);
    to[5] = atanf(x * 4.0f);
    to[6] = atan2f(x, 0.5f - x * x);
    to[7] = sinf(x * 1e6f); // the slow reduction
}

extern "C" __global__ void growth_f32(const float *in, float *out, unsigned n)
{
    float x = in[index()], positive = fabsf(x) + 0.01f;
    float *to = out + index() * 9;
    to[0] = expf(x * 6.0f);
    to[1] = expm1f(x);
    to[2] = logf(positive);
    to[3] = log1pf(x * 0.5f);
    to[4] = log10f(positive);
    to[5] = powf(positive, x * 3.0f);
    to[6] = sinhf(x * 2.0f);
    to[7] = cosh(x * 2.0f);
    to[8] = tanhf(x * 2.0f);
}

extern "C" __global__ void special_f32(const float *in, float *out, unsigned n)
{
    float x = in[index()];
    float *to = out + index() * 5;
    to[0] = cbrtf(x * 100.0f);
    to[1] = hypotf(x, 3.0f);
    to[2] = erff(x * 2.0f);
    to[3] = erfcf(x * 2.0f);
    to[4] = rcbrtf(x * x + 1.0f);
}

extern "C" __global__ void circle_f64(const double *in, double *out, unsigned n)
{
    double x = in[index()];
    double *to = out + index() * 6;
    to[0] = sin(x * 20.0);
    to[1] = cos(x * 20.0);
    to[2] = tan(x);
    to[3] = asin(x);
    to[4] = acos(x);
    to[5] = atan2(x, 0.25);
}

extern "C" __global__ void growth_f64(const double *in, double *out, unsigned n)
{
    double x = in[index()], positive = fabs(x) + 0.01;
    double *to = out + index() * 9;
    to[0] = exp(x * 20.0);
    to[1] = log(positive);
    to[2] = pow(positive, x * 5.0);
    to[3] = sinh(x);
    to[4] = tanh(x);
    to[5] = cbrt(x);
    to[6] = exp2(x * 9.0);
    to[7] = log2(positive);
    to[8] = rsqrt(positive);
}
