// An item with its image and title. Its id is in the tooltip, or next to it.

import { itemAddress } from '../addresses.ts'
import { useLabel } from '../api/use-label.ts'

interface ItemNameProps {
  readonly item: string
  /** Whether the id is shown next to the title. */
  readonly hasId?: boolean
}

export function ItemName({ item, hasId }: ItemNameProps) {
  const { title, image } = useLabel(item)
  return (
    <span class="item-name" title={item}>
      {image !== null && <img src={image} alt="" loading="lazy" />}
      <span>
        {title ?? item}
        {hasId && title !== null && <small class="soft"> {item}</small>}
      </span>
    </span>
  )
}

/** A link to the details of the item. */
export function ItemLink(props: ItemNameProps) {
  return (
    <a href={itemAddress(props.item)}>
      <ItemName {...props} />
    </a>
  )
}

/** Titles can contain commas. */
export const separator = ' · '

/** The title as text, without an image. */
export function ItemNames({ items }: { readonly items: readonly string[] }) {
  return (
    <>
      {items.map((item, i) => (
        <span key={i}>
          {i > 0 && separator}
          <Title item={item} />
        </span>
      ))}
    </>
  )
}

export function Title({ item }: Pick<ItemNameProps, 'item'>) {
  return <span title={item}>{useLabel(item).title ?? item}</span>
}
