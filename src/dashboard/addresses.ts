// Where things are looked at closely.

import { addressOf } from './route.ts'

export const itemAddress = (item: string): string => addressOf('data', { part: 'items', item })
export const userAddress = (user: string): string => addressOf('data', { part: 'users', user })
export const storyAddress = (id: string): string => addressOf('data', { part: 'story', id })
