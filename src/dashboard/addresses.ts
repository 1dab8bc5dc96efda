// URLs of detail views.

import { addressOf } from './route.ts'

export const itemAddress = (item: string): string => addressOf('data', { part: 'items', item })
export const userAddress = (user: string): string => addressOf('data', { part: 'users', user })
export const recommendationAddress = (id: string): string =>
  addressOf('data', { part: 'recommendation', id })
