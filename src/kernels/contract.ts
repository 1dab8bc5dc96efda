// The kernel contract: one table says what each kernel reads, writes and how big it is.
// The engines implement it (reference/, assembly/), operations.ts derives the checked calls from
// it and the agreement test derives its random cases from it, so nothing about a kernel's
// arguments is written twice. To add a kernel see docs/extending.md.
//
// A parameter list *is* the raw signature: sizes, flags and scalars travel as numbers, tensors as
// byte addresses in the engine's arena. Matrices are dense, row-major float32. Sequences are
// time-major: row t·batch + b of a (steps·batch × width) matrix is step t of sequence b, so that
// one step of the whole batch, and any shift in time, is a contiguous block of rows.

import {
  flag,
  indices,
  indicesOutput,
  input,
  output,
  scalar,
  size,
  stated,
  update,
} from './signature.ts'
import type {
  Flag,
  IndexTensor,
  Indices,
  Matrix,
  Parameter,
  Scalar,
  Size,
  Sizes,
  Tensor,
} from './signature.ts'

const sequence = (s: Sizes): number => s['steps']! * s['batch']!
const sequenceAndStart = (s: Sizes): number => (s['steps']! + 1) * s['batch']!
const times =
  (factor: number, name: string) =>
  (s: Sizes): number =>
    factor * s[name]!

const matrixProduct = {
  /** out = op(a)·op(b), or out += op(a)·op(b) with `accumulate`; op transposes where flagged. */
  multiply: [
    flag('transposeA'),
    flag('transposeB'),
    flag('accumulate'),
    size('m', (g) => g.rows('out')),
    size('n', (g) => g.columns('out')),
    size('k', (g) => (g.size('transposeA') ? g.rows('a') : g.columns('a'))),
    input(
      'a',
      (s) => (s['transposeA'] ? s['k']! : s['m']!),
      (s) => (s['transposeA'] ? s['m']! : s['k']!),
    ),
    input(
      'b',
      (s) => (s['transposeB'] ? s['n']! : s['k']!),
      (s) => (s['transposeB'] ? s['k']! : s['n']!),
    ),
    update('out', 'm', 'n'),
  ],
} as const

const elementwise = {
  /** out[i,:] += row. */
  addRow: [
    size('rows', (g) => g.rows('out')),
    size('columns', (g) => g.columns('out')),
    input('row', 1, 'columns'),
    update('out', 'rows', 'columns'),
  ],
  /** out += Σ_i x[i,:]. */
  sumRows: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
    update('out', 1, 'columns'),
  ],
  /** out += scale·x. */
  addScaled: [
    size('rows', (g) => g.rows('out')),
    size('columns', (g) => g.columns('out')),
    scalar('scale'),
    input('x', 'rows', 'columns'),
    update('out', 'rows', 'columns'),
  ],
  /** out = x∘y. */
  multiplyElements: [
    size('rows', (g) => g.rows('out')),
    size('columns', (g) => g.columns('out')),
    input('x', 'rows', 'columns'),
    input('y', 'rows', 'columns'),
    output('out', 'rows', 'columns'),
  ],
  /** out = max(x, 0). */
  relu: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
    output('out', 'rows', 'columns'),
  ],
  /** dInput = dOutput where the output of relu was positive, else 0. */
  reluBackward: [
    size('rows', (g) => g.rows('y')),
    size('columns', (g) => g.columns('y')),
    input('y', 'rows', 'columns'),
    input('dOutput', 'rows', 'columns'),
    output('dInput', 'rows', 'columns'),
  ],
} as const

const embeddingRows = {
  /** out[i,:] = table[indices[i],:]. */
  gather: [
    size('count', (g) => g.length('indices')),
    size('columns', (g) => g.columns('table')),
    size('tableRows', (g) => g.rows('table')),
    input('table', 'tableRows', 'columns'),
    indices('indices', 'count', 'tableRows'),
    output('out', 'count', 'columns'),
  ],
  /** table[indices[i],:] += source[i,:]; repeated indices are summed. */
  scatterAdd: [
    size('count', (g) => g.length('indices')),
    size('columns', (g) => g.columns('table')),
    size('tableRows', (g) => g.rows('table')),
    input('source', 'count', 'columns'),
    indices('indices', 'count', 'tableRows'),
    update('table', 'tableRows', 'columns'),
  ],
} as const

