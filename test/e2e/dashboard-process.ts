// The dashboard in its own process, which a test can kill. Arguments: page, folder of the store, port.

import { startDashboard } from './dashboard.ts'

const [page, folder, port] = process.argv.slice(2) as [string, string, string]
const { url } = await startDashboard({ server: { page }, folder, port: Number(port) })
console.log(url)
