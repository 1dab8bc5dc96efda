// Where the built dashboard lies: the same place in a checkout and in the package.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', '..', 'dist', 'page')

/** Undefined where nobody has built it, as in a checkout before `npm start`. */
export const pageFolder = (): string | undefined => (existsSync(folder) ? folder : undefined)
