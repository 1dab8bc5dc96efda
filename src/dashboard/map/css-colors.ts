// Theme colors as pixel values.

/** Any CSS, such as a mixture of variables; opaque. */
export function packedColors(colors: readonly string[]): Uint32Array {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, colors.length)
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  // Variables have a value only for an element of the page.
  const probe = document.createElement('i')
  document.body.append(probe)
  for (const [i, color] of colors.entries()) {
    probe.style.color = color
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(i, 0, 1, 1)
  }
  probe.remove()
  const { data } = context.getImageData(0, 0, canvas.width, 1)
  return new Uint32Array(data.buffer)
}
