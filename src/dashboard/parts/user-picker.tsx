// Finds the user whose slate is shown, and a combobox for users: type, select with the arrow keys, confirm with
// Enter.

import { useEffect, useId, useState } from 'preact/hooks'

import type { UserInfo } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { useFetch, type FetchState } from '../api/use-fetch.ts'
import { counted } from '../format.ts'
import './user-picker.css'

type UserPickerProps = Readonly<{ user: string; onPick(user: string): void }>

type Option = Readonly<{ user: string; about: string }>

/** The state of the combobox: the typed text, the options, and the keys. */
function usePicker(onPick: UserPickerProps['onPick']) {
  const ids = useId()
  /** Null while the list is closed. */
  const [typed, setTyped] = useState<string | null>(null)
  const [active, setActive] = useState(0)
  /** Whether Enter was pressed before the options arrived. */
  const [isAwaited, setAwaited] = useState(false)
  const { options, isLoading } = useOptions(typed)
  /** The index of the option that Enter selects. */
  const place = Math.min(active, options.length - 1)
  const isOpen = typed !== null

  function edit(text: string | null): void {
    setTyped(text)
    setActive(0)
    setAwaited(false)
  }
  function pick(option: Option | undefined): void {
    edit(null)
    if (option) onPick(option.user)
  }
  useEffect(() => {
    if (isAwaited && !isLoading) pick(options[place])
  }, [isAwaited, isLoading])
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (isOpen) setActive((place + step + options.length) % options.length)
      else edit('')
    } else if (event.key === 'Enter' && isOpen) setAwaited(true)
    else if (event.key === 'Escape') edit(null)
  }
  return { ids, typed, options, place, isOpen, edit, pick, onKeyDown }
}

export function UserPicker({ user, onPick }: UserPickerProps) {
  const picker = usePicker(onPick)
  const { ids, typed, place, isOpen, edit, onKeyDown } = picker
  return (
    <div class="picker">
      <label for={`${ids}-box`}>User</label>
      <input
        id={`${ids}-box`}
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${ids}-list`}
        {...(isOpen && { 'aria-activedescendant': `${ids}-${place}` })}
        placeholder="Name begins with …"
        title="Case-sensitive"
        value={typed ?? user}
        onFocus={() => edit('')}
        onClick={() => isOpen || edit('')}
        onBlur={() => edit(null)}
        onInput={({ currentTarget }) => edit(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Options {...picker} />
    </div>
  )
}

const Options = ({ ids, options, place, isOpen, pick }: ReturnType<typeof usePicker>) => (
  <ul
    id={`${ids}-list`}
    class="floating"
    role="listbox"
    aria-label="Users"
    // Chromium makes scrollable elements focusable.
    tabIndex={-1}
    hidden={!isOpen}
  >
    {options.map((option, i) => (
      <li
        key={option.user}
        id={`${ids}-${i}`}
        role="option"
        aria-selected={i === place}
        // Before the box loses the focus and closes.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => pick(option)}
      >
        <span>{option.user}</span>
        <span class="soft">{option.about}</span>
      </li>
    ))}
  </ul>
)

function useOptions(typed: string | null) {
  const { value, isLoading } = useFetch(
    async (signal) =>
      typed === null ? [] : (await api.users({ prefix: typed, limit: 8 }, signal)).entries,
    [typed],
  )
  // A response to an earlier text may still be shown.
  const known = (value ?? [])
    .filter(({ user }) => user.startsWith(typed ?? ''))
    .map(({ user, interactions }) => ({ user, about: counted(interactions, 'interaction') }))
  const others = [typed?.trim() || newUser, newUser]
    .filter((user, i, all) => all.indexOf(user) === i)
    .filter((user) => known.every((one) => one.user !== user))
  const options: readonly Option[] = [
    ...known,
    ...others.map((user) => ({ user, about: 'unknown user' })),
  ]
  return { options, isLoading }
}

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
