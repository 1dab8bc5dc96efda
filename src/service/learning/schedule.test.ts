import { setTimeout as delay } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { Schedule } from './schedule.ts'

const never = { everyEvents: Infinity, everySeconds: Infinity }

test('a job is due after a number of events, and receives their count', async () => {
  const runs: number[] = []
  const schedule = new Schedule({ ...never, everyEvents: 3 }, async (events) => {
    runs.push(events)
    return false
  })
  schedule.addEvents(2)
  expect(runs).toEqual([])
  schedule.addEvents(2)
  expect(runs).toEqual([4])
  await delay(5)
  schedule.addEvents(2)
  expect(runs).toEqual([4])
  schedule.addEvents(1)
  expect(runs).toEqual([4, 3])
  schedule.stop()
})

test('a job is due after an interval, with or without events', async () => {
  const runs: number[] = []
  const schedule = new Schedule({ ...never, everySeconds: 0.01 }, async (events) => {
    runs.push(events)
    return false
  })
  schedule.addEvents(1)
  while (runs.length < 2) await delay(1)
  expect(runs.slice(0, 2)).toEqual([1, 0])
  schedule.stop()
  const { length } = runs
  await delay(30)
  expect(runs).toHaveLength(length)
})

test('no job begins before the previous one has ended', async () => {
  let [running, most] = [0, 0]
  const runs: number[] = []
  const schedule = new Schedule({ everyEvents: 1, everySeconds: 0.001 }, async (events) => {
    most = Math.max(most, ++running)
    await delay(5)
    running -= 1
    return runs.push(events) % 2 === 1
  })
  while (runs.length < 4) {
    schedule.addEvents(5)
    await delay(1)
  }
  schedule.stop()
  expect(most).toBe(1)
})

test('a job that fails is run again when it is due', async () => {
  const runs: number[] = []
  const schedule = new Schedule({ ...never, everyEvents: 2 }, async (events) => {
    runs.push(events)
    throw new Error('not this time')
  })
  schedule.addEvents(2)
  while (runs.length < 3) {
    schedule.addEvents(1)
    await delay(1)
  }
  schedule.stop()
  expect(runs[0]).toBe(2)
})

test('a job that has more to do runs again without new events', async () => {
  const runs: number[] = []
  const schedule = new Schedule({ ...never, everyEvents: 1 }, async (events) => {
    return runs.push(events) < 3
  })
  schedule.addEvents(1)
  while (runs.length < 3) await delay(1)
  await delay(10)
  expect(runs).toEqual([1, 0, 0])
  schedule.stop()
})

test('after a job there is a rest of its length, whatever arrives meanwhile', async () => {
  const times: number[] = []
  const schedule = new Schedule({ ...never, everyEvents: 1 }, async () => {
    times.push(performance.now())
    await delay(20)
    times.push(performance.now())
    return false
  })
  schedule.addEvents(1)
  while (times.length < 6) {
    schedule.addEvents(1)
    await delay(1)
  }
  schedule.stop()
  const rests = [times[2]! - times[1]!, times[4]! - times[3]!]
  expect(Math.min(...rests)).toBeGreaterThan(15)
})

test('a stopped schedule starts no jobs', async () => {
  let runs = 0
  const schedule = new Schedule({ everyEvents: 1, everySeconds: 0.001 }, async () => {
    runs += 1
    await delay(5)
    return true
  })
  schedule.addEvents(1)
  schedule.stop()
  schedule.addEvents(1)
  await delay(20)
  expect(runs).toBe(1)
})
