// A text box that suggests users; Enter selects the first suggestion. Also finds the user whose slate
// is shown.

import { useId, useState } from 'preact/hooks'

import type { UserEntry, UserInfo } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch, type FetchState } from '../api/use-fetch.ts'
import { counted } from '../format.ts'
import './user-picker.css'

type UserPickerProps = Readonly<{ user: string; onPick(user: string): void }>

export function UserPicker({ user, onPick }: UserPickerProps) {
  const list = useId()
  /** Null until the user edits the box. */
  const [typed, setTyped] = useState<string | null>(null)
  const known = useKnown(typed)
  const pick = (name: string): void => {
    setTyped(null)
    onPick(name)
  }
  return (
    <label class="picker">
      User
      <input
        list={list}
        autocomplete="off"
        spellcheck={false}
        placeholder="Name begins with …"
        title="Case-sensitive"
        value={typed ?? user}
        onFocus={() => setTyped('')}
        onClick={() => setTyped(typed ?? '')}
        onBlur={() => setTyped(null)}
        onInput={({ currentTarget: { value: text }, inputType }) => {
          // A suggestion replaces the text; keys insert or delete some.
          if (inputType === 'insertReplacementText') pick(text)
          else setTyped(text)
        }}
        onKeyDown={({ key }) => {
          if (key === 'Enter' && typed !== null) pick(known[0]?.user ?? typed)
          if (key === 'Escape') setTyped(null)
        }}
      />
      <Suggestions id={list} known={known} />
    </label>
  )
}

/** The first users whose names begin with the text. */
function useKnown(typed: string | null): readonly UserEntry[] {
  const { value } = useFetch(
    async (signal) =>
      typed === null ? [] : (await api.users({ prefix: typed, limit: 8 }, signal)).entries,
    [typed],
  )
  // A response to an earlier text may still be shown.
  return (value ?? []).filter(({ user }) => user.startsWith(typed ?? ''))
}

const Suggestions = ({ id, known }: { readonly id: string; known: readonly UserEntry[] }) => (
  <datalist id={id}>
    {known.map(({ user, interactions }) => (
      <option key={user} value={user}>
        {counted(interactions, 'interaction')}
      </option>
    ))}
    <option value={newUser}>unknown user</option>
  </datalist>
)

/** The name of an unknown user. */
const newUser = '(a new user)'

export interface FoundUser {
  readonly user: string
  /** Null for an unknown user. */
  readonly info: UserInfo | null
}

/** The user with that name; without a name, one of the first with interactions. */
export const useFoundUser = (name: string | undefined): FetchState<FoundUser> =>
  useFetch((signal) => findUser(name, signal), [name])

async function findUser(name: string | undefined, signal: AbortSignal): Promise<FoundUser> {
  const query = name === undefined ? { limit: 50 } : { prefix: name, limit: 1 }
  const { entries } = await api.users(query, signal)
  const first = entries.find(({ interactions }) => interactions > 0) ?? entries[0]
  const user = name ?? first?.user ?? newUser
  // Names are sorted, so an existing user precedes those whose names begin with it. Fetching an
  // unknown user would be an error.
  const isKnown = entries.some((entry) => entry.user === user)
  return { user, info: isKnown ? await api.user(user, signal) : null }
}