const recurrent = {
  /**
   * A GRU over a batch of sequences, given its input projections x·W_iᵀ + b_i (gate order r, z, n).
   * `states` holds the start state in block 0 and receives h_t in block t+1. `gates` keeps r, z, n
   * and q for the way back.
   * reset-after (PyTorch):   q = U_n h + b_n; n = tanh(x_n + r∘q);         h' = (1−z)∘n + z∘h
   * reset-before (original): q = r∘h;         n = tanh(x_n + U_n q + b_n); h' = (1−z)∘h + z∘n
   */
  gruForward: [
    flag('resetBefore'),
    stated('steps'),
    stated('batch'),
    size('hidden', (g) => g.columns('weights')),
    input('inputs', sequence, times(3, 'hidden')),
    input('weights', times(3, 'hidden'), 'hidden'),
    input('bias', 1, times(3, 'hidden')),
    update('states', sequenceAndStart, 'hidden'),
    output('gates', sequence, times(4, 'hidden')),
  ],
  /**
   * The way back. `dStates` comes in with ∂loss/∂h_t from above and goes out with the totals, so
   * that block 0 is the gradient of the start state. `dRecurrent` is the gradient of U·(its
   * operand) + b, from which dWeights and dBias are accumulated.
   */
  gruBackward: [
    flag('resetBefore'),
    stated('steps'),
    stated('batch'),
    size('hidden', (g) => g.columns('weights')),
    input('weights', times(3, 'hidden'), 'hidden'),
    input('states', sequenceAndStart, 'hidden'),
    input('gates', sequence, times(4, 'hidden')),
    update('dStates', sequenceAndStart, 'hidden'),
    output('dInputs', sequence, times(3, 'hidden')),
    output('dRecurrent', sequence, times(3, 'hidden')),
    update('dWeights', times(3, 'hidden'), 'hidden'),
    update('dBias', 1, times(3, 'hidden')),
  ],
} as const

const taps = (s: Sizes): number => s['taps']! * s['outWidth']!

const convolution = {
  /**
   * out[t] = bias + Σ_j W_j x[t − (taps−1−j)·dilation], where steps before the first are zero.
   * `weights` stacks the taps: block j is W_j (outWidth × inWidth).
   */
  convolutionForward: [
    stated('steps'),
    stated('batch'),
    stated('taps'),
    stated('dilation'),
    size('inWidth', (g) => g.columns('x')),
    size('outWidth', (g) => g.columns('out')),
    input('x', sequence, 'inWidth'),
    input('weights', taps, 'inWidth'),
    input('bias', 1, 'outWidth'),
    output('out', sequence, 'outWidth'),
  ],
  /** Accumulates into dX, dWeights and dBias. */
  convolutionBackward: [
    stated('steps'),
    stated('batch'),
    stated('taps'),
    stated('dilation'),
    size('inWidth', (g) => g.columns('x')),
    size('outWidth', (g) => g.columns('dOut')),
    input('x', sequence, 'inWidth'),
    input('weights', taps, 'inWidth'),
    input('dOut', sequence, 'outWidth'),
    update('dX', sequence, 'inWidth'),
    update('dWeights', taps, 'inWidth'),
    update('dBias', 1, 'outWidth'),
  ],
} as const

const layerNorm = {
  /** out = gain∘(x − mean)/√(variance + ε) + bias by row; `statistics` keeps (mean, 1/√…). */
  layerNormForward: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    scalar('epsilon'),
    input('x', 'rows', 'columns'),
    input('gain', 1, 'columns'),
    input('bias', 1, 'columns'),
    output('out', 'rows', 'columns'),
    output('statistics', 'rows', 2),
  ],
  /** Accumulates into dX, dGain and dBias. */
  layerNormBackward: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
    input('gain', 1, 'columns'),
    input('statistics', 'rows', 2),
    input('dOut', 'rows', 'columns'),
    update('dX', 'rows', 'columns'),
    update('dGain', 1, 'columns'),
    update('dBias', 1, 'columns'),
  ],
} as const

const attentionRows = (s: Sizes): number => s['batch']! * s['heads']! * s['steps']!

const attention = {
  /**
   * Causal self-attention: per sequence and head, out = softmax(Q·Kᵀ/√w, past and present only)·V,
   * with w = width/heads. `qkv` is [Q | K | V] by columns, heads are column blocks of each.
   * `weights` keeps the softmax: row (b·heads + h)·steps + i holds step i's weights, 0 after i.
   */
  attentionForward: [
    stated('steps'),
    stated('batch'),
    stated('heads', 'width'),
    size('width', (g) => g.columns('out')),
    input('qkv', sequence, times(3, 'width')),
    output('weights', attentionRows, 'steps'),
    output('out', sequence, 'width'),
  ],
  /** Writes dQkv; `scratch` is room for one head's gradient of the weights. */
  attentionBackward: [
    stated('steps'),
    stated('batch'),
    stated('heads', 'width'),
    size('width', (g) => g.columns('dOut')),
    input('qkv', sequence, times(3, 'width')),
    input('weights', attentionRows, 'steps'),
    input('dOut', sequence, 'width'),
    output('scratch', 'steps', 'steps'),
    output('dQkv', sequence, times(3, 'width')),
  ],
} as const

