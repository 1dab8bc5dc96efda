// A service in another process, which tests kill or stop: node run-service.ts SETTINGS LEASE_MS [VERSION]. It prints its
// role. With a version, it is killed in the middle of an update when it serves this version or a later one.

import type { ServiceSettings } from 'ren-recommender/service'
import { openWithGroups } from '../src/service/open-service.ts'

const [settings, leaseMs, version = 'Infinity'] = process.argv.slice(2) as [string, string, string?]
const { service } = await openWithGroups(JSON.parse(settings) as ServiceSettings, {
  leaseMs: Number(leaseMs),
})
service.subscribe((event) => {
  if (event.kind !== 'training' || event.share === 1) return
  if (service.model.current()[0]!.version >= Number(version)) process.kill(process.pid, 'SIGKILL')
}, 'training')
console.log(service.health().role)
setInterval(() => {}, 1000)
