// The form with the world and the methods of a comparison.

import { useState } from 'preact/hooks'

import { Check, Checks, Form, SelectField } from '../parts/inputs.tsx'
import { Button } from '../parts/panel.tsx'
import { feedbacks, methods, noises, sizes } from './choices.ts'
import type { ComparisonSetup } from './comparison.ts'

type SetupProps = Readonly<{ initial: ComparisonSetup; onStart(setup: ComparisonSetup): void }>

export function SetupForm({ initial, onStart }: SetupProps) {
  const [setup, setSetup] = useState(initial)
  return (
    <Form class="setup" onSubmit={() => onStart(setup)}>
      <WorldChoice world={setup.world} onChange={(world) => setSetup({ ...setup, world })} />
      <fieldset>
        <legend>Methods</legend>
        <Checks
          options={methods}
          chosen={setup.methods}
          onChange={(chosen) => setSetup({ ...setup, methods: chosen })}
        />
      </fieldset>
      <fieldset>
        <legend>Length</legend>
        <Amount
          label="Rounds per method"
          value={setup.rounds}
          range={[50, 20_000]}
          onChange={(rounds) => setSetup({ ...setup, rounds })}
        />
        <Amount
          label="Seeds"
          value={setup.seeds}
          range={[1, 20]}
          onChange={(seeds) => setSetup({ ...setup, seeds })}
        />
        <Button
          type="submit"
          label="Start"
          disabled={setup.methods.length === 0 || Number.isNaN(setup.rounds + setup.seeds)}
        />
      </fieldset>
    </Form>
  )
}

type World = ComparisonSetup['world']

type WorldChoiceProps = Readonly<{ world: World; onChange(world: World): void }>

function WorldChoice({ world, onChange }: WorldChoiceProps) {
  const setWorld = (change: Partial<World>): void => onChange({ ...world, ...change })
  return (
    <fieldset>
      <legend>World</legend>
      <SelectField
        class="stack"
        label="Size"
        value={String(world.repeats)}
        options={sizes}
        onChange={(repeats) => setWorld({ repeats: Number(repeats) })}
      />
      <SelectField
        class="stack"
        label="Feedback"
        value={world.feedback!}
        options={feedbacks}
        onChange={(feedback) => setWorld({ feedback })}
      />
      <SelectField
        class="stack"
        label="Noise"
        value={world.noise!}
        options={noises}
        onChange={(noise) => setWorld({ noise })}
      />
      <Check
        label="Tastes change halfway"
        checked={world.drift!}
        onChange={(drift) => setWorld({ drift })}
      />
      <Check
        label="New users arrive"
        checked={world.arrivalEvery! > 0}
        onChange={(isOn) => setWorld({ arrivalEvery: isOn ? 40 : 0 })}
      />
    </fieldset>
  )
}

interface AmountProps {
  readonly label: string
  readonly value: number
  readonly range: readonly [min: number, max: number]
  onChange(value: number): void
}

const Amount = ({ label, value, range: [min, max], onChange }: AmountProps) => (
  <label class="stack">
    {label}
    <input
      type="number"
      required
      {...{ min, max }}
      // NaN while it is being typed.
      value={Number.isNaN(value) ? '' : value}
      onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
    />
  </label>
)
