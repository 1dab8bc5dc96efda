// The measure behind the gate's report of long functions.

import { expect, it } from 'vitest'
import { measureFunctions } from '../scripts/longest.ts'

it('counts declarations, arrows and methods from head to closing brace', () => {
  const source = `export function first(): void {
  one()
}
const second = (x: number) => {
  if (x) {
    two()
  }
}
const object = {
  async third(x) {
    await x
  },
}
`
  expect(measureFunctions(source)).toEqual([
    { name: 'first', lines: 3 },
    { name: 'second', lines: 5 },
    { name: 'third', lines: 3 },
  ])
})

it('counts a head that was broken over lines, and an arrow that returns an object', () => {
  const source = `function first(
  a: number,
): number {
  return a
}
const second = () => ({
  a: 1,
})
`
  expect(measureFunctions(source)).toEqual([
    { name: 'first', lines: 5 },
    { name: 'second', lines: 3 },
  ])
})

it('counts a function within a function once, for itself', () => {
  const source = `const factory = ({
  a,
}) => ({
  method() {
    a()
  },
})
`
  expect(measureFunctions(source)).toEqual([
    { name: 'factory', lines: 4 },
    { name: 'method', lines: 3 },
  ])
})

it('takes no loop, condition or type for a function', () => {
  expect(
    measureFunctions('for (const a of b) {\n}\nif (a) {\n} else {\n}\ntype A = {\n}\n'),
  ).toEqual([])
})
