// A slider that shows its value.

import { useId } from 'preact/hooks'

import { fixed } from '../format.ts'

interface SliderProps {
  readonly label: string
  readonly value: number
  readonly min?: number
  readonly max: number
  readonly step: number
  readonly disabled?: boolean
  onChange(value: number): void
}

export function Slider({ label, value, min = 0, max, step, disabled, onChange }: SliderProps) {
  const field = useId()
  return (
    <div class="slider">
      <label for={field}>{label}</label>
      <input
        id={field}
        type="range"
        {...{ min, max, step, value }}
        disabled={disabled ?? false}
        onInput={({ currentTarget }) => onChange(Number(currentTarget.value))}
      />
      <output for={field}>{fixed(value, digitsOf(step))}</output>
    </div>
  )
}

/** Decimals that the steps of a slider have. */
const digitsOf = (step: number): number => Math.max(0, -Math.floor(Math.log10(step)))
