// Constants of the hot functions. V8 creates a vector constant with three instructions at every use,
// while a global takes one load. They are exported variables, because the compiler would turn a
// global that is never written into a constant.

export let one: v128 = f32x4.splat(1)
export let two: v128 = f32x4.splat(2)

export let lowestPower: v128 = f32x4.splat(-88)
export let highestPower: v128 = f32x4.splat(89)
export let bitsPerNat: v128 = f32x4.splat(1.44269504)
// −ln 2 in two parts. The first has few bits, so that n·part is exact.
export let minusLog2High: v128 = f32x4.splat(-0.693359375)
export let minusLog2Low: v128 = f32x4.splat(2.1219444e-4)
export let expTerm7: v128 = f32x4.splat(1.98756915e-4)
export let expTerm6: v128 = f32x4.splat(1.3981999507e-3)
export let expTerm5: v128 = f32x4.splat(8.3334519073e-3)
export let expTerm4: v128 = f32x4.splat(4.1665795894e-2)
export let expTerm3: v128 = f32x4.splat(1.6666665459e-1)
export let expTerm2: v128 = f32x4.splat(5.0000001201e-1)

export let tanhSmall: v128 = f32x4.splat(0.625)
export let tanhTerm11: v128 = f32x4.splat(-5.70498872745e-3)
export let tanhTerm9: v128 = f32x4.splat(2.06390887954e-2)
export let tanhTerm7: v128 = f32x4.splat(-5.37397155531e-2)
export let tanhTerm5: v128 = f32x4.splat(1.33314422036e-1)
export let tanhTerm3: v128 = f32x4.splat(-3.33332819422e-1)
