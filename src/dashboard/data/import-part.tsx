// Imports a log or a catalog: choose a file, send it, and watch the progress.

import { useId, useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { api } from '../api/client.ts'
import { isUnderWay, shareOf, useJobs } from '../api/jobs.ts'
import { Failure } from '../api/request.ts'
import { useAction, useFetch } from '../api/use-fetch.ts'
import type { ViewProps } from '../route.ts'
import { bytes, count, counted, timeOfDay } from '../format.ts'
import { Form, SelectField } from '../parts/inputs.tsx'
import { Button, Empty, Loaded, Panel, ProgressBar } from '../parts/panel.tsx'

export function ImportPart(_props: ViewProps) {
  const fetched = useJobs(api.imports)
  return (
    <div class="grid">
      <ImportForm onStart={fetched.refresh} />
      <Panel title="Imports">
        <Loaded fetched={fetched} what="imports">
          {(jobs) =>
            jobs.length === 0 ? (
              <Empty>No imports since the service started.</Empty>
            ) : (
              <ul class="runs">
                {jobs.map((job) => (
                  <ImportEntry key={job.id} job={job} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
    </div>
  )
}

function ImportForm({ onStart }: { onStart(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const [content, setContent] = useState<Content>('log')
  const { isBusy, failure, act } = useAction()
  const [failed, setFailed] = useState<File | null>(null)
  const field = useId()
  const refusal = file ? refusalOf(file) : ''
  const start = (): void => {
    setFailed(file)
    void act(send(file!, content), onStart)
  }
  return (
    <Panel title="Import a log or a catalog">
      <Form class="import-form" onSubmit={start}>
        <ContentField content={content} onChange={(value) => setContent(value)} />
        <label for={field}>File</label>
        <input
          id={field}
          type="file"
          accept=".csv,.jsonl,.ndjson"
          aria-describedby={`${field}-refusal`}
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0] ?? null)}
        />
        <div id={`${field}-refusal`} role="alert" class="error">
          {refusal || (file === failed && failure?.message)}
        </div>
        {isBusy && <ProgressBar label="Sending the file" share={null} />}
        <Button
          type="submit"
          label={file ? `Import ${bytes(file.size)}` : 'Import'}
          disabled={!file || isBusy || refusal !== ''}
        />
      </Form>
    </Panel>
  )
}

type Content = NonNullable<ImportRequest['content']>

interface ContentFieldProps {
  readonly content: Content
  onChange(content: Content): void
}

/** What the file has, and the formats of that. */
const ContentField = ({ content, onChange }: ContentFieldProps) => (
  <>
    {content === 'log' ? <LogFormats /> : <CatalogFormats />}
    <SelectField<Content>
      label="Content"
      class="stack"
      value={content}
      options={{ log: 'Log of interactions', catalog: 'Catalog of items' }}
      onChange={onChange}
    />
  </>
)

const CatalogFormats = () => (
  <p class="soft">
    CSV with a header, or JSON Lines of <code>item</code> and <code>attributes</code>. The other
    columns of a CSV file are attributes. Attributes of known items are replaced.
  </p>
)

const LogFormats = () => (
  <p class="soft">
    CSV with a header, or JSON Lines: <code>user</code>, <code>item</code>, <code>time</code> in
    milliseconds since 1970, and <code>reward</code> (defaults to 1). At most {maxBytes / 2 ** 20}{' '}
    MiB; <code>ren import</code> accepts larger logs. Importing the same log again has no effect.
  </p>
)

async function send(file: File, content: Content): Promise<Job> {
  const request = {
    name: file.name,
    content,
    format: formatOf(file.name)!,
    text: await file.text(),
  }
  if (sizeOf(request) <= maxBytes) return api.startImport(request)
  throw new Failure(
    'too-large',
    `${file.name} exceeds the limit of an import after encoding; use ren import.`,
  )
}

function ImportEntry({ job }: { readonly job: Job }) {
  const { request, state, created, progress, error } = job
  const name = String(request['name'])
  return (
    <li class="run" data-state={state}>
      <strong>{name}</strong>
      <span class="soft small">{timeOfDay(created)}</span>
      {isUnderWay(job) && (
        <>
          <ProgressBar label={`Progress of ${name}`} share={shareOf(job)} />
          <p class="soft">{progress.message || 'Waiting or reading the file'}</p>
        </>
      )}
      {state === 'done' && <Outcome id={job.id} />}
      {state === 'canceled' && <p class="soft">Stopped</p>}
      {error && (
        <p class="error">
          {error.message} <code>{error.code}</code>
        </p>
      )}
    </li>
  )
}

function Outcome({ id }: { readonly id: string }) {
  const fetched = useFetch((signal) => api.import(id, signal), [id])
  return (
    <Loaded fetched={fetched} what="the result">
      {({ result, request }) => (
        <p class="good">
          {request['content'] === 'catalog'
            ? describeCatalog(result as CatalogResult)
            : describeImport(result as ImportResult)}
        </p>
      )}
    </Loaded>
  )
}

type ImportResult = Readonly<Record<'rows' | 'before' | 'newItems' | 'users' | 'skipped', number>>

function describeImport({ rows, before, newItems, users, skipped }: ImportResult): string {
  const facts = [
    `${counted(rows - before, 'event')} of ${counted(users, 'user')}`,
    counted(newItems, 'new item'),
    ...(before > 0 ? [`${count(before)} already imported`] : []),
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
  ]
  return `Done: ${facts.join(', ')}.`
}

type CatalogResult = Readonly<Record<'added' | 'changed' | 'skipped', number>>

function describeCatalog({ added, changed, skipped }: CatalogResult): string {
  const facts = [
    counted(added, 'new item'),
    `${count(changed)} changed`,
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
  ]
  return `Done: ${facts.join(', ')}.`
}

type ImportRequest = Parameters<typeof api.startImport>[0]

/** The limit of the service for a body. */
export const maxBytes = 32 * 2 ** 20

/** By file extension. */
const formats = new Map(Object.entries({ csv: 'csv', jsonl: 'jsonl', ndjson: 'jsonl' } as const))

/** Null if unknown. */
export const formatOf = (name: string): ImportRequest['format'] | null =>
  formats.get(name.toLowerCase().split('.').at(-1)) ?? null

/** Why a file cannot be imported, before it is read; empty if it can. */
export function refusalOf({ name, size }: Pick<File, 'name' | 'size'>): string {
  if (formatOf(name) === null) {
    return `${name}: the name must end in .csv, .jsonl or .ndjson.`
  }
  if (size > maxBytes) return `${name} exceeds the limit of an import; use ren import.`
  return size === 0 ? `${name} is empty.` : ''
}

/** Bytes of the body. JSON quoting makes it larger than the file. */
export const sizeOf = (request: ImportRequest): number => new Blob([JSON.stringify(request)]).size
