// Particles, fractals, geometry and finance.

__device__ unsigned index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Accelerations of bodies (x, y, z, mass), in tiles of shared memory; exact roots and quotients.
extern "C" __global__ void nbody(const float4 *in, float4 *out, unsigned n)
{
    __shared__ float4 tile[64];
    float4 me = in[index()], sum = {0, 0, 0, 0};
    for (unsigned start = 0; start < n; start += 64) {
        tile[threadIdx.x] = in[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float square = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
            float factor = tile[k].w / (square * sqrtf(square));
            sum.x = fmaf(dx, factor, sum.x);
            sum.y = fmaf(dy, factor, sum.y);
            sum.z = fmaf(dz, factor, sum.z);
        }
        __syncthreads();
    }
    out[index()] = sum;
}

/// Potentials with the approximate reciprocal root.
extern "C" __global__ void potential(const float4 *in, float *out, unsigned n)
{
    float4 me = in[index()];
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++) {
        float dx = in[k].x - me.x, dy = in[k].y - me.y, dz = in[k].z - me.z;
        sum += rsqrtf(dx * dx + dy * dy + dz * dz + 0.25f);
    }
    out[index()] = sum;
}

extern "C" __global__ void mandelbrot(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = fmaf(float(x), 3.0f / 64.0f, -2.25f), ci = fmaf(float(y), 3.0f / 64.0f, -1.5f);
    float r = 0.0f, i = 0.0f;
    unsigned steps = 0;
    for (; steps < 64 && r * r + i * i < 4.0f; steps++) {
        float next = r * r - i * i + cr;
        i = fmaf(2.0f * r, i, ci);
        r = next;
    }
    out[y * n + x] = steps;
}

extern "C" __global__ void julia(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double r = x * 0.09375 - 1.5, i = y * 0.09375 - 1.5;
    unsigned steps = 0;
    while (steps < 100 && r * r + i * i <= 4.0) {
        double next = r * r - i * i - 0.8;
        i = 2.0 * r * i + 0.156;
        r = next;
        steps++;
    }
    out[y * n + x] = steps;
}

struct Quaternion { float w, x, y, z; };
__device__ Quaternion operator*(Quaternion a, Quaternion b)
{
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// Rotates a vector by a quaternion that is made a unit first: four words, then three of the vector.
extern "C" __global__ void quaternion(const float *in, float *out, unsigned n)
{
    const float *p = in + index() * 7;
    float length = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    Quaternion q = {p[0] / length, p[1] / length, p[2] / length, p[3] / length};
    Quaternion turned = q * Quaternion{0.0f, p[4], p[5], p[6]} * Quaternion{q.w, -q.x, -q.y, -q.z};
    out[index() * 3] = turned.x;
    out[index() * 3 + 1] = turned.y;
    out[index() * 3 + 2] = turned.z;
}

struct Ray { float3 origin, direction; };
__device__ float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ float dot(float3 a, float3 b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }

/// How far a ray goes to the sphere of radius 1/2 around the origin; -1 where it misses.
extern "C" __global__ void ray_sphere(const Ray *in, float *out, unsigned n)
{
    Ray ray = in[index()];
    float3 centre = {0.0f, 0.0f, 0.0f}, to = ray.origin - centre;
    float a = dot(ray.direction, ray.direction), b = dot(to, ray.direction), c = dot(to, to) - 0.25f;
    float root = b * b - a * c;
    out[index()] = root < 0.0f ? -1.0f : (-b - sqrtf(root)) / a;
}

/// A chain of springs, 16 leapfrog steps; a block a chain.
extern "C" __global__ void springs(const double *in, double *out, unsigned n)
{
    __shared__ double place[66];
    unsigned t = threadIdx.x;
    double velocity = 0.0;
    if (t < 2) place[t * 65] = 0.0;
    place[t + 1] = in[index()];
    for (int step = 0; step < 16; step++) {
        __syncthreads();
        double force = place[t] - 2.0 * place[t + 1] + place[t + 2];
        __syncthreads();
        velocity = fma(0.125, force, velocity);
        place[t + 1] = fma(0.125, velocity, place[t + 1]);
    }
    out[index()] = place[t + 1];
}

__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

/// Prices of calls: spot, strike and time from the input, scaled.
extern "C" __global__ void black_scholes(const float *in, float *out, unsigned n)
{
    unsigned i = index();
    float spot = 60.0f + 40.0f * fabsf(in[i]), strike = 60.0f + 40.0f * fabsf(in[n + i]);
    float years = 0.25f + fabsf(in[2 * n + i]), rate = 0.02f, volatility = 0.3f;
    float root = volatility * sqrtf(years);
    float d1 = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / root;
    out[i] = spot * normal(d1) - strike * expf(-rate * years) * normal(d1 - root);
}

/// Which of eight centres is nearest; then sums and counts of each, in fixed point.
extern "C" __global__ void k_means(const float2 *in, unsigned *out, unsigned n)
{
    __shared__ int sums[8][2];
    __shared__ unsigned counts[8];
    unsigned t = threadIdx.x, i = index();
    if (t < 8) counts[t] = sums[t][0] = sums[t][1] = 0;
    __syncthreads();
    unsigned best = 0;
    float least = 1e30f;
    for (unsigned k = 0; k < 8; k++) {
        float dx = in[i].x - in[k].x, dy = in[i].y - in[k].y, distance = dx * dx + dy * dy;
        if (distance < least) { least = distance; best = k; }
    }
    atomicAdd(&sums[best][0], __float2int_rn(in[i].x * 65536.0f));
    atomicAdd(&sums[best][1], __float2int_rn(in[i].y * 65536.0f));
    atomicAdd(&counts[best], 1u);
    out[24 + i] = best;
    __syncthreads();
    if (t < 8) {
        atomicAdd(&out[t], counts[t]);
        atomicAdd(&out[8 + t], unsigned(sums[t][0]));
        atomicAdd(&out[16 + t], unsigned(sums[t][1]));
    }
}

/// The polygon of 12 points in constant memory: is a point inside (crossings)?
__constant__ float2 polygon[12] = {{0.9f, 0.f}, {0.3f, 0.2f}, {0.5f, 0.8f}, {0.f, 0.4f}, {-0.5f, 0.8f},
    {-0.3f, 0.2f}, {-0.9f, 0.f}, {-0.3f, -0.2f}, {-0.5f, -0.8f}, {0.f, -0.4f}, {0.5f, -0.8f}, {0.3f, -0.2f}};
extern "C" __global__ void point_in_polygon(const float2 *in, unsigned *out, unsigned n)
{
    float2 p = in[index()];
    bool inside = false;
    for (int i = 0, k = 11; i < 12; k = i++) {
        float2 a = polygon[i], b = polygon[k];
        if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
            inside = !inside;
    }
    unsigned votes = __ballot_sync(~0u, inside);
    if (threadIdx.x % 32 == 0) out[index() / 32] = votes;
}
