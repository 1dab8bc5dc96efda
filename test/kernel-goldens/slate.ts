// The scores of a slate: relevance μᵀθ, diversity √(μᵀA⁻¹μ), and the effect of repetition on it.

import { expect } from 'vitest'
import { expectClose } from '../kernel-workspace.ts'
import type { Workspace } from '../kernel-workspace.ts'
import { goldens } from './goldens.ts'

const golden = goldens.ren_slate
const [itemCount, width] = golden.mu.shape as [number, number]
const embedding = (item: number): number[] => golden.mu.data.slice(item * width, (item + 1) * width)

/** A = I + Σ_k μ_k μ_kᵀ over the items. */
const designMatrix = (items: readonly number[]): number[][] =>
  Array.from({ length: width }, (_, i) =>
    Array.from({ length: width }, (_unused, j) =>
      items.reduce((sum, k) => sum + embedding(k)[i]! * embedding(k)[j]!, i === j ? 1 : 0),
    ),
  )

/** W = L⁻¹ for A = L·Lᵀ, both in float64; row by row, by forward substitution on the identity. */
function whiten(a: readonly (readonly number[])[]): number[][] {
  const lower = a.map((row) => row.map(() => 0))
  const inverse = a.map((row) => row.map(() => 0))
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = a[i]![j]!
      for (let k = 0; k < j; k++) rest -= lower[i]![k]! * lower[j]![k]!
      lower[i]![j] = i === j ? Math.sqrt(rest) : rest / lower[j]![j]!
    }
    for (let j = 0; j <= i; j++) {
      let rest = i === j ? 1 : 0
      for (let k = j; k < i; k++) rest -= lower[i]![k]! * inverse[k]![j]!
      inverse[i]![j] = rest / lower[i]![i]!
    }
  }
  return inverse
}

/** A⁻¹v = Wᵀ(W v). */
function solve(w: readonly (readonly number[])[], v: readonly number[]): number[] {
  const whitened = w.map((row) => row.reduce((sum, value, j) => sum + value * v[j]!, 0))
  return v.map((_, j) => w.reduce((sum, row, i) => sum + row[j]! * whitened[i]!, 0))
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0)

/** The initial values of every slate, computed by kernels. */
function startSlate(w: Workspace): { mu: number; relevance: number[]; forms: number } {
  const mu = w.floats(golden.mu.data)
  const relevance = w.output(itemCount)
  const forms = w.output(itemCount)
  const whitening = w.floats(whiten(designMatrix(golden.visited)).flat())
  w.kernels.dotRows(itemCount, width, mu, w.floats(golden.theta.data), relevance)
  w.kernels.quadraticForms(itemCount, width, mu, whitening, forms)
  return { mu, relevance: w.read(relevance, itemCount), forms }
}

/** One row per item: relevance, diversity, uncertainty, score. */
const termsOf = (relevance: readonly number[], forms: readonly number[]): number[][] =>
  forms.map((form, item) => {
    const diversity = Math.sqrt(form)
    const uncertainty = 1 / Math.sqrt(Math.max(golden.impressions[item]!, 1))
    const score =
      relevance[item]! + golden.diversityWeight * diversity + golden.uncertaintyWeight * uncertainty
    return [relevance[item]!, diversity, uncertainty, score]
  })

/** The items by falling score. */
const ranked = (scores: readonly number[]): number[] =>
  [...scores.keys()].toSorted((a, b) => scores[b]! - scores[a]!)

export function checkTopSlate(w: Workspace): void {
  const { relevance, forms } = startSlate(w)
  const terms = termsOf(relevance, w.read(forms, itemCount))
  const scores = terms.map((row) => row[3]!)
  const n = golden.top12.length
  const picks = ranked(scores).slice(0, n)
  const expected = golden.top12_terms_relevance_diversity_uncertainty_score
  expect(picks).toEqual(golden.top12)
  expectClose(
    picks.flatMap((item) => terms[item]!),
    expected.flat(),
  )
  expectClose(
    picks.map((item) => scores[item]!),
    expected.map((row) => row[3]!),
  )
}

export function checkSequentialSlate(w: Workspace): void {
  const { mu, relevance, forms } = startSlate(w)
  const picks: number[] = []
  for (const [i, item] of golden.sequential12.entries()) {
    const terms = termsOf(relevance, w.read(forms, itemCount))
    const scores = terms.map((row, k) => (picks.includes(k) ? -Infinity : row[3]!))
    expect(ranked(scores)[0]).toBe(item)
    expectClose(terms[item]!, golden.sequential12_terms[i]!)

    const whitening = whiten(designMatrix([...golden.visited, ...picks]))
    const direction = solve(whitening, embedding(item))
    const scale = 1 / (1 + dot(embedding(item), direction))
    w.kernels.rankOneUpdate(itemCount, width, scale, mu, w.floats(direction), forms)
    picks.push(item)
  }
}