const loss = {
  /**
   * Softmax cross-entropy of each row of `logits` against its target column. losses[i] = −ln p_i;
   * `logits` becomes the gradient of Σ_i weights[i]·losses[i].
   */
  crossEntropyRows: [
    size('rows', (g) => g.rows('logits')),
    size('columns', (g) => g.columns('logits')),
    indices('targets', 'rows', 'columns'),
    input('weights', 1, 'rows'),
    update('logits', 'rows', 'columns'),
    output('losses', 1, 'rows'),
  ],
  /**
   * The same over logits = hidden·itemsᵀ, never held whole: `scratch` has room for as many rows of
   * logits as fit the cache and the kernel goes through the rows chunk by chunk. Writes dHidden,
   * accumulates into dItems.
   */
  softmaxCrossEntropy: [
    size('rows', (g) => g.rows('hidden')),
    size('items', (g) => g.rows('items')),
    size('width', (g) => g.columns('hidden')),
    size('chunk', (g) => g.rows('scratch')),
    input('hidden', 'rows', 'width'),
    input('items', 'items', 'width'),
    indices('targets', 'rows', 'items'),
    input('weights', 1, 'rows'),
    output('scratch', 'chunk', 'items'),
    output('losses', 1, 'rows'),
    output('dHidden', 'rows', 'width'),
    update('dItems', 'items', 'width'),
  ],
} as const

const optimiser = {
  /**
   * One dense Adam step (as in PyTorch): m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²;
   * p −= rate·(m/correction1)/(√(v/correction2) + ε), with correctionᵢ = 1 − βᵢᵗ at step t.
   */
  adam: [
    size('rows', (g) => g.rows('parameters')),
    size('columns', (g) => g.columns('parameters')),
    scalar('rate'),
    scalar('beta1'),
    scalar('beta2'),
    scalar('epsilon'),
    scalar('correction1'),
    scalar('correction2'),
    input('gradient', 'rows', 'columns'),
    update('firstMoment', 'rows', 'columns'),
    update('secondMoment', 'rows', 'columns'),
    update('parameters', 'rows', 'columns'),
  ],
  /** One Adagrad step: s += g²; p −= rate·g/√(s + ε). */
  adagrad: [
    size('rows', (g) => g.rows('parameters')),
    size('columns', (g) => g.columns('parameters')),
    scalar('rate'),
    scalar('epsilon'),
    input('gradient', 'rows', 'columns'),
    update('accumulator', 'rows', 'columns'),
    update('parameters', 'rows', 'columns'),
  ],
} as const

const scoring = {
  /** out[i] = x_i·vector. */
  dotRows: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
    input('vector', 1, 'columns'),
    output('out', 1, 'rows'),
  ],
  /** out[i] = ‖x_i‖. */
  rowNorms: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
    output('out', 1, 'rows'),
  ],
  /** out[i] = ‖W x_i‖² with W = `whitening`; for W = L⁻¹ and A = L·Lᵀ this is x_iᵀA⁻¹x_i. */
  quadraticForms: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
    input('whitening', 'columns', 'columns'),
    output('out', 1, 'rows'),
  ],
  /**
   * forms[i] = max(0, forms[i] − scale·(x_i·direction)²): every x_iᵀA⁻¹x_i after A grew by jjᵀ,
   * for direction = A⁻¹j and scale = 1/(1 + jᵀA⁻¹j).
   */
  rankOneUpdate: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    scalar('scale'),
    input('x', 'rows', 'columns'),
    input('direction', 1, 'columns'),
    update('forms', 1, 'rows'),
  ],
  /** The largest scores in falling order, and where they stood; equal scores by lower index. */
  topN: [
    size('count', (g) => g.columns('scores')),
    size('n', (g) => g.columns('values')),
    input('scores', 1, 'count'),
    indicesOutput('indices', 'n', 'count'),
    output('values', 1, 'n'),
  ],
  /** 1 if every value is finite, else 0. */
  allFinite: [
    size('rows', (g) => g.rows('x')),
    size('columns', (g) => g.columns('x')),
    input('x', 'rows', 'columns'),
  ],
} as const

export const contract = {
  ...matrixProduct,
  ...elementwise,
  ...embeddingRows,
  ...recurrent,
  ...convolution,
  ...layerNorm,
  ...attention,
  ...loss,
  ...optimiser,
  ...scoring,
} as const satisfies Record<string, readonly Parameter[]>

export type KernelName = keyof typeof contract
export const kernelNames = Object.keys(contract) as readonly KernelName[]

/** The raw form that engines implement: numbers and byte addresses in the contract's order. */
export type RawKernels = { readonly [K in KernelName]: (...args: number[]) => number | void }

type Named<P extends Parameter, Kind, Value> = {
  readonly [Q in Extract<P, Kind> as Q['name']]: Value
}
type Optional<P extends Parameter, Kind, Value> = {
  readonly [Q in Extract<P, Kind> as Q['name']]?: Value
}

/** What a caller passes, by name: tensors, lists, stated sizes, scalars, and flags if set. */
export type KernelArguments<
  K extends KernelName,
  P extends Parameter = (typeof contract)[K][number],
> = Named<P, Matrix<string>, Tensor> &
  Named<P, Indices<string>, IndexTensor> &
  Named<P, Size<string, true>, number> &
  Named<P, Scalar<string>, number> &
  Optional<P, Flag<string>, boolean>

/** The kernels as everything above them calls them: arguments by name, shapes always checked. */
export type Operations = { readonly [K in KernelName]: (args: KernelArguments<K>) => number }
