import { Resvg } from '@resvg/resvg-js'
import { describe, expect, it } from 'vitest'
import { toPng } from './png.ts'

const page = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="20">${content}</svg>`
const words = (weight: string) =>
  page(
    `<text y="15" font-family="system-ui, sans-serif" font-weight="${weight}">λ ± √10 − 2</text>`,
  )

const sizeOf = (png: Uint8Array) => {
  const view = new DataView(png.buffer, png.byteOffset)
  return [view.getUint32(16), view.getUint32(20)]
}

describe('a picture in pixels', () => {
  it('is a PNG of twice the size', () => {
    expect([...toPng(page('')).subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47])
    expect(sizeOf(toPng(page('')))).toEqual([240, 40])
  })

  it('is the same in every byte when made again', () => {
    expect(toPng(words('normal'))).toEqual(toPng(words('normal')))
  })

  it('has letters, light and bold, on machines without a font', () => {
    expect(toPng(words('normal'))).not.toEqual(toPng(page('')))
    expect(toPng(words('bold'))).not.toEqual(toPng(words('normal')))
    // What the renderer would do without the font that comes along.
    const options = { font: { loadSystemFonts: false }, fitTo: { mode: 'zoom', value: 2 } } as const
    const bare = new Resvg(words('normal'), options).render()
    expect(bare.asPng()).toEqual(toPng(page('')))
  })
})
