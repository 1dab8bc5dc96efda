// The dashboard in a process of its own, which a test can kill: page, folder of the store, port.

import { startDashboard } from './dashboard.ts'

const [page, folder, port] = process.argv.slice(2) as [string, string, string]
const { url } = await startDashboard({ server: { page }, folder, port: Number(port) })
console.log(url)
