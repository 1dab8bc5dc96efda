// The form with the world and the methods of a race.

import { useState } from 'preact/hooks'

import { Check, Form, Select } from '../parts/inputs.tsx'
import { feedbacks, methods, noises, sizes } from './choices.ts'
import type { RaceSetup } from './race.ts'

interface SetupProps {
  readonly initial: RaceSetup
  onStart(setup: RaceSetup): void
}

export function SetupForm({ initial, onStart }: SetupProps) {
  const [setup, setSetup] = useState(initial)
  return (
    <Form class="setup" onSubmit={() => onStart(setup)}>
      <WorldChoice world={setup.world} onChange={(world) => setSetup({ ...setup, world })} />
      <MethodChoice
        chosen={setup.methods}
        onChange={(chosen) => setSetup({ ...setup, methods: chosen })}
      />
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
        <button
          type="submit"
          disabled={setup.methods.length === 0 || Number.isNaN(setup.rounds + setup.seeds)}
        >
          Start
        </button>
      </fieldset>
    </Form>
  )
}

type World = RaceSetup['world']

interface WorldChoiceProps {
  readonly world: World
  onChange(world: World): void
}

function WorldChoice({ world, onChange }: WorldChoiceProps) {
  const setWorld = (change: Partial<World>): void => onChange({ ...world, ...change })
  return (
    <fieldset>
      <legend>World</legend>
      <label class="stack">
        Size
        <Select
          value={String(world.repeats)}
          options={Object.fromEntries(sizes.map(({ repeats, words }) => [repeats, words]))}
          onChange={(repeats) => setWorld({ repeats: Number(repeats) })}
        />
      </label>
      <label class="stack">
        Feedback
        <Select
          value={world.feedback!}
          options={feedbacks}
          onChange={(feedback) => setWorld({ feedback })}
        />
      </label>
      <label class="stack">
        Noise
        <Select value={world.noise!} options={noises} onChange={(noise) => setWorld({ noise })} />
      </label>
      <Check
        label="Tastes change halfway"
        checked={world.drift!}
        onChange={(drift) => setWorld({ drift })}
      />
      <Check
        label="New users arrive"
        checked={world.arrivalEvery! > 0}
        onChange={(comes) => setWorld({ arrivalEvery: comes ? 40 : 0 })}
      />
    </fieldset>
  )
}

interface MethodChoiceProps {
  readonly chosen: readonly string[]
  onChange(chosen: readonly string[]): void
}

function MethodChoice({ chosen, onChange }: MethodChoiceProps) {
  return (
    <fieldset>
      <legend>Methods</legend>
      {Object.entries(methods).map(([method, words]) => (
        <Check
          key={method}
          label={words}
          checked={chosen.includes(method)}
          onChange={(isChosen) =>
            onChange(isChosen ? [...chosen, method] : chosen.filter((other) => other !== method))
          }
        />
      ))}
    </fieldset>
  )
}

interface AmountProps {
  readonly label: string
  readonly value: number
  readonly range: readonly [min: number, max: number]
  onChange(value: number): void
}

function Amount({ label, value, range: [min, max], onChange }: AmountProps) {
  return (
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
}
