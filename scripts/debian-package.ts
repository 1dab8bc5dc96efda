// Unpacks packages of Debian without installing them: no daemon starts, and no root is needed.

import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const canUnpack = (): boolean =>
  existsSync('/usr/bin/apt-get') && existsSync('/usr/bin/dpkg')

/** Unpacks the packages of these names into a folder, which it replaces. Without the packages, there is no folder. */
export function unpackPackages(names: readonly string[], target: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'ren-package-'))
  const call = (command: string, ...args: readonly string[]) =>
    spawnSync(command, args, { cwd: folder })
  try {
    call('apt-get', 'download', ...names)
    const unpacked = join(folder, 'unpacked')
    for (const file of globSync('*.deb', { cwd: folder })) call('dpkg', '-x', file, unpacked)
    if (!existsSync(unpacked)) return
    mkdirSync(dirname(target), { recursive: true })
    rmSync(target, { recursive: true, force: true })
    call('cp', '-r', unpacked, `${target}.part`)
    renameSync(`${target}.part`, target)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
