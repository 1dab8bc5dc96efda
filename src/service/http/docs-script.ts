// The script of the page of this interface. It runs in a browser: the text of its functions is put into
// the page, so they name nothing but each other and what a browser has.

interface Schema {
  readonly [key: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly [string]
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Field {
  readonly parameter: Operation['parameters'][number]
  readonly input: HTMLInputElement
}

interface Interface {
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

function element(
  tag: string,
  content: string | readonly Node[] = [],
  attributes: Readonly<Record<string, string>> = {},
): HTMLElement {
  const created = document.createElement(tag)
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value)
  if (typeof content === 'string') created.textContent = content
  else created.append(...content)
  return created
}

function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** A schema in one line, with links to those that have names. */
function inline(schema: Schema): Node[] {
  const text = (value: string): Node => document.createTextNode(value)
  if (schema.$ref) {
    const name = refName(schema.$ref)
    return [element('a', name, { href: `#schema-${name}` })]
  }
  if (schema.anyOf) {
    return schema.anyOf.flatMap((one, i) => [...(i > 0 ? [text(' | ')] : []), ...inline(one)])
  }
  if (schema.enum) return [text(schema.enum.map((one) => JSON.stringify(one)).join(' | '))]
  if (schema.properties) {
    const entries = Object.entries(schema.properties)
    const parts = entries.flatMap(([key, value], i) => [
      text(`${i > 0 ? ', ' : ''}${key}${schema.required?.includes(key) ? '' : '?'}: `),
      ...inline(value),
    ])
    return [text('{ '), ...parts, text(' }')]
  }
  if (schema.items) return [...inline(schema.items), text('[]')]
  return [text([schema.type ?? 'anything'].flat().join(' | '))]
}

/** A value to start from. */
function example(schema: Schema, schemas: Interface['components']['schemas']): unknown {
  if (schema.$ref) return example(schemas[refName(schema.$ref)]!, schemas)
  if (schema.anyOf) return example(schema.anyOf[0]!, schemas)
  if (schema.enum) return schema.enum[0]
  if (schema.properties) {
    const required = schema.required ?? []
    const values = required.map((key) => [key, example(schema.properties![key]!, schemas)])
    return Object.fromEntries(values)
  }
  if (schema.items) return [example(schema.items, schemas)]
  return { string: 'text', integer: 1, number: 1, boolean: true }[String(schema.type)] ?? {}
}

function tryForm(path: string, method: string, operation: Operation, api: Interface): Node {
  const fields = operation.parameters.map((parameter) => ({
    parameter,
    input: element('input', [], { 'aria-label': parameter.name }) as HTMLInputElement,
  }))
  const schema = operation.requestBody?.content['application/json']?.schema
  const body =
    schema && (element('textarea', [], { rows: '5', 'aria-label': 'body' }) as HTMLTextAreaElement)
  if (body) body.value = JSON.stringify(example(schema, api.components.schemas), null, 2)
  const answer = element('pre')
  const button = element('button', 'Ask', { type: 'button' })
  const rows = fields.map(({ parameter, input }) =>
    element('label', [document.createTextNode(`${parameter.name} (${parameter.in}) `), input]),
  )
  button.addEventListener('click', () => {
    const key = (document.querySelector('#key') as HTMLInputElement).value
    const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` }
    if (body) headers['content-type'] = 'application/json'
    void ask(answer, urlOf(path, fields), {
      method: method.toUpperCase(),
      headers,
      ...(body ? { body: body.value } : {}),
    })
  })
  return element('div', [...rows, ...(body ? [body] : []), button, answer], { class: 'try' })
}

/** A path with what stands in the fields of a form. */
function urlOf(path: string, fields: readonly Field[]): string {
  let url = path
  const query = new URLSearchParams()
  for (const { parameter, input } of fields) {
    const { name } = parameter
    if (parameter.in === 'path')
      url = url.replace(`{${name}}`, () => encodeURIComponent(input.value))
    else if (input.value !== '') query.set(name, input.value)
  }
  return query.size > 0 ? `${url}?${query}` : url
}

async function ask(answer: HTMLElement, url: string, request: RequestInit): Promise<void> {
  try {
    const response = await fetch(url, request)
    const text = await response.text()
    answer.textContent = `${response.status}\n${text.slice(0, 20_000)}`
  } catch (error) {
    answer.textContent = String(error)
  }
}

function operationBlock(path: string, method: string, operation: Operation, api: Interface): Node {
  const { summary, description, parameters, requestBody, responses } = operation
  const head = element('summary', [
    element('b', method.toUpperCase()),
    document.createTextNode(` ${path} `),
    element('span', summary),
  ])
  const row = (name: string, schema: Schema): Node =>
    element('tr', [
      element('td', name),
      element('td', [element('code', inline(schema))]),
      element('td', schema.description ?? ''),
    ])
  const contentRow = (name: string, { content }: Content): Node[] =>
    Object.values(content).map(({ schema }) => row(name, schema))
  const table = element('table', [
    ...parameters.map((one) => row(`${one.in} ${one.name}${one.required ? '' : '?'}`, one.schema)),
    ...(requestBody ? contentRow('body', requestBody) : []),
    ...Object.entries(responses).flatMap(([status, content]) => contentRow(status, content)),
  ])
  const isStream = path.endsWith('/stream')
  return element('details', [
    head,
    element('p', description ?? 'Needs no key.'),
    table,
    ...(isStream ? [] : [tryForm(path, method, operation, api)]),
  ])
}

function schemaBlock(name: string, schema: Schema): Node {
  const rows = Object.entries(schema.properties ?? {}).map(([key, value]) =>
    element('tr', [
      element('td', `${key}${schema.required?.includes(key) ? '' : '?'}`),
      element('td', [element('code', inline(value))]),
      element('td', value.description ?? ''),
    ]),
  )
  const content = rows.length > 0 ? element('table', rows) : element('code', inline(schema))
  return element('section', [element('h3', name), content], { id: `schema-${name}` })
}

function show(api: Interface): void {
  const all = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  document.querySelector('h1')!.textContent = `${api.info.title} ${api.info.version}`
  const main = document.querySelector('main')!
  main.replaceChildren(
    ...api.tags.flatMap(({ name }) => [
      element('h2', name),
      ...all
        .filter(({ operation }) => operation.tags[0] === name)
        .map(({ path, method, operation }) => operationBlock(path, method, operation, api)),
    ]),
    element('h2', 'schemas'),
    ...Object.entries(api.components.schemas).map(([name, schema]) => schemaBlock(name, schema)),
  )
}

/** Shows the document at /openapi.json: operations by tag, the schemas, and a form to try each. */
function showInterface(): void {
  fetch('/openapi.json')
    .then(async (response) => show((await response.json()) as Interface))
    .catch((error: unknown) => {
      document.querySelector('main')!.textContent = `The document cannot be read: ${String(error)}`
    })
}

const functions = [
  element,
  refName,
  inline,
  example,
  tryForm,
  urlOf,
  ask,
  operationBlock,
  schemaBlock,
  show,
]

export const docsScript = [...functions, showInterface, 'showInterface()'].join('\n')
