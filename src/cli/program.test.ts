import { describe, expect, it } from 'vitest'
import { runRen } from '../../test/run-ren.ts'

describe('an error in the options', () => {
  it.each([
    [['--nope'], '(ren --help lists the commands)'],
    [['train', '--nope'], '(ren train --help lists the options)'],
    [['key', 'create', '--nope'], '(ren key create --help lists the options)'],
  ])('of %j points to the help of its command', async (args, hint) => {
    const { code, stderr } = await runRen(args)
    expect(code).toBe(1)
    expect(stderr).toContain(hint)
  })
})
