// Layer normalisation of rows, with the biased variance, as in PyTorch.

import type { KernelTheme } from './views.ts'

export const layerNorm: KernelTheme<'layerNormForward' | 'layerNormBackward'> = ({
  f32,
  matrix,
}) => ({
  layerNormForward(
    rows,
    columns,
    epsilon,
    xAddress,
    gainAddress,
    biasAddress,
    outAddress,
    statisticsAddress,
  ) {
    if (columns === 0) return // An empty row has no mean.
    const x = matrix(xAddress, rows, columns)
    const gain = f32(gainAddress, columns)
    const bias = f32(biasAddress, columns)
    const out = matrix(outAddress, rows, columns)
    const statistics = matrix(statisticsAddress, rows, 2)
    for (let i = 0; i < rows; i++) {
      let mean = 0
      for (let j = 0; j < columns; j++) mean += x.get(i, j) / columns
      let variance = 0
      for (let j = 0; j < columns; j++) variance += (x.get(i, j) - mean) ** 2 / columns
      const inverseDeviation = 1 / Math.sqrt(variance + epsilon)
      for (let j = 0; j < columns; j++) {
        out.set(i, j, gain[j]! * (x.get(i, j) - mean) * inverseDeviation + bias[j]!)
      }
      statistics.set(i, 0, mean)
      statistics.set(i, 1, inverseDeviation)
    }
  },

  /**
   * With x̂ = (x − mean)/deviation and g = gain∘dOut:
   * dx = (g − mean(g) − x̂·mean(g∘x̂))/deviation; dGain = Σ_rows dOut∘x̂; dBias = Σ_rows dOut.
   */
  layerNormBackward(
    rows,
    columns,
    xAddress,
    gainAddress,
    statisticsAddress,
    dOutAddress,
    dXAddress,
    dGainAddress,
    dBiasAddress,
  ) {
    const x = matrix(xAddress, rows, columns)
    const gain = f32(gainAddress, columns)
    const statistics = matrix(statisticsAddress, rows, 2)
    const dOut = matrix(dOutAddress, rows, columns)
    const dX = matrix(dXAddress, rows, columns)
    const dGain = f32(dGainAddress, columns)
    const dBias = f32(dBiasAddress, columns)
    const normalised = (i: number, j: number): number =>
      (x.get(i, j) - statistics.get(i, 0)) * statistics.get(i, 1)

    for (let i = 0; i < rows; i++) {
      let meanG = 0
      let meanGX = 0
      for (let j = 0; j < columns; j++) {
        const g = gain[j]! * dOut.get(i, j)
        meanG += g / columns
        meanGX += (g * normalised(i, j)) / columns
      }
      for (let j = 0; j < columns; j++) {
        const g = gain[j]! * dOut.get(i, j)
        dX.add(i, j, (g - meanG - normalised(i, j) * meanGX) * statistics.get(i, 1))
      }
    }

    for (let j = 0; j < columns; j++) {
      let gainSum = dGain[j]!
      let biasSum = dBias[j]!
      for (let i = 0; i < rows; i++) {
        gainSum += dOut.get(i, j) * normalised(i, j)
        biasSum += dOut.get(i, j)
      }
      dGain[j] = gainSum
      dBias[j] = biasSum
    }
  },
})
