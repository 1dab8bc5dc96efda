// Imports a log: choose a file, send it, and watch the progress.

import { useId, useState } from 'preact/hooks'

import type { Job } from '../../service/index.ts'
import { Failure } from '../api/request.ts'
import { api } from '../api/client.ts'
import { useJobs } from '../api/use-jobs.ts'
import { bytes } from '../format.ts'
import { Form } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { ProgressBar } from '../parts/progress-bar.tsx'
import { Answer, Empty } from '../parts/states.tsx'
import type { ViewProps } from '../views.ts'
import { ImportEntry } from './import-entry.tsx'
import { formatOf, maxBytes, refusalOf, sizeOf } from './import-request.ts'

export function ImportPart(_props: ViewProps) {
  const { fetched, learn } = useJobs('import', api.imports)
  return (
    <div class="grid">
      <ImportForm onStart={learn} />
      <Panel title="Imports">
        <Answer fetched={fetched} what="imports">
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
        </Answer>
      </Panel>
    </div>
  )
}

function ImportForm({ onStart }: { onStart(job: Job): void }) {
  const [file, setFile] = useState<File | null>(null)
  const [refusal, setRefusal] = useState('')
  const [isSending, setSending] = useState(false)
  const choose = (chosen: File | null): void => {
    setFile(chosen)
    setRefusal(chosen ? refusalOf(chosen) : '')
  }
  const start = async (): Promise<void> => {
    setSending(true)
    try {
      onStart(await send(file!))
      setRefusal('')
    } catch (error) {
      setRefusal((error as Error).message)
    }
    setSending(false)
  }
  return (
    <Panel title="Import a log">
      <Form class="import-form" onSubmit={() => void start()}>
        <Explanation />
        <FileField {...{ refusal, choose }} />
        {isSending && <ProgressBar label="Sending the file" share={null} />}
        <button type="submit" disabled={!file || isSending || refusalOf(file) !== ''}>
          {file ? `Import ${bytes(file.size)}` : 'Import'}
        </button>
      </Form>
    </Panel>
  )
}

interface FileFieldProps {
  readonly refusal: string
  choose(file: File | null): void
}

function FileField({ refusal, choose }: FileFieldProps) {
  const field = useId()
  return (
    <>
      <label for={field}>File</label>
      <input
        id={field}
        type="file"
        accept=".csv,.jsonl,.ndjson"
        aria-describedby={`${field}-refusal`}
        onChange={({ currentTarget }) => choose(currentTarget.files?.[0] ?? null)}
      />
      <div id={`${field}-refusal`} role="alert" class="error">
        {refusal}
      </div>
    </>
  )
}

function Explanation() {
  return (
    <p class="soft">
      CSV with a header, or JSON Lines: <code>user</code>, <code>item</code>, <code>time</code> in
      milliseconds since 1970, and <code>reward</code> (defaults to 1). At most {maxBytes / 2 ** 20}{' '}
      MiB; <code>ren import</code> accepts larger logs. Importing the same log again has no effect.
    </p>
  )
}

async function send(file: File): Promise<Job> {
  const request = { name: file.name, format: formatOf(file.name)!, text: await file.text() }
  if (sizeOf(request) <= maxBytes) return api.startImport(request)
  throw new Failure(
    'too-large',
    `${file.name} is larger than the limit of an import once it is encoded.`,
  )
}
