// The kernels that every run computes with.

/** Fixed, so that a seed gives the same row everywhere: relaxed SIMD may round as a machine likes. */
export const runKernel = 'simd128'
