// The scratch memory of the kernels. Each instance (each thread) has its own.

/** Packed panels of the matrix product's right-hand side. */
export const PACKED_BYTES: usize = 1 << 20
/** One tile of a product that exceeds its matrix. */
export const EDGE_BYTES: usize = 256
/** Temporary rows of a scoring pass. */
export const WORKSPACE_BYTES: usize = 1 << 17

let base: usize = 0

export function setScratch(address: usize): void {
  base = address
}

export function scratchBytes(): usize {
  return PACKED_BYTES + EDGE_BYTES + WORKSPACE_BYTES
}

export function packedPanels(): usize {
  return base
}

export function edgeTile(): usize {
  return base + PACKED_BYTES
}

export function workspace(): usize {
  return base + PACKED_BYTES + EDGE_BYTES
}
